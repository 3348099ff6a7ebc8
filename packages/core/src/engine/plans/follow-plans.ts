/** Passes on to the agent in a copy what people decide about its plans while it works. */

import type { OpenCopy } from '../../copy/copy.ts';
import { reportedInCopy, writeNewsInCopy } from '../../copy/plan-news.ts';
import type { CallOptions } from '../../model/call-options.ts';
import type { SessionId } from '../../model/ids.ts';
import type { PlanNews } from '../../model/plan.ts';
import { readSessionState } from '../../store/state/session-state.ts';
import type { Workspace } from '../../timeline/capture/workspace.ts';
import { stateOfPlans } from '../../timeline/record/plan-records.ts';
import type { Engine } from '../engine.ts';
import { isBeingApplied, noteReported, unreportedNews } from './news.ts';
import { allPlans } from './stored-plans.ts';

export interface FollowPlansOptions extends CallOptions {
  /** The session that works in the copy. Its plans are followed. */
  readonly session: string;
  /** The id of the plan that it works on. */
  readonly plan?: string;
  /** Whether what is changed in the copy becomes a plan, which its agent reads. Default false. */
  readonly isForPlan?: boolean;
}

/**
 * Until the signal aborts. What fails meanwhile is tried again.
 * @returns what was not reported to the agent
 * @throws what the last attempt fails with
 */
export async function followPlans(
  engine: Engine,
  copy: OpenCopy,
  { signal, ...options }: FollowPlansOptions,
): Promise<readonly PlanNews[]> {
  const pass = () => engine.read((workspace) => passOn(engine, workspace, copy, options));
  let seen: string | null = null;
  while (signal !== undefined && !signal.aborted) {
    engine.assertOpen();
    try {
      const state = await stateNow(engine, copy);
      if (seen !== state) seen = (await pass()).isBeingApplied ? null : state;
    } catch {
      seen = null;
    }
    await engine.ports.clock.sleep(POLL_MS, signal);
  }
  return (await pass()).news;
}

const POLL_MS = 200;

/** Changes with each plan, and with what the agent reads. */
async function stateNow(engine: Engine, { record: { place } }: OpenCopy): Promise<string> {
  const plans = await engine.read(async ({ store }) => stateOfPlans(store.refs) ?? '');
  return [plans, ...reportedInCopy(engine.ports, place)].join();
}

async function passOn(
  engine: Engine,
  workspace: Workspace,
  { record: { place } }: OpenCopy,
  { session: id, plan: worksOn, isForPlan = false }: FollowPlansOptions,
): Promise<{ readonly news: readonly PlanNews[]; readonly isBeingApplied: boolean }> {
  const { ports, store } = workspace;
  const session = id as SessionId;
  const { plans: heard } = readSessionState(ports.fs, store.layout, session);
  const own = allPlans(workspace).plans.filter((plan) => plan.session === session || plan.id === worksOn);
  // What was reported to the session that made it is not reported again.
  const earlier = own.flatMap((plan) =>
    plan.session === null || plan.session === session
      ? []
      : readSessionState(ports.fs, store.layout, plan.session).plans.reported,
  );
  const reported = new Set([...earlier, ...heard.reported, ...reportedInCopy(ports, place)]);
  if (reported.size > heard.reported.length) noteReported(workspace, session, null, [...reported]);
  const news = await unreportedNews(engine, workspace, own, reported);
  writeNewsInCopy(ports, place, { isForPlan, news });
  return { news: news.map((one) => one.news), isBeingApplied: isBeingApplied(workspace, own) };
}
