import type { Shapes } from '../verb.ts';

/** A root of the workspace as it is now. */
export function repositoryShape({ z, named, jsonName }: Shapes) {
  return named(
    'Repository',
    'A root of the workspace as it is now.',
    z.strictObject({
      path: jsonName.describe('the workspace itself is `""`'),
      kind: z.enum(['repository', 'folder']).describe('`folder`: a plain one, with no commit to compare with'),
      link: z
        .enum(['inside', 'worktree', 'submodule', 'elsewhere', 'around'])
        .nullable()
        .describe(
          'how the folder comes to its repository: a `.git` folder in it, a worktree or a submodule of another one, a `.git` ' +
            'that leads to a repository which does not know this folder, or one that encloses the workspace; null for a plain folder',
        ),
      branch: jsonName.nullable().describe('null when detached, unknown or no repository'),
      commit: z.string().nullable().describe('what HEAD stands on; null when unborn, unknown or no repository'),
      detached: z.boolean(),
      unborn: z.boolean().describe('the branch has no commit yet'),
      operation: z.string().nullable().describe('a rebase, merge, … in flight'),
      state: z
        .enum(['clean', 'dirty', 'unknown'])
        .describe('`unknown`: nothing that differs was found, and not all could be compared; plain folders are'),
      changed: z
        .int()
        .min(0)
        .nullable()
        .describe(
          'paths that differ from the commit, an untracked folder counting as one; null where nothing is known. With a `problem` there may be more',
        ),
      problem: z.string().nullable().describe('why not all could be read or compared'),
    }),
  );
}
