/** Proposes the edits of a call in plan mode, which then does not run. */

import { createHash } from 'node:crypto';
import type { CallOptions } from '../../model/call-options.ts';
import type { SessionId } from '../../model/ids.ts';
import type { Plan } from '../../model/plan.ts';
import { heldEditsOperation, type OpenConflict } from '../../plan/held-edits.ts';
import type { HeldEditsRequest, ProposedCall } from '../../session/plan-mode.ts';
import { assertNotFrozen } from '../../store/state/frozen.ts';
import { type HeldMark, readSessionState, writeSessionState } from '../../store/state/session-state.ts';
import type { Workspace } from '../../timeline/capture/workspace.ts';
import type { Engine } from '../engine.ts';
import { frozenPathsIn } from '../frozen.ts';
import { readIfFound } from '../open.ts';
import type { WriteOperationContext } from '../write-context.ts';
import { applicationsOf } from './applications.ts';
import { newsKey, noteReported } from './news.ts';
import { proposeMore } from './propose.ts';
import { allPlans } from './stored-plans.ts';

/** Two hooks report the same call within this time. */
const SAME_CALL_MS = 30_000;
const REMEMBERED_CALLS = 50;

/** @throws SavepointError EDITS_REFUSED, CONFLICT, PATH_REFUSED, FROZEN and what captures throw: nothing was recorded */
export async function proposeHeld(
  engine: Engine,
  session: SessionId,
  request: HeldEditsRequest,
  options: CallOptions,
): Promise<ProposedCall> {
  const { actor, call, tool } = request;
  const context = engine.context();
  assertNotFrozen(
    frozenPathsIn(context),
    request.writes.map(({ path }) => path),
  );
  const key = keyOf(request);
  const intent = readIfFound(context, (workspace) => intentOf(workspace, session)) ?? `Edits of ${actor.name}`;
  let plan: Plan | null = null;
  let open: () => readonly OpenConflict[] = () => [];
  let fresh: readonly OpenConflict[] = [];
  let marks: (made: Plan) => void = () => undefined;
  const operation = ({ workspace, pace }: WriteOperationContext) => {
    plan = openPlanOf(workspace, session);
    const isKnown = isKnownCall(workspace, session, key, plan);
    // What two hooks report is recorded once: then the plan stays as it is.
    const writes = isKnown ? [] : request.writes;
    marks = (made) => {
      if (isKnown) return;
      noteCall(workspace, session, key, made);
      fresh = newConflicts(workspace, session, made, open());
    };
    const author = { actor, session, call, tool };
    const edits = heldEditsOperation(workspace, { plan, writes, author, description: intent }, pace);
    open = edits.openConflicts;
    return edits;
  };
  const proposal = {
    source: 'edits',
    sourceName: null,
    operation,
    current: () => plan,
    openConflicts: () => open(),
    onMade: (made: Plan) => marks(made),
  } as const;
  const view = await proposeMore(engine, proposal, { ...options, intent });
  return {
    ...{ plan: view.plan.id, revision: view.plan.revision, files: view.changes.length },
    conflicts: fresh.map(({ path }) => path),
  };
}

/** Those that were not reported to the agent yet. They count as reported. */
function newConflicts(
  workspace: Workspace,
  session: SessionId,
  { id }: Plan,
  open: readonly OpenConflict[],
): readonly OpenConflict[] {
  if (open.length === 0) return [];
  const { ports, store } = workspace;
  const { plans } = readSessionState(ports.fs, store.layout, session);
  const keyed = open.map((one) => ({ one, key: newsKey([id, 'conflict', one.path, one.now.entry]) }));
  const fresh = keyed.filter(({ key }) => !plans.reported.includes(key));
  noteReported(workspace, session, plans.state, [...plans.reported, ...fresh.map(({ key }) => key)]);
  return fresh.map(({ one }) => one);
}

/** The newest plan of the session that edits go to: proposed by edits, and neither applied nor cancelled. */
function openPlanOf(workspace: Workspace, session: SessionId): Plan | null {
  const { store, timeline } = workspace;
  const { plans } = allPlans(workspace);
  const isOpen = (plan: Plan): boolean =>
    plan.session === session &&
    plan.source === 'edits' &&
    plan.cancelled === null &&
    applicationsOf(timeline, store.objects, plan).length === 0;
  return plans.findLast(isOpen) ?? null;
}

const MAX_INTENT = 200;

/** The first line of the prompt. */
function intentOf({ ports, store }: Workspace, session: SessionId): string | null {
  const words = readSessionState(ports.fs, store.layout, session).conversation?.lastUser ?? '';
  const line = words.split('\n').find((one) => one.trim() !== '');
  return line === undefined ? null : line.trim().slice(0, MAX_INTENT);
}

function keyOf({ actor, call, writes }: HeldEditsRequest): string {
  const what = JSON.stringify([actor.id ?? null, call, writes]);
  return createHash('sha256').update(what).digest('hex').slice(0, 16);
}

function isKnownCall({ ports, store }: Workspace, session: SessionId, key: string, plan: Plan | null): boolean {
  const isCounted = (one: HeldMark): boolean =>
    one.key === key &&
    one.plan === plan?.id &&
    one.revision <= plan.revision &&
    Math.abs(ports.clock.now() - one.time) < SAME_CALL_MS;
  return readSessionState(ports.fs, store.layout, session).held.some(isCounted);
}

function noteCall({ ports, store }: Workspace, session: SessionId, key: string, { id, revision }: Plan): void {
  const state = readSessionState(ports.fs, store.layout, session);
  const held = [...state.held, { key, plan: id, revision, time: ports.clock.now() }].slice(-REMEMBERED_CALLS);
  writeSessionState(ports.fs, store.layout, session, { ...state, held });
}
