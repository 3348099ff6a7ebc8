import type { SyntaxProblem } from '../../facts.ts';

const CLOSING: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

/** Comments, literals (also raw ones), directives with their continued lines, brackets. */
const TOKEN =
  /\/\/(?:\\\r?\n|[^\n])*|\/\*[\s\S]*?(?:\*\/|(?![\s\S]))|R"([^\s()\\]{0,16})\([\s\S]*?\)\1"|"(?:\\[\s\S]|[^"\\\n])*"?|'(?:\\[\s\S]|[^'\\\n]){1,8}'|^[ \t]*#(?:\\\r?\n|\/\*[\s\S]*?\*\/|[^\n])*|[()[\]{}]/gm;

/**
 * Brackets that do not match. Macros are not expanded here, so what does not fit the grammar is not an error in C; but
 * brackets nearly always match. Nothing is said of files where they depend on conditions of the preprocessor.
 */
export function unbalancedBrackets(text: string): SyntaxProblem[] {
  const open: { readonly bracket: string; readonly at: number }[] = [];
  /** How many brackets were open at the `#if`s around. */
  const conditions: number[] = [];
  for (const match of text.matchAll(TOKEN)) {
    const [token] = match;
    const directive = /^\s*#\s*(if|ifdef|ifndef|else|elif|elifdef|elifndef|endif)\b/.exec(token)?.[1];
    if (directive !== undefined) {
      if (directive.startsWith('if')) conditions.push(open.length);
      else if (conditions.length === 0 || conditions.at(-1) !== open.length) return [];
      if (directive === 'endif') conditions.pop();
      continue;
    }
    if (CLOSING[token] !== undefined) open.push({ bracket: token, at: match.index });
    else if (/^[)\]}]$/.test(token)) {
      const last = open.pop();
      if (last === undefined) return [problem(text, match.index, `Unexpected \`${token}\`.`)];
      if (CLOSING[last.bracket] !== token) {
        const message = `\`${last.bracket}\` in line ${lineAt(text, last.at)} is closed by \`${token}\`.`;
        return [problem(text, match.index, message)];
      }
      if (conditions.length > 0 && open.length < conditions.at(-1)!) return [];
    }
  }
  const last = open.at(-1);
  return last === undefined ? [] : [problem(text, last.at, `\`${last.bracket}\` is never closed.`)];
}

function problem(text: string, at: number, message: string): SyntaxProblem {
  return { line: lineAt(text, at), message };
}

function lineAt(text: string, at: number): number {
  return text.slice(0, at).split('\n').length;
}
