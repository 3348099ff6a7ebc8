/** Calls that report who changed what, and that watch, export or delete a session. */

import { listTurns, type TurnPage, type TurnQuery } from '../../conversation/turns.ts';
import { givenDiskPath, givenPath } from '../../io/given-path.ts';
import type { CallOptions } from '../../model/call-options.ts';
import type { SessionId } from '../../model/ids.ts';
import type { JsonName } from '../../model/names.ts';
import { type GuardCounts, guardCounts } from '../../store/state/guard.ts';
import { type OpenCall, readUnendedCalls } from '../../store/state/open-calls.ts';
import { deletedUpToIn } from '../../store/state/session-state.ts';
import { storeUsage, type Usage } from '../../store/usage.ts';
import { type ChangeDiff, diffOfChange } from '../../timeline/diff/one-change.ts';
import type { Caller } from '../../timeline/query/actors.ts';
import { prepareSessionExport, type SessionExport } from '../../timeline/query/export-session.ts';
import { type HistoryPage, type HistoryQuery, queryHistory } from '../../timeline/query/history.ts';
import { resolveAuthors, resolveSession } from '../../timeline/query/select-authors.ts';
import { listSessions, type SessionList } from '../../timeline/query/sessions.ts';
import { type Stats, statsOf } from '../../timeline/query/stats.ts';
import { Series, type SeriesChoice, type SeriesRow } from '../../timeline/query/stats-series.ts';
import { type ForgottenSession, forgetSession, plansOf } from '../../timeline/retention/forget-session.ts';
import { makeFolderWithFiles } from '../../transaction/new-folder.ts';
import type { Engine } from '../engine.ts';
import { dropUnusedBackups, dropUnusedSessions } from '../maintenance.ts';
import { type PlanCounts, planCounts } from '../plans/plan-counts.ts';
import { assertNothingPending } from '../recovery.ts';
import { servedCallInfo } from '../served-call.ts';
import { assertByPerson } from '../shell-call.ts';
import { addStoredFigures } from '../stored-figures.ts';
import type { WatchedEvent } from '../watch/follower.ts';
import { type EventPage, type EventQuery, eventsAfter, type WatchOptions, watch } from '../watch/watch.ts';
import { type Blame, type BlameQuery, blame } from './blame.ts';
import { checksOfCheckpoints } from './check-summaries.ts';
import { laterResults } from './test-results.ts';

export interface HistoryCalls {
  /**
   * Returns changes by any author, newest first. Checkpoints that do not list their changes are returned separately.
   * @throws SavepointError UNKNOWN_SESSION, UNKNOWN_AGENT, AMBIGUOUS_ID
   */
  history(query: HistoryQuery): Promise<HistoryPage>;
  /**
   * Returns who makes this call. A call of one of our tools by an agent with hooks belongs to the session of the hook.
   * @param options.toolCall identifies the call
   */
  caller(options?: CallOptions): Promise<Caller>;
  /**
   * Returns one change as a patch, and hunk by hunk.
   * @param id `cp_12.3`
   * @throws SavepointError UNKNOWN_CHANGE, STORE_DAMAGED
   */
  diffChange(id: string, options?: CallOptions): Promise<ChangeDiff>;
  /**
   * Returns who wrote each line of a file, as it is now or after a checkpoint. Changes that are not captured yet count,
   * with the authors that a capture would record.
   * @throws SavepointError PATH_REFUSED if the path is not a captured text file of at most 8 MiB; USAGE if the file has
   *   fewer lines; NO_CHECKPOINT, UNKNOWN_CHECKPOINT, BAD_ID, AMBIGUOUS_ID
   */
  blame(query: BlameQuery, options?: CallOptions): Promise<Blame>;
  /** Returns the sessions of agents on the timeline. */
  sessions(): Promise<SessionList>;
  /**
   * Returns turns of agents, newest first: a prompt with all that its session did until its next prompt.
   * @param query.session its id, or a unique beginning of it
   * @throws SavepointError UNKNOWN_SESSION, AMBIGUOUS_ID
   */
  turns(query: Omit<TurnQuery, 'session'> & { readonly session?: string }): Promise<TurnPage>;
  /** Returns the calls of agents that have started and not ended, oldest first. Waits for no lock. */
  openCalls(): Promise<readonly OpenCall[]>;
  /**
   * Returns how many changes are in effect, how long they took, and the size of the store on disk.
   * @param options.by also returns the figures by day or week
   */
  stats(options?: Partial<SeriesChoice>): Promise<
    Stats & {
      readonly storage: Usage;
      readonly guard: GuardCounts;
      readonly plans: PlanCounts;
      /** Null unless requested. */
      readonly series: readonly SeriesRow[] | null;
    }
  >;
  /**
   * Yields the events of the timeline, from any process, and with `all` what changes in the other states of the workspace.
   * If there is no store yet, waits for one.
   * @throws SavepointError USAGE if `after` is not a point, NO_WORKSPACE if the folder does not exist, STORE_UNSAFE, STORE_TOO_NEW, STORE_DAMAGED, IO
   */
  watch(options: WatchOptions): AsyncGenerator<WatchedEvent>;
  /**
   * Returns a page of the same events, and the point to continue from. Without `after`, it begins now.
   * @throws SavepointError as `watch`
   */
  events(query: EventQuery): Promise<EventPage>;
  /**
   * Writes a session's changes as files into a new folder that only its owner can read.
   * @param session its id, or a unique beginning of it
   * @param folder absolute; its parent exists, and it does not
   * @throws SavepointError UNKNOWN_SESSION, AMBIGUOUS_ID, CONFLICT if the folder exists, NO_SPACE, IO, CANCELLED
   */
  exportSession(session: string, folder: JsonName, options?: CallOptions): Promise<Omit<SessionExport, 'files'>>;
  /**
   * Drops a session's checkpoints and everything that only they needed. Mentions of it in other checkpoints stay.
   * @param session its id, or a unique beginning of it
   * @throws SavepointError UNKNOWN_SESSION, AMBIGUOUS_ID, LOCKED, PENDING, STORE_DAMAGED, IO
   */
  forgetSession(session: string, options?: CallOptions): Promise<ForgottenSession>;
}

export function historyCalls(engine: Engine): HistoryCalls {
  return {
    history: ({ path, ...query }) =>
      engine.read((workspace) => {
        const { store, timeline } = workspace;
        const chosen = path === undefined ? query : { ...query, path: givenPath(workspace, path) };
        return queryHistory(timeline, store.objects, resolveAuthors(workspace, chosen));
      }, 'warn'),
    caller: (options = {}) =>
      engine.read((workspace) => {
        const { actor = engine.actor, session = null } = servedCallInfo(engine, workspace, options);
        return { actor, session };
      }),
    diffChange: (id, options = {}) =>
      engine.read(({ store, timeline }) => diffOfChange(store.objects, timeline, id, engine.pace(options))),
    blame: (query, options = {}) => engine.read((workspace) => blame(engine, workspace, query, engine.pace(options))),
    sessions: () =>
      engine.read(
        ({ ports, store, timeline }) => listSessions(timeline, deletedUpToIn(ports.fs, store.layout)),
        'warn',
      ),
    turns: ({ session, ...query }) =>
      engine.read((workspace) => {
        const { ports, store, timeline } = workspace;
        const one = session === undefined ? {} : { session: resolveSession(workspace, session) };
        return listTurns(
          timeline,
          store.objects,
          { ...query, ...one },
          {
            deletedUpTo: deletedUpToIn(ports.fs, store.layout),
            withResult: laterResults(engine, workspace),
            checksOf: checksOfCheckpoints(engine, workspace),
          },
        );
      }, 'warn'),
    openCalls: () => engine.read(({ ports, store }) => readUnendedCalls(ports, store.layout)),
    stats: ({ by, ...choice } = {}) =>
      engine.read(async (workspace) => {
        const { ports, store, timeline } = workspace;
        const series = by === undefined ? null : new Series({ ...choice, by }, ports.clock.now());
        const all = statsOf(timeline, store.objects, series);
        if (series !== null) addStoredFigures(workspace, series);
        return {
          ...all,
          series: series?.rows() ?? null,
          storage: storeUsage(ports.fs, store.layout),
          guard: guardCounts(ports, store.layout),
          plans: await planCounts(workspace, engine.pace({})),
        };
      }),
    watch: (options) => watch(engine, options),
    events: (query) => eventsAfter(engine, query),
    exportSession: (session, folder, options = {}) =>
      engine.read(async (workspace) => {
        const { ports, store, timeline } = workspace;
        const id = resolveSession(workspace, session);
        const { files, ...exported } = prepareSessionExport(timeline, store.objects, id);
        await makeFolderWithFiles(ports.fs, givenDiskPath(ports, folder), files(), engine.pace(options));
        return exported;
      }),
    forgetSession: (session, options = {}) =>
      engine.operate(options, async (operating) => {
        const { workspace, lock, pace } = assertNothingPending(operating);
        assertByPerson(engine, workspace, 'deleteSession');
        // A session may have nothing left but a plan.
        const isKnown = plansOf(workspace, session as SessionId).length > 0;
        const id = isKnown ? (session as SessionId) : resolveSession(workspace, session);
        const forgotten = await forgetSession(workspace, lock, id, pace);
        dropUnusedBackups(workspace);
        dropUnusedSessions(workspace);
        return forgotten;
      }),
  };
}
