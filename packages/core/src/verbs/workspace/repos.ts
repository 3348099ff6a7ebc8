import { nameToJson } from '../../model/names.ts';
import type { SurveyedRoot } from '../../workspace/survey/survey.ts';
import { repositoryShape } from '../shapes/repository-shape.ts';
import { verb, withoutUndefined } from '../verb.ts';

export const repos = verb({
  name: 'repos',
  summary: 'list the repositories of the workspace and their state',
  description:
    'Lists all roots: the workspace itself and every repository in it at any depth, including submodules and ' +
    'worktrees. For each, shows branch, commit, operation in progress (rebase, merge, …) and the number of paths ' +
    'that differ from the commit. Runs no program and writes nothing: it compares files with the index, by content ' +
    'if timestamps are not enough, and the index with the commit. If git might convert a file before comparing it, ' +
    'the state is unknown.',
  changes: 'nothing',
  schemas: (shapes) => {
    const { z, jsonName } = shapes;
    return {
      input: z.strictObject({}),
      output: z.strictObject({
        workspace: jsonName,
        repositories: z.array(repositoryShape(shapes)),
        unreadable: z
          .array(z.strictObject({ path: jsonName, code: z.string().describe("the system's error code") }))
          .describe('folders that could not be read; repositories in them are not listed'),
        missing: z.array(jsonName).describe('roots in the configuration that do not exist'),
      }),
    };
  },

  async handle(savepoint, _input, context) {
    const { root, roots, unreadable, missing } = await savepoint.repositories(
      withoutUndefined({ signal: context.signal }),
    );
    return {
      workspace: nameToJson(root),
      repositories: roots.map(repositoryToJson),
      unreadable: unreadable.map(({ path, code }) => ({ path: nameToJson(path), code })),
      missing: missing.map(nameToJson),
    };
  },
});

export function repositoryToJson({ root, link, detached, unborn, work }: SurveyedRoot) {
  const { path, kind, branch, commit, operation } = root;
  const isPlain = kind === 'folder';
  return {
    path: nameToJson(path),
    kind,
    link,
    branch: branch === null ? null : nameToJson(branch),
    commit,
    detached,
    unborn,
    operation,
    state: work.state,
    changed: isPlain || (work.state === 'unknown' && work.changes.length === 0) ? null : work.changes.length,
    problem: work.problems.length === 0 ? null : work.problems.join('; '),
  };
}
