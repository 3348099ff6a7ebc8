/** Passes on to the agent in a copy what people decide about its plans, and their comments, while it works. */

import type { OpenCopy } from '../../copy/copy.ts';
import { type KeyedComment, reportedInCopy, writeNewsInCopy } from '../../copy/plan-news.ts';
import type { CallOptions } from '../../model/call-options.ts';
import type { CommentId } from '../../model/comment.ts';
import type { SessionId } from '../../model/ids.ts';
import type { PlanNews } from '../../model/plan.ts';
import { unlessDamaged } from '../../store/objects/damage.ts';
import { stateOfComments } from '../../store/state/comments.ts';
import { readSessionState } from '../../store/state/session-state.ts';
import type { Workspace } from '../../timeline/capture/workspace.ts';
import { stateOfPlans } from '../../timeline/record/plan-records.ts';
import { placed } from '../comments/placed.ts';
import { dueComments, recordAsSent } from '../comments/take.ts';
import type { Engine } from '../engine.ts';
import { isBeingApplied, newsKey, noteReported, unreportedNews } from './news.ts';
import { allPlans } from './stored-plans.ts';

export interface FollowPlansOptions extends CallOptions {
  /** The session that works in the copy. Its plans are followed. */
  readonly session: string;
  /** The name of the agent. It gets the comments that are for it. */
  readonly agent: string;
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
  const pass = async (): Promise<Passed> => {
    const passed = await engine.read((workspace) => passOn(engine, workspace, copy, options));
    if (passed.read.size > 0) await recordAsSent(engine, passed.read, recipientOf(options), {});
    return passed;
  };
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

interface Passed {
  /** What was not reported to the agent. */
  readonly news: readonly PlanNews[];
  readonly isBeingApplied: boolean;
  /** The comments that it has read. */
  readonly read: ReadonlySet<CommentId>;
}

/** Changes with each plan, with each comment, and with what the agent reads. */
async function stateNow(engine: Engine, { record: { place } }: OpenCopy): Promise<string> {
  const state = await engine.read(async ({ ports, store }) => [
    stateOfPlans(store.refs) ?? '',
    stateOfComments(ports, store.layout),
  ]);
  return [...state, ...reportedInCopy(engine.ports, place)].join();
}

async function passOn(
  engine: Engine,
  workspace: Workspace,
  { record: { place } }: OpenCopy,
  { plan: worksOn, isForPlan = false, ...options }: FollowPlansOptions,
): Promise<Passed> {
  const { ports, store } = workspace;
  const recipient = recipientOf(options);
  const { session } = recipient;
  const { plans: heard } = readSessionState(ports.fs, store.layout, session);
  const own = allPlans(workspace).plans.filter((plan) => plan.session === session || plan.id === worksOn);
  // What was reported to the session that made it is not reported again.
  const earlier = own.flatMap((plan) =>
    plan.session === null || plan.session === session
      ? []
      : readSessionState(ports.fs, store.layout, plan.session).plans.reported,
  );
  const inCopy = reportedInCopy(ports, place);
  const reported = new Set([...earlier, ...heard.reported, ...inCopy]);
  if (reported.size > heard.reported.length) noteReported(workspace, session, null, [...reported]);
  const news = await unreportedNews(engine, workspace, own, reported);
  // If the comments are damaged, the news are passed on. Each command that is about comments says so.
  const due = unlessDamaged(undefined, () => dueComments(workspace, recipient)) ?? [];
  const unread = due.filter(({ id }) => !inCopy.has(newsKey(['comment', id])));
  const comments = (await placed(engine, workspace, unread, {}, engine.pace({}))).map(
    ({ comment, place: lines }): KeyedComment => ({ keys: [newsKey(['comment', comment.id])], comment, place: lines }),
  );
  writeNewsInCopy(ports, place, { isForPlan, news, comments });
  return {
    news: news.map((one) => one.news),
    isBeingApplied: isBeingApplied(workspace, own),
    read: new Set(due.filter((one) => !unread.includes(one)).map(({ id }) => id)),
  };
}

function recipientOf({ session, agent }: Pick<FollowPlansOptions, 'session' | 'agent'>) {
  return { agent, session: session as SessionId };
}
