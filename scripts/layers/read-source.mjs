// @ts-check
/**
 * Reads a TypeScript file far enough to check rules on it: its imports, and its code. Comments and the contents of
 * strings, templates and regular expressions are replaced with blanks of the same length. All positions in the code
 * stay the same.
 */

/**
 * @typedef {{ readonly specifier: string | null, readonly names: readonly string[], readonly line: number }} Import
 * `specifier` is null if it is computed; `names` are the imported names as exported by the other module.
 * @typedef {{ readonly code: string, readonly imports: readonly Import[] }} Source
 */

/** After one of these words a slash starts a regular expression. After any other word it is a division. */
const WORDS_BEFORE_REGEX = new Set([
  'return',
  'typeof',
  'case',
  'in',
  'of',
  'do',
  'else',
  'void',
  'delete',
  'throw',
  'new',
  'await',
  'yield',
]);

/**
 * @param {string} text
 * @returns {string}
 */
export function blankNonCode(text) {
  const out = text.split('');
  /** Brace depth at which each open `${` ends. @type {number[]} */
  const templates = [];
  let depth = 0;
  let at = 0;

  /** @param {number} from @param {number} to */
  const blank = (from, to) => {
    for (let i = from; i < to; i++) if (out[i] !== '\n') out[i] = ' ';
  };

  /**
   * Reads template text from `start` to the closing backtick or the next `${`. Returns the position where code
   * continues.
   */
  const template = (/** @type {number} */ start) => {
    let i = start;
    while (i < text.length) {
      if (text[i] === '\\') i += 2;
      else if (text[i] === '`') {
        blank(start, i);
        return i + 1;
      } else if (text[i] === '$' && text[i + 1] === '{') {
        blank(start, i);
        templates.push(depth);
        depth += 1;
        return i + 2;
      } else i += 1;
    }
    blank(start, i);
    return i;
  };

  while (at < text.length) {
    const here = text[at];
    if (here === '/' && (text[at + 1] === '/' || text[at + 1] === '*')) {
      const line = text[at + 1] === '/';
      const found = text.indexOf(line ? '\n' : '*/', at + 2);
      const end = found < 0 ? text.length : line ? found : found + 2;
      blank(at, end);
      at = end;
    } else if (here === "'" || here === '"') {
      let end = at + 1;
      while (end < text.length && text[end] !== here && text[end] !== '\n') end += text[end] === '\\' ? 2 : 1;
      blank(at + 1, end);
      at = end + 1;
    } else if (here === '`') {
      at = template(at + 1);
    } else if (here === '/' && regexMayStart(out, at)) {
      const end = regexEnd(text, at);
      blank(at + 1, end - 1);
      at = end;
    } else {
      if (here === '{') depth += 1;
      if (here === '}') {
        depth -= 1;
        if (templates.at(-1) === depth) {
          templates.pop();
          at = template(at + 1);
          continue;
        }
      }
      at += 1;
    }
  }
  return out.join('');
}

/**
 * @param {readonly string[]} code blanked up to `at`
 * @param {number} at
 */
function regexMayStart(code, at) {
  let i = at - 1;
  while (i >= 0 && /\s/.test(code[i] ?? '')) i -= 1;
  if (i < 0) return true;
  if (!/[\w$)\]}'"`]/.test(code[i] ?? '')) return true;
  if (!/[\w$]/.test(code[i] ?? '')) return false;
  let start = i;
  while (start > 0 && /[\w$]/.test(code[start - 1] ?? '')) start -= 1;
  return WORDS_BEFORE_REGEX.has(code.slice(start, i + 1).join(''));
}

/**
 * @param {string} text
 * @param {number} start
 */
function regexEnd(text, start) {
  let inClass = false;
  for (let i = start + 1; i < text.length && text[i] !== '\n'; i++) {
    if (text[i] === '\\') i += 1;
    else if (text[i] === '[') inClass = true;
    else if (text[i] === ']') inClass = false;
    else if (text[i] === '/' && !inClass) return i + 1;
  }
  return start + 1;
}

const IMPORTS = [
  // import … from 'x', export … from 'x'
  /(?<![.\w$#])(?:import|export)\b(?<names>(?:(?!\b(?:import|export)\b)[^'"`;()=])*?)\bfrom\s*(?<quote>['"])/g,
  // import 'x'
  /(?<![.\w$#])import\s*(?<quote>['"])/g,
  // import('x'), also in types; require('x')
  /(?<![.\w$#])(?:import|require)\s*\(\s*(?<quote>['"`])?/g,
];

/**
 * @param {string} text
 * @returns {Source}
 */
export function readSource(text) {
  const code = blankNonCode(text);
  /** @type {Import[]} */
  const imports = [];
  for (const pattern of IMPORTS) {
    for (const match of code.matchAll(pattern)) {
      const start = match.index + match[0].length;
      const quote = match.groups?.['quote'];
      const specifier = quote === undefined || quote === '`' ? null : text.slice(start, text.indexOf(quote, start));
      imports.push({ specifier, names: importedNames(match.groups?.['names'] ?? ''), line: lineAt(text, match.index) });
    }
  }
  return { code, imports };
}

/** @param {string} clause the text between `import` and `from` */
function importedNames(clause) {
  const braces = /\{([^}]*)\}/.exec(clause)?.[1] ?? '';
  const names = braces
    .split(',')
    .map(
      (part) =>
        part
          .trim()
          .replace(/^type\s+/, '')
          .split(/\s+as\s+/)[0] ?? '',
    )
    .filter((name) => name !== '');
  return clause.includes('*') ? [...names, '*'] : names;
}

/**
 * @param {string} text
 * @param {number} position
 */
export function lineAt(text, position) {
  let line = 1;
  for (let i = text.indexOf('\n'); i >= 0 && i < position; i = text.indexOf('\n', i + 1)) line += 1;
  return line;
}
