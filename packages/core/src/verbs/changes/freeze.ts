import { treePathOf } from '../../io/given-path.ts';
import { nameToJson, type TreePath, WORKSPACE_ITSELF } from '../../model/names.ts';
import type { Savepoint } from '../../savepoint.ts';
import type { FrozenPath } from '../../store/state/frozen.ts';
import { orNone } from '../given/no-workspace.ts';
import { scopeOf } from '../given/paths.ts';
import { timeToJson } from '../shapes/to-json.ts';
import { given, type Shapes, verb } from '../verb.ts';

const frozenList = ({ z, jsonName }: Shapes) =>
  z.array(z.strictObject({ path: jsonName.describe('`""` is the workspace itself'), since: z.iso.datetime() }));

export const freeze = verb({
  name: 'freeze',
  summary: 'keep agents from changing paths',
  description:
    'From now on agents cannot change these paths and what is below them; without paths the current folder. An edit that an ' +
    'agent declares is refused, and what its shell changes there is put back when the call ends; checkpoints have both. ' +
    'Your own programs change what they like; your own restore, undo and edit there have to be forced. The paths need not ' +
    'exist.',
  changes: 'store',
  schemas: (shapes) => ({
    input: shapes.z.strictObject({
      paths: shapes.z.array(shapes.jsonName).optional(),
      list: shapes.z.boolean().optional().describe('change nothing, only say what is frozen'),
    }),
    output: shapes.z.strictObject({ frozen: frozenList(shapes).describe('all that is frozen now') }),
  }),

  async handle(savepoint, { paths, list }, { signal }) {
    if (list === true) return { frozen: toJson((await orNone(savepoint.frozen())) ?? []) };
    const place = await savepoint.place({ orNew: true });
    const chosen = scopeOf(place, paths ?? []);
    const all = await savepoint.freeze(chosen.length === 0 ? [WORKSPACE_ITSELF] : chosen, given({ signal }));
    return { frozen: toJson(all) };
  },
});

export const unfreeze = verb({
  name: 'unfreeze',
  summary: 'let agents change paths again',
  description:
    'Ends the freezing of these paths and of all frozen ones below them; without paths of the current folder. A path that ' +
    'lies in a frozen folder stays frozen with it, and is named.',
  changes: 'store',
  schemas: (shapes) => ({
    input: shapes.z.strictObject({ paths: shapes.z.array(shapes.jsonName).optional() }),
    output: shapes.z.strictObject({
      frozen: frozenList(shapes).describe('all that is frozen still'),
      stillFrozen: shapes.z
        .array(shapes.z.strictObject({ path: shapes.jsonName, by: shapes.jsonName }))
        .describe('given paths that something frozen holds'),
    }),
  }),

  async handle(savepoint, { paths }, { signal }) {
    const place = await savepoint.place();
    const wanted = (paths ?? []).map((path) => treePathOf(place, path));
    const chosen = wanted.length === 0 ? [place.folder] : wanted;
    const frozen = await savepoint.unfreeze(chosen, given({ signal }));
    return { frozen: toJson(frozen), stillFrozen: await stillFrozen(savepoint, chosen) };
  },
});

async function stillFrozen(savepoint: Savepoint, paths: readonly TreePath[]) {
  const hit = await savepoint.frozenBy(paths);
  return hit.map(({ path, frozen }) => ({ path: nameToJson(path), by: nameToJson(frozen) }));
}

function toJson(frozen: readonly FrozenPath[]) {
  return frozen.map(({ path, since }) => ({ path: nameToJson(path), since: timeToJson(since) }));
}
