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

/** Whether they are facts of a file that cannot be understood, without a problem that says so. */
export function isUnread({ hasHiddenExports, ...facts }: FileFacts): boolean {
  const { imports, exports, definitions, uses, memberUses, problems } = facts;
  return (
    hasHiddenExports && [imports, exports, definitions, uses, memberUses, problems].every((one) => one.length === 0)
  );
}
