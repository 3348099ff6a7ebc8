/**
 * git's configuration syntax, for the few keys that change how a repository is read.
 *
 * `include` and `includeIf` are not followed: they can name any file of the machine. Only the repository's own file is
 * read, never the person's or the system's, so a value that only those set is not seen.
 */

/** Keys are `section.key` or `section.subsection.key`, section and key in lower case; the last value of a key wins. */
export interface GitConfig {
  readonly values: ReadonlyMap<string, string | true>;
  /** Line (from 1) of the first thing that is not git's syntax; nothing after it was read. Null when all is well. */
  readonly brokenAt: number | null;
}

const KEY_CHARACTER = /[A-Za-z0-9-]/;
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', b: '\b', '\\': '\\', '"': '"' };

/** @param text the file, one character per byte */
export function parseGitConfig(text: string): GitConfig {
  const values = new Map<string, string | true>();
  const source = new Source(text);
  let prefix = '';
  for (;;) {
    const char = source.next();
    if (char === null) return { values, brokenAt: null };
    if (isBlank(char)) continue;
    const line = source.line;
    if (char === '#' || char === ';') {
      source.skipLine();
    } else if (char === '[') {
      const section = readSection(source);
      if (section === null) return { values, brokenAt: line };
      prefix = `${section}.`;
    } else {
      const setting = /[A-Za-z]/.test(char) ? readSetting(source, char) : null;
      if (setting === null) return { values, brokenAt: line };
      values.set(prefix + setting.key, setting.value);
    }
  }
}

/** The text's characters, with CR LF as one LF. */
class Source {
  line = 1;
  #at: number;

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
    return char;
  }

  skipLine(): void {
    for (let char = this.next(); char !== null && char !== '\n'; ) char = this.next();
  }
}

function isBlank(char: string | null): boolean {
  return char === ' ' || char === '\t' || char === '\n' || char === '\r';
}

/** After `[`: `name]` or `name "subsection"]`. A subsection in quotes keeps its case, one after a dot does not. */
function readSection(source: Source): string | null {
  let name = '';
  for (;;) {
    const char = source.next();
    if (char === ']') return name;
    if (isBlank(char)) return readSubsection(source, char, name);
    if (char === null || (char !== '.' && !KEY_CHARACTER.test(char))) return null;
    name += char.toLowerCase();
  }
}

function readSubsection(source: Source, blank: string | null, name: string): string | null {
  let char = blank;
  while (isBlank(char)) {
    if (char === '\n') return null;
    char = source.next();
  }
  if (char !== '"') return null;
  let whole = `${name}.`;
  for (;;) {
    char = source.next();
    if (char === '"') return source.next() === ']' ? whole : null;
    if (char === '\\') char = source.next();
    if (char === null || char === '\n') return null;
    whole += char;
  }
}

function readSetting(source: Source, first: string): { key: string; value: string | true } | null {
  let key = '';
  let char: string | null = first;
  for (; char !== null && KEY_CHARACTER.test(char); char = source.next()) key += char.toLowerCase();
  while (char === ' ' || char === '\t') char = source.next();
  if (char === null || char === '\n') return { key, value: true };
  const value = char === '=' ? readValue(source) : null;
  return value === null ? null : { key, value };
}

function readValue(source: Source): string | null {
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

/** git's reading of a boolean; null where the value is none. */
export function gitBoolean(value: string | true | undefined): boolean | null {
  if (value === undefined) return null;
  if (value === true) return true;
  const word = value.toLowerCase();
  if (word === 'true' || word === 'yes' || word === 'on') return true;
  if (word === 'false' || word === 'no' || word === 'off' || word === '') return false;
  return /^[+-]?\d+$/.test(word) ? Number(word) !== 0 : null;
}
