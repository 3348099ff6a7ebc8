import { treePathOf } from '../../io/locate-path.ts';
import { exactName, nameToJson, type TreePath, WORKSPACE_ITSELF } from '../../model/names.ts';
import type { Savepoint } from '../../savepoint.ts';
import type { FrozenPath } from '../../store/state/frozen.ts';
import { nullIfNoWorkspace } from '../input/no-workspace.ts';
import { scopeOf } from '../input/paths.ts';
import { timeToJson } from '../shapes/to-json.ts';
import { type Shapes, verb, withoutUndefined } from '../verb.ts';

const frozenList = ({ z, jsonName }: Shapes) =>
  z.array(z.strictObject({ path: jsonName.describe('`""` is the workspace itself'), since: z.iso.datetime() }));

export const freeze = verb({
  name: 'freeze',
  summary: 'stop agents from changing paths',
  description:
    'Agents can no longer change these paths or anything below them. Without paths, the current folder is frozen. ' +
    'Edits with the tools of an agent are refused before they happen. Changes that its shell commands make there are ' +
    'reverted when the call ends; checkpoints hold both states. Your own programs are not affected. Your own ' +
    'restore, undo and edit of a frozen path require `force`. The paths do not have to exist.',
  changes: 'store',
  schemas: (shapes) => ({
    input: shapes.z.strictObject({
      paths: shapes.z.array(shapes.jsonName).min(1).optional(),
      list: shapes.z.boolean().optional().describe('only list the frozen paths'),
    }),
    output: shapes.z.strictObject({ frozen: frozenList(shapes).describe('all paths that are frozen now') }),
  }),

  async handle(savepoint, { paths, list }, { signal }) {
    if (list === true) return { frozen: toJson((await nullIfNoWorkspace(savepoint.frozen())) ?? []) };
    const place = await savepoint.place({ orNew: true });
    const chosen = scopeOf(place, paths ?? []);
    const all = await savepoint.freeze(
      (chosen.length === 0 ? [WORKSPACE_ITSELF] : chosen).map(exactName),
      withoutUndefined({ signal }),
    );
    return { frozen: toJson(all) };
  },
});

export const unfreeze = verb({
  name: 'unfreeze',
  summary: 'let agents change paths again',
  description:
    'Unfreezes these paths and all frozen paths below them. Without paths, the current folder is unfrozen. A path ' +
    'inside a frozen folder stays frozen and is listed.',
  changes: 'store',
  schemas: (shapes) => ({
    input: shapes.z.strictObject({ paths: shapes.z.array(shapes.jsonName).min(1).optional() }),
    output: shapes.z.strictObject({
      frozen: frozenList(shapes).describe('all paths that are still frozen'),
      stillFrozen: shapes.z
        .array(shapes.z.strictObject({ path: shapes.jsonName, by: shapes.jsonName }))
        .describe('given paths that are inside a frozen folder'),
    }),
  }),

  async handle(savepoint, { paths }, { signal }) {
    const place = await savepoint.place();
    const wanted = (paths ?? []).map((path) => treePathOf(place, path));
    const chosen = wanted.length === 0 ? [place.folder] : wanted;
    const frozen = await savepoint.unfreeze(chosen.map(exactName), withoutUndefined({ signal }));
    return { frozen: toJson(frozen), stillFrozen: await stillFrozen(savepoint, chosen) };
  },
});

async function stillFrozen(savepoint: Savepoint, paths: readonly TreePath[]) {
  const hit = await savepoint.frozenBy(paths.map(exactName));
  return hit.map(({ path, frozen }) => ({ path: nameToJson(path), by: nameToJson(frozen) }));
}

function toJson(frozen: readonly FrozenPath[]) {
  return frozen.map(({ path, since }) => ({ path: nameToJson(path), since: timeToJson(since) }));
}
