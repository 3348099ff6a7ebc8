/**
 * Parses git's configuration syntax. The caller decides which settings to use.
 *
 * `include` and `includeIf` are not followed: they can name any file on the machine.
 */

export interface GitSetting {
  /** In lower case; empty before the first section header. */
  readonly section: string;
  /** Case is kept in quotes and lowered after a dot; null if there is no subsection. */
  readonly subsection: string | null;
  /** In lower case. */
  readonly key: string;
  /** True if there is no `=`; null if the value is malformed. */
  readonly value: string | true | null;
}

export interface GitConfig {
  /**
   * The settings before the first syntax error, by `section.key` or `section.subsection.key`. The last value of a key
   * wins.
   */
  readonly values: ReadonlyMap<string, string | true>;
  /** Line (from 1) of the first syntax error, because of which git refuses the file; null if there is none. */
  readonly errorLine: number | null;
  /** All settings, in order. A line with a syntax error is skipped, with its continuation lines. */
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
 * Returns the last string value of `section.key`, even after syntax errors; null if there is none.
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
  /** False if git refuses the header only because of its whitespace. */
  readonly isClean: boolean;
}

/** Reads a text character by character, with CR LF as one LF. */
class CharReader {
  /** The line of the next character. */
  line = 1;
  #at: number;
  /** The character that was read last. */
  #last = '';

  constructor(private readonly text: string) {
    this.#at = text.startsWith('\xef\xbb\xbf') ? 3 : 0;
  }

  /** Returns null at the end. */
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

  /** Skips the rest of a broken line, with its continuation lines. */
  skipBroken(): void {
    while (this.#last !== '\n') {
      const char = this.next();
      if (char === null) return;
      if (char === '\\' && this.next() === '\n') this.#last = '';
    }
  }
}

/** Parses a boolean as git does; returns null if the value is not a boolean. */
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

/** Parses what follows `[`: `name]` or `name "subsection"]`. */
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
  // Whitespace outside quotes counts only between other characters.
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
