import type { PendingOperation, Status } from '../../engine/calls/checkpoints.ts';
import type { Checkpoint } from '../../model/checkpoint.ts';
import { SavepointError } from '../../model/errors.ts';
import { nameToJson } from '../../model/names.ts';
import type { Savepoint } from '../../savepoint.ts';
import { pathsOf } from '../../transaction/steps.ts';
import { nullIfNoWorkspace } from '../input/no-workspace.ts';
import { damagedToJson, scopeShape, scopeToJson } from '../shapes/scope-shape.ts';
import { briefToJson, captureToJson, changeToJson, notHappenedToJson, timeToJson } from '../shapes/to-json.ts';
import { verb, withoutUndefined } from '../verb.ts';

export const status = verb({
  name: 'status',
  summary: 'show what changed since the last checkpoint',
  description:
    'Scans the workspace and shows what changed since the last checkpoint, what could not be captured, what `undo` ' +
    'and `redo` would do, and whether an interrupted operation is pending.',
  changes: 'nothing',
  schemas: (shapes) => {
    const { z, jsonName, checkpointId, checkpointBrief, change, totals, capture, hookedAgent, notHappened } = shapes;
    const scope = scopeShape(shapes);
    const inverse = z.strictObject({ id: checkpointId, description: z.string() });
    return {
      input: z.strictObject({}),
      output: z.strictObject({
        workspace: z
          .strictObject({ id: z.string(), path: jsonName, store: jsonName })
          .nullable()
          .describe('null if there is no checkpoint yet; then the rest is empty'),
        moved: z
          .enum(['moved', 'made-anew'])
          .nullable()
          .describe('the folder was moved, or deleted and created again, since the last command that writes'),
        missing: z.boolean().describe("the workspace's folder does not exist"),
        checkpoints: z.int().min(0),
        last: checkpointBrief.nullable(),
        changed: z
          .strictObject({ changes: z.array(change), totals })
          .nullable()
          .describe('since `last`; null if there is no checkpoint or no folder'),
        capture: capture.nullable(),
        pending: z
          .array(
            z.strictObject({
              transaction: z.string(),
              checkpoint: checkpointId,
              paths: z.int(),
              missing: z.array(jsonName).describe('roots that must be mounted first'),
              running: z.boolean().describe('a process performs it now'),
            }),
          )
          .describe('operations in progress or interrupted; `recover` finishes the latter or rolls them back'),
        notHappened,
        damagedCalls: z.array(z.string()).describe('files of the store: damaged records of open calls of agents'),
        undo: inverse.nullable().describe('the operation that `undo` would revert'),
        redo: inverse.nullable().describe('the undo that `redo` would revert'),
        exporting: z
          .strictObject({
            to: z.string(),
            upTo: checkpointId.nullable().describe('the newest exported checkpoint, as far as is known'),
            behind: z.int().min(0).describe('checkpoints not exported yet'),
            failure: z.strictObject({ time: z.iso.datetime(), code: z.string(), message: z.string() }).nullable(),
          })
          .nullable()
          .describe('where checkpoints are exported automatically; null: nowhere'),
        unconfirmedDrops: z
          .int()
          .min(0)
          .describe('checkpoints that your limits drop, and that automatic clean-up keeps until you run `gc`'),
        copies: z
          .strictObject({
            stale: z.int().min(0).describe('copies whose process died'),
            bytes: z.int().min(0).describe('what copies and forks take, without what was written later in folders'),
            limit: z.int().min(1).nullable().describe('`max_store_mb` in bytes: they count towards it'),
          })
          .describe('copies and forks of the workspace'),
        plans: z
          .array(z.strictObject({ id: z.string(), intent: z.string(), expires: z.iso.datetime() }))
          .describe('open plans, the oldest first, with the time at which each is dropped unless it changes'),
        planMode: z.boolean().describe('agents, or some of their sessions, only propose their edits: see `plan mode`'),
        fork: z
          .strictObject({ name: z.string(), of: jsonName, checkpoint: checkpointId })
          .nullable()
          .describe('the fork that contains the folder, the workspace that it is a fork of, and where it left that'),
        scopes: z
          .array(scope)
          .describe('scopes of the workspace and of running agents in which something changed: see `scope list`'),
        damagedScopes: z.array(jsonName).describe('files of the store with a scope that cannot be read'),
        recordsAgents: z.boolean().describe('false: the configuration turns hooks and sessions off here'),
        agents: z
          .array(hookedAgent)
          .optional()
          .describe('agents that have hooks of Savepoint in their settings; set by the command line only'),
      }),
    };
  },

  async handle(savepoint, _input, context) {
    const found = await nullIfNoWorkspace(savepoint.status(withoutUndefined({ signal: context.signal })));
    const { automatic } = await savepoint.config();
    const fork = forkToJson(await savepoint.currentFork());
    if (found === null) return { ...NEVER_CAPTURED, fork, recordsAgents: automatic.enabled };
    const { workspace, moved, checkpoints, last, changed, scan } = found;
    const inScope = await savepoint.scope(withoutUndefined({ signal: context.signal }));
    const differing = changed?.changes.map(({ path }) => path) ?? [];
    return {
      workspace: { id: workspace.id, path: nameToJson(workspace.root), store: nameToJson(workspace.store) },
      moved,
      missing: scan === null,
      checkpoints,
      last: last === null ? null : briefToJson(last),
      changed: changed && { changes: changed.changes.map(changeToJson), totals: { ...changed.totals } },
      capture: scan === null ? null : captureToJson(scan),
      pending: found.pending.map(pendingToJson),
      notHappened: notHappenedToJson(found.notHappened),
      damagedCalls: [...found.damagedCalls],
      undo: inverseToJson(found.undo),
      redo: inverseToJson(found.redo),
      exporting: exportToJson(found.exporting),
      unconfirmedDrops: found.unconfirmedDrops,
      copies: { ...found.copies },
      plans: found.openPlans.map(({ id, intent, expires }) => ({ id, intent, expires: timeToJson(expires) })),
      planMode: await isPlanModeOn(savepoint),
      scopes: inScope.scopes
        .filter(({ isRunning }) => isRunning)
        .map((one) => scopeToJson(one, differing))
        .filter((one) => one.changed.length > 0 || one.unrecorded.length > 0),
      damagedScopes: damagedToJson(inScope.damaged),
      fork,
      recordsAgents: automatic.enabled,
    };
  },
});

/** If it is unknown, hooks hold edits back. */
async function isPlanModeOn(savepoint: Savepoint): Promise<boolean> {
  try {
    const { workspace, sessions } = await savepoint.planMode();
    return workspace !== null || sessions.length > 0;
  } catch (error) {
    if (error instanceof SavepointError && error.code === 'STORE_DAMAGED') return true;
    throw error;
  }
}

const NEVER_CAPTURED = {
  workspace: null,
  moved: null,
  missing: false,
  checkpoints: 0,
  last: null,
  changed: null,
  capture: null,
  pending: [],
  notHappened: null,
  damagedCalls: [],
  undo: null,
  redo: null,
  exporting: null,
  unconfirmedDrops: 0,
  copies: { stale: 0, bytes: 0, limit: null },
  plans: [],
  planMode: false,
  scopes: [],
  damagedScopes: [],
};

function forkToJson(fork: Awaited<ReturnType<Savepoint['currentFork']>>) {
  return fork === null ? null : { name: fork.name, of: nameToJson(fork.root), checkpoint: fork.checkpoint };
}

function inverseToJson(checkpoint: Checkpoint | null): { id: string; description: string } | null {
  return checkpoint === null ? null : { id: checkpoint.id, description: checkpoint.description };
}

function pendingToJson({ journal, missing, isRunning }: PendingOperation) {
  const { transaction, checkpoint } = journal;
  return {
    transaction,
    checkpoint: `cp_${checkpoint.number}`,
    paths: pathsOf(journal).length,
    missing: missing.map(({ path }) => nameToJson(path)),
    running: isRunning,
  };
}

function exportToJson(exporting: Status['exporting']) {
  if (exporting === null) return null;
  const { place, state, behind } = exporting;
  const failure = state?.failure ?? null;
  return {
    to: place,
    upTo: state?.upTo ?? null,
    behind,
    failure: failure && { ...failure, time: timeToJson(failure.time) },
  };
}
