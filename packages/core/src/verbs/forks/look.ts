/** Verbs that look at forks. */

import { treePathOf } from '../../io/locate-path.ts';
import { nameToJson } from '../../model/names.ts';
import { limitedTo } from '../input/paths.ts';
import { changesToJson, forkChecksToJson, forkShapes, forkToJson, printedToJson } from '../shapes/fork-shape.ts';
import { timeToJson } from '../shapes/to-json.ts';
import { verb, withoutUndefined } from '../verb.ts';

const MAX_COMPARED = 20;

/** In place of a fork: the folder of the workspace. No fork has this name. */
const WORKSPACE = '.';

export const forkList = verb({
  name: 'fork list',
  summary: 'list the forks of the workspace',
  description:
    'Lists the forks, oldest first, with where they left the workspace, what a merge would bring, the paths that several ' +
    'forks changed, and the commands that run in them. Dropped forks whose last state is kept are listed as well.',
  changes: 'nothing',
  schemas: (shapes) => {
    const { z } = shapes;
    return {
      input: z.strictObject({}),
      output: z.strictObject({
        forks: z.array(forkShapes(shapes).fork),
        dropped: z
          .array(
            z.strictObject({
              from: z.string().describe('what `fork create` takes as `from` to bring it back'),
              name: z.string(),
              time: z.string().describe('ISO 8601'),
            }),
          )
          .describe('the newest first'),
        warnings: z.array(z.string()).describe('forks that cannot be read'),
      }),
    };
  },
  async handle(savepoint, _input, { signal }) {
    const { forks, dropped, problems } = await savepoint.forks(withoutUndefined({ signal }));
    return {
      forks: forks.map((one) => forkToJson(one, forks)),
      dropped: dropped.map(({ from, name, time }) => ({ from, name, time: timeToJson(time) })),
      warnings: [...problems],
    };
  },
});

export const forkShow = verb({
  name: 'fork show',
  summary: 'show a fork: its folder, its commands and what a merge would bring',
  description: 'Shows one fork with its changes since it left the workspace, or since its last merge.',
  changes: 'nothing',
  schemas: (shapes) => {
    const { z, change, jsonName } = shapes;
    return {
      input: z.strictObject({
        name: z.string(),
        output: z.int().min(1).optional().describe('the number of a command: also show the end of what it has printed'),
      }),
      output: forkShapes(shapes).fork.extend({
        changes: z.array(change),
        printed: z
          .strictObject({
            number: z.int().min(1),
            text: jsonName.describe('at most the last 64 KB'),
            isCut: z.boolean().describe('there is more before it, in the file `output`'),
          })
          .nullable(),
      }),
    };
  },
  async handle(savepoint, { name, output }, { signal }) {
    const view = await savepoint.fork(name, withoutUndefined({ output, signal }));
    const { forks } = await savepoint.forks(withoutUndefined({ signal }));
    return {
      ...forkToJson(view, forks),
      changes: changesToJson(view).changes,
      printed: view.printed && printedToJson(view.printed),
    };
  },
});

export const forkDiff = verb({
  name: 'fork diff',
  summary: 'show what a merge of a fork would bring, or compare its files',
  description:
    'Compares the fork with where it left the workspace, or with what was merged last. With another fork, or `.` for the ' +
    'folder of the workspace as it is, it compares the files of both: the patch turns those of the first fork into the others. ' +
    'Ignored files are left out, unless their paths are named.',
  changes: 'nothing',
  schemas: (shapes) => {
    const { z, jsonName, totals } = shapes;
    return {
      input: z.strictObject({
        name: z.string(),
        other: z
          .string()
          .optional()
          .describe('compare the files with those of this fork; `.`: with those of the workspace'),
        paths: z.array(jsonName).min(1).optional().describe('only these paths and below'),
        patch: z.boolean().optional().describe('also return a patch'),
      }),
      output: z.strictObject({ ...forkShapes(shapes).changes, totals }),
    };
  },
  async handle(savepoint, { name, other, paths: wanted = [], patch }, { signal }) {
    const place = await savepoint.place();
    const paths = wanted.map((path) => treePathOf(place, path));
    const options = withoutUndefined({ ...limitedTo(paths), patch, signal });
    const difference =
      other === undefined
        ? (await savepoint.fork(name, options)).difference
        : await savepoint.diffForks(name, other === WORKSPACE ? null : other, options);
    return { ...changesToJson({ difference }), totals: { ...difference.totals } };
  },
});

export const forkCompare = verb({
  name: 'fork compare',
  summary: 'compare the changes of forks, and say whether they merge',
  description:
    'Shows forks side by side. For each, what a merge would bring, how its checks went last, and what conflicts with the workspace as it is. For ' +
    'each two, the paths that both change, and what would conflict if one were merged after the other. Without names, all forks are compared. Nothing is changed.',
  changes: 'nothing',
  schemas: (shapes) => {
    const { z, jsonName, totals } = shapes;
    const conflicts = z.array(z.strictObject({ path: jsonName, why: z.string() }));
    return {
      input: z.strictObject({
        names: z.array(z.string()).max(MAX_COMPARED).optional().describe('two or more; default: all forks'),
      }),
      output: z.strictObject({
        forks: z.array(
          z.strictObject({
            name: z.string(),
            state: z.enum(['unchanged', 'merged', 'changed']),
            totals: totals.describe('what a merge would bring'),
            checks: forkShapes(shapes).checks.nullable().describe('how its checks went last; null: they did not run'),
            conflicts: conflicts.describe('with the workspace as it is'),
          }),
        ),
        pairs: z.array(
          z.strictObject({
            forks: z.array(z.string()).describe('the two names'),
            common: z.array(jsonName).describe('paths that both change'),
            conflicts: conflicts.describe('only because the other one was merged before'),
          }),
        ),
        warnings: z.array(z.string()).describe('forks that were left out, and why'),
      }),
    };
  },
  async handle(savepoint, { names = [] }, { signal }) {
    const { forks, pairs, problems } = await savepoint.compareForks(names, withoutUndefined({ signal }));
    const conflictsToJson = (found: (typeof forks)[number]['conflicts']) =>
      found.map(({ path, why }) => ({ path: nameToJson(path), why }));
    return {
      forks: forks.map(({ name, state, difference, checks, conflicts }) => ({
        name,
        state,
        totals: { ...difference.totals },
        checks: forkChecksToJson({ checks }),
        conflicts: conflictsToJson(conflicts),
      })),
      pairs: pairs.map((pair) => ({
        forks: [...pair.forks],
        common: pair.common.map(nameToJson),
        conflicts: conflictsToJson(pair.conflicts),
      })),
      warnings: [...problems],
    };
  },
});

export const forkOpen = verb({
  name: 'fork open',
  summary: 'print the folder of a fork',
  description:
    'Returns the folder of a fork, to open it in an editor or to run commands in it. A fork that only ran commands may have ' +
    'none yet; it gets one, with everything that was done in it. It refuses while a command runs in such a fork.',
  changes: 'store',
  schemas: ({ z, jsonName }) => ({
    input: z.strictObject({ name: z.string() }),
    output: z.strictObject({ name: z.string(), folder: jsonName, notes: z.array(z.string()) }),
  }),
  async handle(savepoint, { name }, { signal }) {
    const { folder, notes } = await savepoint.openFork(name, withoutUndefined({ signal }));
    return { name, folder: nameToJson(folder), notes: [...notes] };
  },
});
