import { treePathOf } from '../../io/locate-path.ts';
import type { Grade } from '../../model/checkpoint.ts';
import { SavepointError } from '../../model/errors.ts';
import { type ChangeId, changeId, hunkId, parseChangeId, parseHunkId } from '../../model/ids.ts';
import { exactName, type JsonName, nameToJson } from '../../model/names.ts';
import type { RollbackPreview } from '../../rewind/rollback.ts';
import type { SelectedLines, Selection } from '../../rewind/selection.ts';
import type { Savepoint } from '../../savepoint.ts';
import type { NumberedHunk } from '../../timeline/diff/hunks.ts';
import { conflictChoicesOf } from '../input/conflict-choices.ts';
import { filesOutcomeToJson, openCallToJson, operationToJson, sidesToJson } from '../shapes/to-json.ts';
import { type OrUndefined, verb, withoutUndefined } from '../verb.ts';

export const rollback = verb({
  name: 'rollback',
  summary: 'roll back selected changes and keep all later ones',
  description:
    'Selects changes by id, agent, session, call, time or path (a change must match all given filters) and reverts ' +
    'them by a three-way merge into the current files, so that later changes are kept. A created file is deleted ' +
    'only if its content is still what the change left. A deleted file is restored unless something else is at its ' +
    'path. Renames are followed. If a change does not merge, that is a conflict and nothing is changed.\n\nIf you ' +
    'select by time or path alone, only changes of agents are rolled back. Only changes whose author is sure are rolled ' +
    'back. A change made while a shell command of the agent ran is only likely by the agent, because you may have saved ' +
    'a file at the same time. Such changes, and those that more than one author may have made, are skipped and listed ' +
    'unless you include them. A change that you name by its id is reverted even if it is only likely. `undo` reverts a ' +
    'rollback.\n\nSelected lines of any author are rolled back, and no others: to what they were before the changes ' +
    'that wrote them or, with `after`, to what they were then.',
  changes: 'files',
  schemas: ({ z, authorScope, jsonName, changeId: id, hunkId: hunk, rolledBack, conflictFields }) => ({
    input: z.strictObject({
      changes: z.array(z.string()).min(1).optional().describe('only these changes, such as `cp_12.3`'),
      hunks: z
        .array(z.string())
        .min(1)
        .optional()
        .describe('only these hunks, such as `cp_12.3:2`; a dry run lists them'),
      scope: authorScope.optional(),
      agent: z
        .string()
        .optional()
        .describe('only changes of this agent; also `user`, `outside`, `agent` (any), `name/id` for a sub-agent'),
      session: z.string().optional().describe('only changes of this session: its id, or a unique prefix'),
      call: z
        .string()
        .optional()
        .describe("only changes of this tool call: the agent's own id of the call, or a unique prefix"),
      after: z.string().optional().describe('only changes after this: a checkpoint, a date, or `10 minutes ago`'),
      paths: z.array(jsonName).min(1).optional().describe('only these paths and below'),
      lines: z
        .array(
          z.strictObject({
            path: jsonName,
            first: z.int().min(1),
            last: z.int().min(1),
            side: z
              .enum(['before', 'after'])
              .optional()
              .describe('`before`: lines of the state `after`, which come back'),
          }),
        )
        .min(1)
        .max(10_000)
        .optional()
        .describe('only these lines; only with `after` and `at`'),
      at: z.string().optional().describe('the checkpoint in which the lines are counted; default: the current files'),
      root: jsonName.optional().describe('only changes in this repository, without nested ones'),
      likely: z
        .boolean()
        .optional()
        .describe('also changes that are only likely by the chosen authors: made while one of their calls ran'),
      includeShared: z
        .boolean()
        .optional()
        .describe('also changes that may be from other authors; includes likely ones'),
      ...conflictFields,
      force: z.boolean().optional().describe('proceed even if an open call may write the same files'),
      dryRun: z.boolean().optional().describe('only preview what would happen'),
      expected: z.string().optional().describe('the fingerprint of the preview that the user accepted'),
    }),
    output: rolledBack.extend({
      changes: z.array(z.union([id, hunk])).describe('the changes that were rolled back, or would be'),
    }),
  }),

  status: ({ dryRun, outcome, skipped, incomplete }) => {
    if (dryRun) return outcome === 'conflict' ? 3 : 0;
    return skipped.some(({ grade }) => grade !== null) || incomplete.length > 0 ? 5 : 0;
  },

  async handle(savepoint, input, context) {
    const { signal, toolCall } = context;
    const own = input.scope === 'own' ? await savepoint.caller(withoutUndefined({ toolCall })) : undefined;
    const selection = { ...(await selectionOf(savepoint, input)), ...withoutUndefined({ own }) };
    const { likely, includeShared, force, expected } = input;
    const least: Grade = includeShared === true ? 'open' : likely === true ? 'likely' : 'sure';
    const choices = await conflictChoicesOf(savepoint, input);
    const options = { ...withoutUndefined({ least, force, expected, signal, toolCall }), ...choices };
    const seen =
      input.dryRun === true
        ? await savepoint.previewRollback(selection, options)
        : await savepoint.rollback(selection, options);
    return { ...operationToJson(seen, []), ...filesOutcomeToJson(seen), ...rollbackToJson(seen.details) };
  },
});

interface SelectionInput {
  readonly scope?: 'own' | 'all' | undefined;
  readonly changes?: readonly string[] | undefined;
  readonly hunks?: readonly string[] | undefined;
  readonly agent?: string | undefined;
  readonly session?: string | undefined;
  readonly call?: string | undefined;
  readonly after?: string | undefined;
  readonly paths?: readonly JsonName[] | undefined;
  readonly root?: JsonName | undefined;
  readonly lines?: readonly OrUndefined<SelectedLines>[] | undefined;
  readonly at?: string | undefined;
}

async function selectionOf(savepoint: Savepoint, input: SelectionInput): Promise<Selection> {
  const { agent, session, call, after, at, lines = [] } = input;
  const [wanted, changes, hunks] = [input.paths ?? [], input.changes ?? [], input.hunks ?? []];
  if (
    ![agent, session, call, after, input.root].some((one) => one !== undefined) &&
    input.scope !== 'own' &&
    wanted.length + changes.length + hunks.length + lines.length === 0
  ) {
    throw new SavepointError(
      'USAGE',
      'Nothing is selected.',
      {},
      { hint: 'Selectors: --change, --hunk, --agent, --session, --call, --after, --file, --root, --lines.' },
    );
  }
  const isPlaceNeeded = wanted.length + lines.length > 0 || input.root !== undefined;
  const place = isPlaceNeeded ? await savepoint.place() : null;
  return withoutUndefined({
    changes: changes.length === 0 ? undefined : changes.map(changeOf),
    hunks: hunks.length === 0 ? undefined : hunks.map(hunkOf),
    agent,
    session,
    call,
    after: after === undefined ? undefined : await savepoint.moment(after),
    files: place === null || wanted.length === 0 ? undefined : wanted.map((path) => exactName(treePathOf(place, path))),
    at,
    lines:
      place === null || lines.length === 0
        ? undefined
        : lines.map(({ path, first, last, side }) => ({
            path: exactName(treePathOf(place, path)),
            first,
            last,
            ...withoutUndefined({ side }),
          })),
    root: place === null || input.root === undefined ? undefined : exactName(treePathOf(place, input.root)),
  });
}

function changeOf(text: string): ChangeId {
  const found = parseChangeId(text);
  if (found !== null) return changeId(found.checkpoint, found.place);
  throw new SavepointError(
    'BAD_ID',
    `${JSON.stringify(text)} is not the id of a change.`,
    { given: text },
    { hint: 'The id of a change looks like cp_12.3: the third change that `savepoint show cp_12` lists.' },
  );
}

function hunkOf(text: string): { readonly change: ChangeId; readonly hunk: number } {
  const found = parseHunkId(text);
  if (found !== null) return found;
  throw new SavepointError(
    'BAD_ID',
    `${JSON.stringify(text)} is not the id of a hunk.`,
    { given: text },
    { hint: 'The id of a hunk looks like cp_12.3:2; `savepoint rollback --change cp_12.3 --dry-run` lists them.' },
  );
}

/** The most characters shown of a hunk. */
const SHOWN_CHARACTERS = 4_000;

function rollbackToJson({ rolledBack, results, skipped, openCalls: open, hunks, incomplete }: RollbackPreview) {
  return {
    changes: [...rolledBack],
    results: results.map(({ path, result, why, changes, sides }) => ({
      path: nameToJson(path),
      result,
      why,
      changes: [...changes],
      sides: sidesToJson(sides),
    })),
    skipped: skipped.map(({ change, why, grade }) => ({ id: change.id, path: nameToJson(change.path), why, grade })),
    openCalls: open.map(openCallToJson),
    incomplete: incomplete.map((one) => ({ ...one })),
    hunks: [...hunks].flatMap(([id, list]) => list.map((one) => hunkToJson(id as ChangeId, one))),
  };
}

function hunkToJson(
  change: ChangeId,
  { number, beforeStart, beforeCount, afterStart, afterCount, lines }: NumberedHunk,
) {
  const text = lines.map((line) => (line.endsWith('\n') ? line : `${line}\n`)).join('');
  return {
    id: hunkId(change, number),
    before: [beforeCount === 0 ? beforeStart : beforeStart + 1, beforeCount],
    after: [afterCount === 0 ? afterStart : afterStart + 1, afterCount],
    text: nameToJson(text.slice(0, SHOWN_CHARACTERS)),
    cut: text.length > SHOWN_CHARACTERS,
  };
}
