import { treePathOf } from '../../io/given-path.ts';
import { SavepointError } from '../../model/errors.ts';
import { type ChangeId, changeId, hunkId, parseChangeId, parseHunkId } from '../../model/ids.ts';
import { type JsonName, nameToJson, type TreePath } from '../../model/names.ts';
import type { RollbackOutlook } from '../../rewind/rollback.ts';
import type { Selection } from '../../rewind/selection.ts';
import type { Savepoint } from '../../savepoint.ts';
import type { NumberedHunk } from '../../timeline/diff/hunks.ts';
import { actToJson, sidesToJson } from '../shapes/to-json.ts';
import { given, verb } from '../verb.ts';

export const rollback = verb({
  name: 'rollback',
  summary: 'take back chosen changes, and keep what others did since',
  description:
    'Chooses changes by id, agent, session, call, time or path (all that is given must fit) and takes them back on top ' +
    'of the files as they are, merged three ways: what others changed since stays. A file that was made goes only if it ' +
    'holds what was left in it; one that was deleted comes back unless something is there; renames are followed. Where ' +
    'something does not merge, it is a conflict and nothing changes at all.\n\n' +
    'Chosen by time or path alone, only changes of agents are meant. A change that may be from others too is left alone ' +
    'and named, unless they are included. `undo` takes a roll-back back.',
  changes: 'files',
  schemas: ({ z, jsonName, changeId: id, hunkId: hunk, rolledBack }) => ({
    input: z.strictObject({
      changes: z.array(z.string()).optional().describe('only these changes, as `cp_12.3`'),
      hunks: z.array(z.string()).optional().describe('only these hunks, as `cp_12.3:2`; a dry run shows them'),
      agent: z.string().optional().describe('only what this agent did; `name/id` for a sub-agent'),
      session: z.string().optional().describe('only what was done in this session'),
      call: z.string().optional().describe("only what this call did: the agent's own id of it"),
      after: z.string().optional().describe('only what came after: a checkpoint, a date, or `10 minutes ago`'),
      paths: z.array(jsonName).optional().describe('only what happened to these and what is below them'),
      root: jsonName.optional().describe('only what happened in this repository, and not in those that lie in it'),
      includeShared: z.boolean().optional().describe('also changes that may be from others'),
      skipConflicts: z.boolean().optional().describe('leave alone what does not merge, and do the rest'),
      ours: z.array(jsonName).optional().describe('where these paths do not merge, the lines of today stay'),
      theirs: z.array(jsonName).optional().describe('where these paths do not merge, the change goes all the same'),
      force: z.boolean().optional().describe('also while a call is open that may write the same files'),
      dryRun: z.boolean().optional().describe('only say what would happen'),
      expected: z.string().optional().describe('the fingerprint of the dry run that was agreed to'),
    }),
    output: rolledBack.extend({
      changes: z.array(z.union([id, hunk])).describe('what is back, or would be'),
    }),
  }),

  async handle(savepoint, input, context) {
    const selection = await selectionOf(savepoint, input);
    const place = (input.ours ?? input.theirs) === undefined ? null : await savepoint.place();
    const prefer = new Map<TreePath, 'ours' | 'theirs'>();
    for (const side of ['ours', 'theirs'] as const) {
      for (const path of input[side] ?? []) if (place !== null) prefer.set(treePathOf(place, path), side);
    }
    const { includeShared, skipConflicts, force, expected } = input;
    const { signal, toolCall } = context;
    const options = given({ includeShared, skipConflicts, force, expected, prefer, signal, toolCall });
    const seen =
      input.dryRun === true
        ? await savepoint.previewRollback(selection, options)
        : await savepoint.rollback(selection, options);
    return { ...actToJson(seen, []), ...outlookToJson(seen.outlook) };
  },
});

interface Input {
  readonly changes?: readonly string[] | undefined;
  readonly hunks?: readonly string[] | undefined;
  readonly agent?: string | undefined;
  readonly session?: string | undefined;
  readonly call?: string | undefined;
  readonly after?: string | undefined;
  readonly paths?: readonly JsonName[] | undefined;
  readonly root?: JsonName | undefined;
}

async function selectionOf(savepoint: Savepoint, input: Input): Promise<Selection> {
  const { agent, session, call, after } = input;
  const [wanted, changes, hunks] = [input.paths ?? [], input.changes ?? [], input.hunks ?? []];
  if (
    ![agent, session, call, after, input.root].some((one) => one !== undefined) &&
    wanted.length + changes.length + hunks.length === 0
  ) {
    throw new SavepointError(
      'USAGE',
      'What is to be rolled back? Nothing was chosen.',
      {},
      { hint: 'Choose with --change, --hunk, --agent, --session, --call, --after, --file or --root.' },
    );
  }
  const place = wanted.length === 0 && input.root === undefined ? null : await savepoint.place();
  return given({
    changes: changes.length === 0 ? undefined : changes.map(changeOf),
    hunks: hunks.length === 0 ? undefined : hunks.map(hunkOf),
    agent,
    session,
    call,
    after: after === undefined ? undefined : await savepoint.moment(after),
    files: place === null || wanted.length === 0 ? undefined : wanted.map((path) => treePathOf(place, path)),
    root: place === null || input.root === undefined ? undefined : treePathOf(place, input.root),
  });
}

function changeOf(text: string): ChangeId {
  const found = parseChangeId(text);
  if (found !== null) return changeId(found.checkpoint, found.place);
  throw new SavepointError(
    'BAD_ID',
    'That does not name a change.',
    { given: text },
    { hint: 'Name a change as cp_12.3: the third that `savepoint show cp_12` lists.' },
  );
}

function hunkOf(text: string): { readonly change: ChangeId; readonly hunk: number } {
  const found = parseHunkId(text);
  if (found !== null) return found;
  throw new SavepointError(
    'BAD_ID',
    'That does not name a hunk.',
    { given: text },
    { hint: 'Name a hunk as cp_12.3:2; `savepoint rollback --change cp_12.3 --dry-run` shows them.' },
  );
}

/** Of a hunk that is shown. */
const SHOWN_CHARACTERS = 4_000;

function outlookToJson({ rolledBack, results, skipped, open, hunks }: RollbackOutlook) {
  return {
    changes: [...rolledBack],
    results: results.map(({ path, result, why, changes, sides }) => ({
      path: nameToJson(path),
      result,
      why,
      changes: [...changes],
      sides: sidesToJson(sides),
    })),
    skipped: skipped.map(({ change, why }) => ({ id: change.id, path: nameToJson(change.path), why })),
    openCalls: open.map(({ id, session, actor, tool }) => ({
      call: id,
      session,
      agent: actor.name,
      tool: tool.name,
      summary: tool.summary,
    })),
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
