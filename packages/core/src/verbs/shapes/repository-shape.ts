import type { Shapes } from '../verb.ts';

/** The current state of a root of the workspace. */
export function repositoryShape({ z, named, jsonName }: Shapes) {
  return named(
    'Repository',
    'The current state of a root of the workspace.',
    z.strictObject({
      path: jsonName.describe('`""` is the workspace itself'),
      kind: z.enum(['repository', 'folder']).describe('`folder`: a plain folder, with no commit to compare with'),
      link: z
        .enum(['inside', 'worktree', 'submodule', 'elsewhere', 'around'])
        .nullable()
        .describe(
          'how the folder belongs to its repository: it has a `.git` folder (`inside`), is a worktree or a submodule of ' +
            'another repository, has a `.git` that points to a repository that does not know this folder (`elsewhere`), or ' +
            'is inside a repository that encloses the workspace (`around`); null for a plain folder',
        ),
      branch: jsonName.nullable().describe('null if detached, unknown or not a repository'),
      commit: z.string().nullable().describe('the commit of HEAD; null if unborn, unknown or not a repository'),
      detached: z.boolean(),
      unborn: z.boolean().describe('the branch has no commit yet'),
      operation: z.string().nullable().describe('a rebase, merge, … in progress'),
      state: z
        .enum(['clean', 'dirty', 'unknown'])
        .describe('`unknown`: no difference was found, but not everything could be compared; always for plain folders'),
      changed: z
        .int()
        .min(0)
        .nullable()
        .describe(
          'number of paths that differ from the commit; an untracked folder counts as one. Null if unknown. With a `problem` there may be more',
        ),
      problem: z.string().nullable().describe('why not everything could be read or compared'),
    }),
  );
}
