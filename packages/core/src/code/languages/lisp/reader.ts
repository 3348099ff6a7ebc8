/** A reader of Lisp: lists, symbols and strings with their places. It evaluates nothing. */

export type Form = LispList | Atom;

export interface Atom {
  readonly kind: 'symbol' | 'string' | 'other';
  /** Symbols of Common Lisp in lower case; strings without quotes. */
  readonly text: string;
  /** From 1. */
  readonly line: number;
}

export interface LispList {
  readonly kind: 'list';
  readonly items: Form[];
  readonly line: number;
  endLine: number;
  /** In which column it begins, from 0. */
  readonly column: number;
}

export interface Reading {
  /** The forms at the level of the file. */
  readonly forms: readonly Form[];
  /** Lists that are not closed, the outermost first. */
  readonly open: readonly LispList[];
  /** The line of the first closing parenthesis without an opening one. */
  readonly surplus: number | null;
  /** The line in which a string or comment begins that is not closed. */
  readonly endless: number | null;
}

export type Dialect = 'common-lisp' | 'emacs-lisp';

const TOKENS: Readonly<Record<Dialect, RegExp>> = {
  'common-lisp':
    /;[^\n]*|#\|(?:[^|#]|\|(?!#)|#(?!\|))*|"(?:\\[\s\S]|[^"\\])*"?|#\\(?:[A-Za-z][\w-]*|[\s\S])|[()]|#?['`]|,@?|#[+\-.:*]?(?=[^\s])|(?:\|[^|]*\||\\[\s\S]|[^\s()"';`,|\\])+|\|#/g,
  'emacs-lisp':
    /;[^\n]*|"(?:\\[\s\S]|[^"\\])*"?|\?(?:\\(?:[CMSHAs]-(?:\\[\s\S]|[^\s])|\^.|[\s\S])|[\s\S])|[()[\]]|#?['`]|,@?|#(?=[s[(&])|(?:\\[\s\S]|[^\s()[\]"';`,\\])+/g,
};

/**
 * @param recovers whether a definition at the beginning of a line ends all lists that are open: for a text that is known
 *   not to be balanced
 */
export function readLisp(text: string, dialect: Dialect, recovers: boolean): Reading {
  const forms: Form[] = [];
  const open: LispList[] = [];
  const unclosed: LispList[] = [];
  let surplus: number | null = null;
  let endless: number | null = null;
  let line = 1;
  let lineStart = 0;
  let counted = 0;
  const add = (form: Form) => (open.at(-1)?.items ?? forms).push(form);
  const token = new RegExp(TOKENS[dialect]);
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    for (let at = text.indexOf('\n', counted); at >= 0 && at < match.index; at = text.indexOf('\n', counted)) {
      line++;
      lineStart = counted = at + 1;
    }
    const [found] = match;
    if (found.startsWith('#|') && dialect === 'common-lisp') {
      const end = endOfComment(text, match.index);
      if (end < 0) endless ??= line;
      token.lastIndex = end < 0 ? text.length : end;
    } else if (found === '(' || found === '[') {
      const column = match.index - lineStart;
      if (
        recovers &&
        column === 0 &&
        open.length > 0 &&
        /^\(def|^\(in-package|^\(provide/.test(text.slice(match.index, match.index + 12))
      ) {
        unclosed.push(open[0]!);
        for (const list of open) list.endLine = line - 1;
        open.length = 0;
      }
      const list: LispList = { kind: 'list', items: [], line, endLine: line, column };
      add(list);
      open.push(list);
    } else if (found === ')' || found === ']') {
      const list = open.pop();
      if (list === undefined) surplus ??= line;
      else list.endLine = line;
    } else if (found.startsWith('"')) {
      if (found.length < 2 || !found.endsWith('"') || /(?:^|[^\\])(?:\\\\)*\\"$/.test(found)) endless ??= line;
      add({ kind: 'string', text: found.slice(1, -1), line });
    } else if (!/^(?:;|#?['`]|,@?|#[+\-.:*]?$|\|#)/.test(found)) add(atomOf(found, dialect, line));
  }
  return { forms, open: [...unclosed, ...open], surplus, endless };
}

/** Comments nest. */
function endOfComment(text: string, start: number): number {
  let depth = 0;
  const mark = /#\||\|#/g;
  mark.lastIndex = start;
  for (let match = mark.exec(text); match !== null; match = mark.exec(text)) {
    depth += match[0] === '#|' ? 1 : -1;
    if (depth === 0) return mark.lastIndex;
  }
  return -1;
}

function atomOf(text: string, dialect: Dialect, line: number): Atom {
  const isCharacter = dialect === 'common-lisp' ? text.startsWith('#\\') : text.startsWith('?');
  if (isCharacter || /^[-+]?\.?\d/.test(text) || text === '.') return { kind: 'other', text, line };
  return { kind: 'symbol', text: dialect === 'common-lisp' ? text.toLowerCase() : text, line };
}
