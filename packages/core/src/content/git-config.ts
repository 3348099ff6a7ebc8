/**
 * git's configuration syntax, as data: who reads a file decides which settings count.
 *
 * `include` and `includeIf` are not followed: they can name any file of the machine.
 */

export interface GitSetting {
  /** In lower case; empty before the first. */
  readonly section: string;
  /** In quotes it keeps its case, after a dot it does not; null where there is none. */
  readonly subsection: string | null;
  /** In lower case. */
  readonly key: string;
  /** True where there is no `=`; null where it is malformed. */
  readonly value: string | true | null;
}

export interface GitConfig {
  /**
   * What stands before anything that git refuses, by `section.key` or `section.subsection.key`; the last value of a key
   * wins.
   */
  readonly values: ReadonlyMap<string, string | true>;
  /** Line (from 1) of the first thing that is not git's syntax, for which git refuses the file; null when all is well. */
  readonly errorLine: number | null;
  /** All settings, in order; what git refuses is passed over, as far as its line goes. */
  readonly settings: readonly GitSetting[];
}

const KEY_CHARACTER = /[A-Za-z0-9-]/;
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', b: '\b', '\\': '\\', '"': '"' };

/** @param text the file, one character per byte */
export function parseGitConfig(text: string): GitConfig {
  const values = new Map<string, string | true>();
  const settings: GitSetting[] = [];
  const source = new CharReader(text);
  let header: Header | null = null;
  let firstErrorLine: number | null = null;
  for (let char = source.next(); char !== null; char = source.next()) {
    if (isBlank(char)) continue;
    const { line } = source;
    let isClean = true;
    if (char === '#' || char === ';') {
      source.skipLine();
    } else if (char === '[') {
      const found = readHeader(source);
      header = found ?? header;
      isClean = found?.isClean ?? false;
      if (found === null) source.skipBroken();
    } else if (/[A-Za-z]/.test(char)) {
      const { key, value } = readSetting(source, char);
      settings.push({ section: header?.section ?? '', subsection: header?.subsection ?? null, key, value });
      isClean = value !== null;
      if (value === null) source.skipBroken();
      else if (firstErrorLine === null) values.set(header === null ? key : `${sectionName(header)}.${key}`, value);
    } else {
      isClean = false;
      source.skipBroken();
    }
    if (!isClean) firstErrorLine ??= line;
  }
  return { values, errorLine: firstErrorLine, settings };
}

/**
 * The last text that a file sets `section.key` to, whatever git refuses in it; null where there is none.
 * @param name in lower case, without a subsection
 */
export function lastStringValue({ settings }: GitConfig, name: string): string | null {
  for (const { section, subsection, key, value } of settings.toReversed()) {
    if (subsection === null && `${section}.${key}` === name && typeof value === 'string') return value;
  }
  return null;
}

interface Header {
  readonly section: string;
  readonly subsection: string | null;
  /** False where git refuses it for its blanks alone. */
  readonly isClean: boolean;
}

/** The text's characters, with CR LF as one LF. */
class CharReader {
  /** Of the next character. */
  line = 1;
  #at: number;
  /** The one before the next. */
  #last = '';

  constructor(private readonly text: string) {
    this.#at = text.startsWith('\xef\xbb\xbf') ? 3 : 0;
  }

  /** Null at the end. */
  next(): string | null {
    let char = this.text[this.#at];
    if (char === undefined) return null;
    this.#at += 1;
    if (char === '\r' && this.text[this.#at] === '\n') {
      char = '\n';
      this.#at += 1;
    }
    if (char === '\n') this.line += 1;
    this.#last = char;
    return char;
  }

  skipLine(): void {
    for (let char = this.next(); char !== null && char !== '\n'; ) char = this.next();
  }

  /** The rest of a line that is broken, with the lines that go on from it. */
  skipBroken(): void {
    while (this.#last !== '\n') {
      const char = this.next();
      if (char === null) return;
      if (char === '\\' && this.next() === '\n') this.#last = '';
    }
  }
}

/** git's reading of a boolean; null where the value is none. */
export function gitBoolean(value: string | true | undefined): boolean | null {
  if (value === undefined) return null;
  if (value === true) return true;
  const word = value.toLowerCase();
  if (word === 'true' || word === 'yes' || word === 'on') return true;
  if (word === 'false' || word === 'no' || word === 'off' || word === '') return false;
  return /^[+-]?\d+$/.test(word) ? Number(word) !== 0 : null;
}

function sectionName({ section, subsection }: Header): string {
  return subsection === null ? section : `${section}.${subsection}`;
}

function isBlank(char: string | null): boolean {
  return char === ' ' || char === '\t' || char === '\n' || char === '\r';
}

/** After `[`: `name]` or `name "subsection"]`. */
function readHeader(source: CharReader): Header | null {
  let char = source.next();
  const skipBlanks = (): boolean => {
    const hasBlanks = isBlank(char) && char !== '\n';
    while (isBlank(char) && char !== '\n') char = source.next();
    return hasBlanks;
  };
  const hasLeadingBlanks = skipBlanks();
  let name = '';
  for (; char === '.' || (char !== null && KEY_CHARACTER.test(char)); char = source.next()) name += char.toLowerCase();
  if (char === ']') return { ...splitName(name), isClean: !hasLeadingBlanks };
  const hasInnerBlanks = skipBlanks();
  if (char === ']') return { ...splitName(name), isClean: false };
  let isClean = name === '' ? hasLeadingBlanks : hasInnerBlanks && !hasLeadingBlanks;
  if (char !== '"') return null;
  let subsection = '';
  for (;;) {
    char = source.next();
    if (char === '"') break;
    if (char === '\\') char = source.next();
    if (char === null || char === '\n') return null;
    subsection += char;
  }
  char = source.next();
  if (char !== ']') isClean = false;
  skipBlanks();
  return char === ']' ? { section: name, subsection, isClean } : null;
}

function splitName(name: string): Omit<Header, 'isClean'> {
  const dot = name.indexOf('.');
  return dot < 0
    ? { section: name, subsection: null }
    : { section: name.slice(0, dot), subsection: name.slice(dot + 1) };
}

function readSetting(source: CharReader, first: string): Pick<GitSetting, 'key' | 'value'> {
  let key = '';
  let char: string | null = first;
  for (; char !== null && KEY_CHARACTER.test(char); char = source.next()) key += char.toLowerCase();
  while (char === ' ' || char === '\t') char = source.next();
  if (char === null || char === '\n') return { key, value: true };
  return { key, value: char === '=' ? readValue(source) : null };
}

function readValue(source: CharReader): string | null {
  let value = '';
  // Blanks outside quotes count only between other characters.
  let blanks = '';
  let quoted = false;
  for (;;) {
    let char = source.next();
    if (char === null || char === '\n') return quoted ? null : value;
    if (!quoted && isBlank(char)) {
      if (value !== '') blanks += char;
      continue;
    }
    if (!quoted && (char === '#' || char === ';')) {
      source.skipLine();
      return value;
    }
    value += blanks;
    blanks = '';
    if (char === '"') {
      quoted = !quoted;
      continue;
    }
    if (char === '\\') {
      char = source.next();
      if (char === '\n') continue;
      const escaped = char === null ? undefined : ESCAPES[char];
      if (escaped === undefined) return null;
      char = escaped;
    }
    value += char;
  }
}
