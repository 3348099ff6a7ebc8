import type { SyntaxProblem } from '../../facts.ts';
import { type Dialect, type Reading, readLisp } from './reader.ts';

/** Parentheses that do not match, in the line where it goes wrong: a definition usually begins in the first column. */
export function balanceProblems(text: string, dialect: Dialect, reading: Reading): SyntaxProblem[] {
  if (reading.endless !== null) return [{ line: reading.endless, message: 'This string or comment is never closed.' }];
  if (reading.surplus === null && reading.open.length === 0) return [];
  const again = readLisp(text, dialect, true);
  const problems = again.open
    .filter((list, index, all) => index === 0 || list.line !== all[index - 1]!.line)
    .slice(0, 1)
    .map((list) => ({
      line: lastLineOf(text, list),
      message: `The form that begins in line ${list.line} is never closed.`,
    }));
  if (problems.length > 0) return problems;
  return [{ line: again.surplus ?? reading.surplus ?? 1, message: 'Unexpected `)`.' }];
}

/** The last line of a form that is not empty: where parentheses lack. */
function lastLineOf(text: string, { line, endLine }: { readonly line: number; readonly endLine: number }): number {
  const lines = text.split('\n');
  let last = endLine > line ? endLine : line;
  while (last > line && /^\s*(?:;.*)?$/.test(lines[last - 1] ?? '')) last--;
  return last;
}
