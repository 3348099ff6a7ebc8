/** What people decided about the plans of a session, for its agent. */

import { createHash } from 'node:crypto';
import type { KeyedNews } from '../../copy/plan-news.ts';
import { checkpointId, type SessionId } from '../../model/ids.ts';
import type { Plan, PlanAct, PlanNews } from '../../model/plan.ts';
import type { PlanChange } from '../../plan/selection.ts';
import { readSessionState, writeSessionState } from '../../store/state/session-state.ts';
import type { Workspace } from '../../timeline/capture/workspace.ts';
import type { Engine } from '../engine.ts';
import { applicationsOf } from './applications.ts';
import { selectionIn, statusOf } from './plan-view.ts';
import { allPlans } from './stored-plans.ts';

/** What is older would be reported again. */
const REMEMBERED = 2_000;

/**
 * Returns what was not reported to the agent yet, and remembers that it is reported now. A plan that cannot be read is left out.
 * @param state of all plans; if it is the one that was looked at, there is nothing new
 */
export async function planNews(engine: Engine, session: SessionId, state: string): Promise<readonly PlanNews[]> {
  return engine.read(async (workspace) => {
    const { ports, store } = workspace;
    const { plans: heard } = readSessionState(ports.fs, store.layout, session);
    if (heard.state === state) return [];
    const reported = new Set(heard.reported);
    const own = allPlans(workspace).plans.filter((plan) => plan.session === session);
    const found = await unreportedNews(engine, workspace, own, reported);
    noteReported(workspace, session, isBeingApplied(workspace, own) ? null : state, [
      ...reported,
      ...found.flatMap(({ keys }) => keys),
    ]);
    return found.map(({ news }) => news);
  });
}

/** Whether an application is recorded whose checkpoint does not exist yet: the plan does not change when it does. */
export function isBeingApplied({ timeline }: Workspace, plans: readonly Plan[]): boolean {
  const last = timeline.lastNumber();
  return plans.some(({ applications }) => applications.some(({ checkpoint }) => checkpoint > last));
}

/** What was decided about some plans, and not reported. */
export async function unreportedNews(
  engine: Engine,
  workspace: Workspace,
  plans: readonly Plan[],
  reported: ReadonlySet<string>,
): Promise<readonly KeyedNews[]> {
  const found: KeyedNews[] = [];
  for (const plan of plans) {
    const keys: string[] = [];
    const isFresh = (...key: readonly unknown[]): boolean => {
      const id = newsKey(key);
      if (!reported.has(id)) keys.push(id);
      return !reported.has(id);
    };
    const news = await newsOf(engine, workspace, plan, isFresh);
    if (news !== null) found.push({ news, keys });
  }
  return found;
}

/** Identifies what was reported. */
export function newsKey(what: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(what)).digest('hex').slice(0, 16);
}

/** @param state of all plans; null: they are to be looked at again */
export function noteReported(
  { ports, store }: Workspace,
  session: SessionId,
  state: string | null,
  reported: readonly string[],
): void {
  const now = readSessionState(ports.fs, store.layout, session);
  const plans = { state: state ?? '', reported: reported.slice(-REMEMBERED) };
  writeSessionState(ports.fs, store.layout, session, { ...now, plans });
}

async function newsOf(
  engine: Engine,
  workspace: Workspace,
  plan: Plan,
  fresh: (...key: readonly unknown[]) => boolean,
): Promise<PlanNews | null> {
  const { id, intent, revision, cancelled } = plan;
  const words = plan.words.filter((one) => isByOther(plan, one) && fresh(id, 'words', one.time, one.text));
  const decisions = plan.decisions.filter(
    (one) => !one.accepted && isByOther(plan, one) && fresh(id, 'rejected', one.time, one.path, one.hunk),
  );
  const applications = applicationsOf(workspace.timeline, workspace.store.objects, plan);
  const applied = applications.filter(
    (one) => one.isInEffect && isByOther(plan, one) && fresh(id, 'applied', one.isEmpty ? one.time : one.checkpoint),
  );
  const isCancelled = cancelled !== null && isByOther(plan, cancelled) && fresh(id, 'cancelled', cancelled.time);
  if (words.length + decisions.length + applied.length === 0 && !isCancelled) return null;
  const selection = await selectionIn(workspace, plan, engine.pace({}));
  return {
    id,
    intent,
    revision,
    status: statusOf(plan, { ...selection, applications }),
    words: words.map(({ text }) => text),
    rejected: decisions.flatMap(({ path, hunk }) => rejectedPart(selection.changes, path, hunk)),
    applied: applied.map(({ checkpoint, isEmpty, left }) => ({
      checkpoint: isEmpty ? null : checkpointId(checkpoint),
      left,
    })),
    isCancelled,
  };
}

/** What the agent did itself, it knows. */
function isByOther({ proposedBy }: Plan, { by }: PlanAct): boolean {
  return by.kind !== 'agent' || by.name !== proposedBy.name;
}

function rejectedPart(
  changes: readonly PlanChange[],
  path: PlanChange['change']['path'],
  digest: string | null,
): PlanNews['rejected'] {
  const found = changes.find(({ change }) => change.path === path);
  if (found === undefined) return [];
  if (digest === null) return [{ path, hunk: null }];
  const hunk = found.hunks?.find((one) => one.digest === digest);
  if (hunk === undefined) return [];
  return [{ path, hunk: { number: hunk.number, start: hunk.afterStart + 1, count: hunk.afterCount } }];
}
