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

const SECTION = /^\[[ \t]*([A-Za-z0-9.-]+)(?:[ \t]+"((?:[^"\\\n]|\\[^\n])*)")?[ \t]*\]/;
const KEY = /^([A-Za-z][A-Za-z0-9-]*)[ \t]*/;
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', b: '\b', '\\': '\\', '"': '"' };

/** @param text the file, one character per byte */
export function parseGitConfig(text: string): GitConfig {
  const values = new Map<string, string | true>();
  const lines = text.replace(/^\xef\xbb\xbf/, '').split('\n');
  let section: string | null = null;
  for (let at = 0; at < lines.length; at++) {
    const begun = at;
    let line = withoutReturn(lines[at] as string).trimStart();
    const header = SECTION.exec(line);
    if (header !== null) {
      section = sectionName(header[1] as string, header[2]);
      line = line.slice(header[0].length).trimStart();
    }
    if (line === '' || line.startsWith('#') || line.startsWith(';')) continue;
    const key = KEY.exec(line);
    if (key === null || section === null) return { values, brokenAt: begun + 1 };
    const name = `${section}.${(key[1] as string).toLowerCase()}`;
    const rest = line.slice(key[0].length);
    if (rest === '' || rest.startsWith('#') || rest.startsWith(';')) {
      values.set(name, true);
      continue;
    }
    if (!rest.startsWith('=')) return { values, brokenAt: begun + 1 };
    const value = parseValue(rest.slice(1), () => {
      at += 1;
      const next = lines[at];
      return next === undefined ? null : withoutReturn(next);
    });
    if (value === null) return { values, brokenAt: begun + 1 };
    values.set(name, value);
  }
  return { values, brokenAt: null };
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

/** A subsection in quotes keeps its case; one written with a dot does not. */
function sectionName(name: string, subsection: string | undefined): string {
  const lower = name.toLowerCase();
  return subsection === undefined ? lower : `${lower}.${subsection.replace(/\\(.)/g, '$1')}`;
}

/** @param nextLine the line after a `\` at a line's end; null at the end of the file */
function parseValue(first: string, nextLine: () => string | null): string | null {
  let line = first.trimStart();
  let value = '';
  let blanks = '';
  let quoted = false;
  for (let at = 0; at < line.length; at++) {
    let char = line[at] as string;
    if (char === '"') {
      quoted = !quoted;
      value += blanks;
      blanks = '';
      continue;
    }
    if (!quoted && (char === '#' || char === ';')) break;
    if (!quoted && (char === ' ' || char === '\t')) {
      // Blanks count only if something follows them.
      if (value !== '') blanks += char;
      continue;
    }
    if (char === '\\') {
      at += 1;
      if (at === line.length) {
        const next = nextLine();
        if (next === null) return null;
        line = next;
        at = -1;
        continue;
      }
      const escaped = ESCAPES[line[at] as string];
      if (escaped === undefined) return null;
      char = escaped;
    }
    value += blanks + char;
    blanks = '';
  }
  return quoted ? null : value;
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}
