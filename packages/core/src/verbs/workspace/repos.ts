import { nameToJson } from '../../model/names.ts';
import type { SurveyedRoot } from '../../workspace/survey/survey.ts';
import { repositoryShape } from '../shapes/repository-shape.ts';
import { given, verb } from '../verb.ts';

export const repos = verb({
  name: 'repos',
  summary: 'list the repositories of the workspace and how they stand',
  description:
    'Every root: the workspace itself, and every repository in it, however deep (submodules and worktrees included), ' +
    'with its branch, its commit, an operation in flight, and how many paths differ from that commit. Nothing is run ' +
    'and nothing is written: the files are compared with the index, by their content where their times prove nothing, ' +
    'and the index with the commit. Where git might convert a file before it compares, that is said instead of a guess.',
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
          .describe('folders that could not be looked into; repositories in them are not listed'),
        missing: z.array(jsonName).describe('folders that the configuration has for roots, and that are not there'),
      }),
    };
  },

  async handle(savepoint, _input, context) {
    const { root, roots, unreadable, missing } = await savepoint.repositories(given({ signal: context.signal }));
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
