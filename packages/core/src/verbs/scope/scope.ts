import { treePathOf } from '../../io/locate-path.ts';
import { exactName, type JsonName, type TreePath } from '../../model/names.ts';
import type { Savepoint } from '../../savepoint.ts';
import { nullIfNoWorkspace } from '../input/no-workspace.ts';
import { damagedToJson, scopeShape, scopeToJson } from '../shapes/scope-shape.ts';
import { type Shapes, type VerbContext, verb, withoutUndefined } from '../verb.ts';

const output = (shapes: Shapes) =>
  shapes.z.strictObject({
    scopes: shapes.z.array(scopeShape(shapes)),
    damaged: shapes.z.array(shapes.jsonName).describe('files of the store with a scope that cannot be read'),
  });

const session = ({ z }: Shapes) =>
  z
    .string()
    .optional()
    .describe(
      "the scope of this session: its id, or a unique prefix. Default: of the agent's own one; for a person, of the workspace",
    );

const WHAT =
  'A scope is the files and folders that an agent works with. If somebody else changes one of them, Savepoint tells the ' +
  'agent before it goes on. ';

export const scopeAdd = verb({
  name: 'scope add',
  summary: 'add files and folders to what an agent works with',
  description:
    `${WHAT}In the shell of an agent, the scope is that of its session. For you, it is that of the workspace, which ` +
    'counts for every session. A prompt that mentions `@path` adds the path to the scope of its session. Paths need not ' +
    'exist. What is not captured is not noticed.',
  changes: 'store',
  schemas: (shapes) => ({
    input: shapes.z.strictObject({ paths: shapes.z.array(shapes.jsonName).min(1), session: session(shapes) }),
    output: output(shapes),
  }),

  async handle(savepoint, { paths, session: named }, context) {
    const options = optionsOf(named, context);
    const { scopes } = await savepoint.addToScope(await treePaths(savepoint, paths, true), options);
    return { scopes: scopes.map((one) => scopeToJson(one, [])), damaged: [] };
  },
});

export const scopeDrop = verb({
  name: 'scope drop',
  summary: 'drop files and folders from what an agent works with',
  description:
    `${WHAT}Drops these paths, and those in the scope below them. With \`all\`, drops the entire scope, also if it cannot ` +
    'be read.',
  changes: 'store',
  schemas: (shapes) => ({
    input: shapes.z.strictObject({
      paths: shapes.z.array(shapes.jsonName).min(1).optional(),
      all: shapes.z.boolean().optional(),
      session: session(shapes),
    }),
    output: output(shapes),
  }),

  async handle(savepoint, { paths = [], all, session: named }, context) {
    const options = { ...optionsOf(named, context), ...withoutUndefined({ all }) };
    const { scopes } = await savepoint.dropFromScope(await treePaths(savepoint, paths, false), options);
    return { scopes: scopes.map((one) => scopeToJson(one, [])), damaged: [] };
  },
});

export const scopeList = verb({
  name: 'scope list',
  summary: 'show what agents work with, and what others changed there',
  description:
    `${WHAT}Lists each scope with what others changed in it and the agent does not know yet. In the shell of an agent, ` +
    'lists only its own scope and that of the workspace.',
  changes: 'nothing',
  schemas: (shapes) => ({ input: shapes.z.strictObject({ session: session(shapes) }), output: output(shapes) }),

  async handle(savepoint, { session: named }, context) {
    const report = await nullIfNoWorkspace(savepoint.scope(optionsOf(named, context)));
    if (report === null) return { scopes: [], damaged: [] };
    const { changed } = await savepoint.status(withoutUndefined({ signal: context.signal }));
    const since = changed?.changes.map(({ path }) => path) ?? [];
    return { scopes: report.scopes.map((one) => scopeToJson(one, since)), damaged: damagedToJson(report.damaged) };
  },
});

function optionsOf(named: string | undefined, { signal, toolCall }: VerbContext) {
  return withoutUndefined({ session: named, signal, toolCall });
}

async function treePaths(
  savepoint: Savepoint,
  paths: readonly JsonName[],
  orNew: boolean,
): Promise<readonly JsonName[]> {
  const place = await savepoint.place({ orNew });
  return paths.map((path) => exactName(treePathOf(place, path) as TreePath));
}
