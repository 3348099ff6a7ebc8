/** Calls that ask who changed what, and that follow or forget a session. */

import type { CallOptions } from '../../model/call-options.ts';
import { SavepointError } from '../../model/errors.ts';
import type { DiskPath } from '../../model/names.ts';
import { parseSessionId } from '../../model/parse-ids.ts';
import { readSessionState } from '../../store/state/session-state.ts';
import { storeUsage, type Usage } from '../../store/usage.ts';
import { type ChangeDiff, diffOfChange } from '../../timeline/diff/one-change.ts';
import { prepareSessionExport, type SessionExport } from '../../timeline/query/export-session.ts';
import { type HistoryPage, type HistoryQuery, queryHistory } from '../../timeline/query/history.ts';
import { listSessions, type SessionList } from '../../timeline/query/sessions.ts';
import { type Stats, statsOf } from '../../timeline/query/stats.ts';
import { TimelineWatch } from '../../timeline/query/watch.ts';
import { type ForgottenSession, forgetSession } from '../../timeline/retention/forget-session.ts';
import { makeFolderWith } from '../../transaction/new-folder.ts';
import type { Engine } from '../engine.ts';
import { eventsOf, type WatchEvent } from '../events.ts';
import { dropUnusedBackups, dropUnusedSessions } from '../maintenance.ts';
import { settled } from '../recovery.ts';

export interface WatchOptions {
  /** Ends the watch. */
  readonly signal: AbortSignal;
  /** Number of a checkpoint: begin after it. Default: with what happens from now on. */
  readonly after?: number;
}

export interface HistoryCalls {
  /** Changes by anybody, newest first; checkpoints that do not list their changes are named. */
  history(query: HistoryQuery): Promise<HistoryPage>;
  /**
   * One change, as a patch and hunk by hunk.
   * @param id `cp_12.3`
   * @throws SavepointError UNKNOWN_CHANGE, STORE_DAMAGED
   */
  diffChange(id: string, options?: CallOptions): Promise<ChangeDiff>;
  /** The sessions of agents on the timeline. */
  sessions(): Promise<SessionList>;
  /** How many changes are in effect, how long they took, and what the store takes on disk. */
  stats(): Promise<Stats & { readonly storage: Usage }>;
  /**
   * What happens on the timeline, whichever process does it. Before there is a store it waits for one.
   * @throws SavepointError NO_WORKSPACE where there is no such folder, STORE_UNSAFE, STORE_TOO_NEW, STORE_DAMAGED, IO
   */
  watch(options: WatchOptions): AsyncGenerator<WatchEvent>;
  /**
   * Writes a session's changes as files into a new folder that only its owner can read.
   * @param folder absolute; its parent exists, and it itself does not
   * @throws SavepointError UNKNOWN_SESSION, CONFLICT where the folder exists, NO_SPACE, IO, CANCELLED
   */
  exportSession(session: string, folder: DiskPath, options?: CallOptions): Promise<Omit<SessionExport, 'files'>>;
  /**
   * Drops a session's checkpoints and what only they needed. What other checkpoints say of it stays.
   * @throws SavepointError UNKNOWN_SESSION, LOCKED, PENDING, STORE_DAMAGED, IO
   */
  forgetSession(session: string, options?: CallOptions): Promise<ForgottenSession>;
}

/** How often a watch looks. */
const WATCH_MS = 200;

export function historyCalls(engine: Engine): HistoryCalls {
  return {
    history: (query) => engine.read(({ store, timeline }) => queryHistory(timeline, store.objects, query)),
    diffChange: (id, options = {}) =>
      engine.read(({ store, timeline }) => diffOfChange(store.objects, timeline, id, engine.pace(options))),
    sessions: () =>
      engine.read(({ ports, store, timeline }) =>
        listSessions(timeline, (session) => readSessionState(ports.fs, store.layout, session).deletedUpTo ?? 0),
      ),
    stats: () =>
      engine.read(({ ports, store, timeline }) => ({
        ...statsOf(timeline, store.objects),
        storage: storeUsage(ports.fs, store.layout),
      })),
    watch: (options) => watch(engine, options),
    exportSession: (session, folder, options = {}) =>
      engine.read(async ({ ports, store, timeline }) => {
        const { files, ...exported } = prepareSessionExport(timeline, store.objects, parseSessionId(session));
        await makeFolderWith(ports.fs, folder, files(), engine.pace(options));
        return exported;
      }),
    forgetSession: (session, options = {}) =>
      engine.operate(options, async (operating) => {
        const { workspace, lock, pace } = settled(operating);
        const forgotten = await forgetSession(workspace, lock, parseSessionId(session), pace);
        dropUnusedBackups(workspace);
        dropUnusedSessions(workspace);
        return forgotten;
      }),
  };
}

async function* watch(engine: Engine, { signal, after }: WatchOptions): AsyncGenerator<WatchEvent> {
  let following: TimelineWatch | null = null;
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    const look = (): Promise<readonly WatchEvent[]> =>
      engine.read(({ timeline }) => {
        // All that is in a store made later is new.
        following ??= new TimelineWatch(timeline, after ?? (isFirst ? null : 0));
        return [...following.newCheckpoints(timeline)].flatMap((one) =>
          'error' in one ? { event: 'checkpoint:damaged' as const, damaged: one } : [...eventsOf(one)],
        );
      });
    yield* await emptyWithoutStore(look());
    await engine.ports.clock.sleep(WATCH_MS);
  }
}

/** Nothing happens where there is no store yet. */
async function emptyWithoutStore<T>(work: Promise<readonly T[]>): Promise<readonly T[]> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof SavepointError && error.code === 'NO_WORKSPACE' && error.data['exists'] === true) return [];
    throw error;
  }
}
