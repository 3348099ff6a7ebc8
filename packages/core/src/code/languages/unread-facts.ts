import type { FileFacts, SyntaxProblem } from '../facts.ts';

/** The facts of a file that cannot be understood: nothing is said of it but its problems. */
export function unreadFacts(language: string, problems: readonly SyntaxProblem[] = []): FileFacts {
  return {
    language,
    imports: [],
    exports: [],
    hasHiddenExports: true,
    definitions: [],
    uses: [],
    memberUses: [],
    problems,
  };
}
