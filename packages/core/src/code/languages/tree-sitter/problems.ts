import type { SyntaxProblem } from '../../facts.ts';
import type { SyntaxTree } from './syntax-tree.ts';

const MOST_PROBLEMS = 20;
const MOST_QUOTED = 40;

/**
 * What does not fit the grammar.
 * @param isKnownGap whether the grammar is known not to know what is on this line, such as syntax that is newer than it
 */
export function syntaxProblems(tree: SyntaxTree, isKnownGap: (line: string) => boolean): SyntaxProblem[] {
  const errors = tree.errors.map((node) => ({
    line: tree.line(node),
    message: `Unexpected ${quoted(tree.textOf(node))}.`,
  }));
  const missing = tree.missing.map((node) => ({
    line: tree.line(node),
    message: `Expected ${quoted(tree.type(node))}.`,
  }));
  const all = [...errors, ...missing].sort((a, b) => a.line - b.line);
  // After one line that the grammar does not know, the parser may also be wrong about what follows.
  return all.some(({ line }) => isKnownGap(tree.textOfLine(line))) ? [] : all.slice(0, MOST_PROBLEMS);
}

function quoted(text: string): string {
  const first = text.trim().split('\n', 1)[0]!.trim();
  return `\`${first.length > MOST_QUOTED ? `${first.slice(0, MOST_QUOTED)}…` : first}\``;
}
