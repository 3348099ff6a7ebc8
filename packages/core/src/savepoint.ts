/**
 * The façade: one folder's workspace, with everything that can be done in it. What captures do not need is loaded by the
 * methods that do: a hook starts faster without.
 */

import { type Act, type Acting, type ActResult, type Preview, performAct, previewAct } from './act/act.ts';
import type { CreatedBundle, RestoredBundle } from './bundles.ts';
import type { CallOptions } from './call-options.ts';
import { type Effective, effective } from './config/effective.ts';
import { assertSound, readSettings } from './config/read-settings.ts';
import { DEFAULT_SETTINGS, ignoredText, type Settings, type SettingsSource } from './config/settings.ts';
import { showName } from './content/show-name.ts';
import type { Prepared, PreparedFile } from './edit/prepare-edits.ts';
import type { FileRequest } from './edit/targets.ts';
import {
  type ActEvent,
  EventStream,
  type Events,
  eventsOf,
  type Listener,
  rolledBack,
  type WatchEvent,
} from './events.ts';
import type { Exporter } from './exporting.ts';
import { readWhole } from './io/durable-write.ts';
import { type Fs, FsError, kindOf } from './io/fs.ts';
import { Pace, type Progress } from './io/pace.ts';
import type { Places, Ports } from './io/ports.ts';
import { type Actor, type CaptureRules, type Checkpoint, OUTSIDE, type TestResult } from './model/checkpoint.ts';
import { SavepointError } from './model/errors.ts';
import { type CheckpointId, checkpointId, checkpointNumber, type WorkspaceId } from './model/ids.ts';
import { type DiskPath, isWithin, nameToJson, type TreePath } from './model/names.ts';
import {
  ensureWorkspace,
  findWorkspace,
  linkWorkspace,
  lockOverlapping,
  newWorkspaceFolder,
  openFound,
  overlapping,
  pathOf,
  resolveFolder,
  type Setting,
} from './open-workspace.ts';
import { publicationAgain } from './publication.ts';
import type { Purged, PurgeOutlook } from './purge/purge.ts';
import { contextOf, type Repositories, repositoriesOf, type WorkspaceContext } from './repositories.ts';
import { type RestoreMode, type RestoreRequest, redoAct, restoreAct, undoAct } from './rewind/acts.ts';
import { actHistory } from './rewind/history.ts';
import type { Parties } from './rewind/parties.ts';
import { changedThoughFrozen, putBackAct } from './rewind/put-back.ts';
import { type RollbackOutlook, rollbackAct } from './rewind/rollback-act.ts';
import type { Selection } from './rewind/selection.ts';
import { type PutBack, Session, type SessionOptions } from './session.ts';
import { Standing } from './standing.ts';
import { forgetAdopted, isAdoptedUnread } from './store/adopted-note.ts';
import { type ExportState, readExportState } from './store/export-state.ts';
import { assertNotFrozen, type FrozenPath, frozenPathOf, readFrozen, writeFrozen } from './store/frozen.ts';
import { layoutOf, type OpenStore, openStore } from './store/layout.ts';
import { acquireLock, type HeldLock, type LockOptions } from './store/lock.ts';
import { readOpenCalls } from './store/open-calls.ts';
import {
  assertNoLink,
  confirmRecord,
  type Found,
  listRecords,
  type Records,
  type WorkspaceRecord,
} from './store/records.ts';
import { dropSessionStates } from './store/session-state.ts';
import { bytesIn, storeUsage, type Usage } from './store/usage.ts';
import type { Exported } from './sync/export.ts';
import { type Captured, capture, look, plainTelling, type Workspace } from './timeline/capture.ts';
import { type CleanUp, cleanUp } from './timeline/clean-up.ts';
import { type Comparison, compare } from './timeline/compare.ts';
import { type ExportPlan, planExport } from './timeline/export-session.ts';
import { type ForgottenSession, forgetSession } from './timeline/forget-session.ts';
import { type HistoryPage, type HistoryQuery, queryHistory } from './timeline/history.ts';
import { type ChangeDiff, diffOfChange } from './timeline/one-change.ts';
import { type Overview, type OverviewQuery, overview } from './timeline/overview.ts';
import { type Moment, resolveCheckpoint, resolveMoment } from './timeline/resolve.ts';
import { expired, type RetentionPolicy } from './timeline/retention.ts';
import { type RootChange, rootChanges } from './timeline/root-changes.ts';
import { listSessions, type SessionList } from './timeline/sessions.ts';
import { type Stats, statsOf } from './timeline/stats.ts';
import { StoryCache } from './timeline/story-cache.ts';
import type { DamagedCheckpoint } from './timeline/timeline.ts';
import type { Verification } from './timeline/verify.ts';
import { Watch } from './timeline/watch.ts';
import { type BackupPlace, dropBackups } from './transaction/backups.ts';
import { listUnsettled } from './transaction/journal.ts';
import { missingMounts } from './transaction/mounts.ts';
import { makeFolderWith } from './transaction/new-folder.ts';
import { asSavepointError } from './transaction/outcome.ts';
import { type Recovered, recover, type Settlement, type Waiting } from './transaction/recover.ts';
import type { Journal, Mount } from './transaction/transition.ts';
import type { ScanResult } from './workspace/scan.ts';

export interface OpenOptions {
  /** Absolute path of a folder in the workspace. */
  readonly dir: DiskPath;
  readonly ports: Ports;
  readonly places: Places;
  /** `dir` itself is the workspace, whatever encloses it. Default false. */
  readonly here?: boolean;
  readonly allowHome?: boolean;
  readonly rules?: Partial<CaptureRules>;
  /** Checkpoints also have the index of each repository, for `restore` with `git`. Default: as the settings say, else false. */
  readonly recordIndex?: boolean;
  /** A first checkpoint takes over contents that repositories have. Default: as the settings say, else true. */
  readonly adopt?: boolean;
  readonly retention?: Partial<RetentionPolicy>;
  /** Who acts. Default: the user. */
  readonly actor?: Actor;
  /** Where edits keep plain copies of what they replace. Default `store`; `beside`: as `a.ts.bak` beside `a.ts`. */
  readonly backups?: BackupPlace;
  /** Settings from files and the environment, where no option here says otherwise. Default: none are read. */
  readonly settings?: SettingsSource;
  /** Where new checkpoints go by themselves, where the settings say so. Without it: to folders only, and by this process. */
  readonly exporter?: Exporter;
  /** How long to wait for another process, milliseconds. Default 60,000. */
  readonly waitMs?: number;
  /**
   * For a process that stays: the folders are watched where the system tells reliably what changes, so that a checkpoint
   * costs what changed and not what is there. Ends with `close`; a {@link Standing} is shared by all who are opened with it, and
   * ends with its own. Default false.
   */
  readonly watch?: boolean | Standing;
}

export interface CheckpointOptions extends CallOptions {
  readonly message?: string;
  readonly testResult?: TestResult;
}

export interface RestoreOptions extends CallOptions {
  /** Only these paths and what is below them; none for the whole workspace. */
  readonly paths?: readonly TreePath[];
  readonly mode?: RestoreMode;
  /** Only this root (a repository, or the plain workspace folder), without those that lie in it; then no `paths`. */
  readonly root?: TreePath;
  /** Also where some root could not be captured then, or cannot be now: it is left alone, and named. Default false. */
  readonly allowPartial?: boolean;
  /** Also put branch, HEAD and index of each root where the checkpoint saw them. Default false: `.git` stays as it is. */
  readonly git?: boolean;
  /** Fingerprint of the preview that was agreed to; another plan is a conflict. */
  readonly expected?: string;
}

export interface EditOptions extends CallOptions {
  /** What it is for; without it the checkpoint says what happened. */
  readonly message?: string;
}

export interface EditResult extends ActResult {
  readonly files: readonly PreparedFile[];
}

export interface RollbackOptions extends CallOptions {
  /** Also changes that may be from others. Default false: they are left alone, and named. */
  readonly includeShared?: boolean;
  /** Leave alone the paths that do not merge. Default false: then nothing at all is done. */
  readonly skipConflicts?: boolean;
  /** Whose lines are taken where they do not merge: `ours` are those of today. By path, for what is below it, too. */
  readonly prefer?: ReadonlyMap<TreePath, 'ours' | 'theirs'>;
  /** Also while a call is open that may write the same files. Default false. */
  readonly force?: boolean;
  /** Fingerprint of the preview that was agreed to; another plan is a conflict. */
  readonly expected?: string;
}

export interface BundleOptions extends CallOptions {
  /** Only the checkpoints of this session, and those that their changes need. */
  readonly session?: string;
  /** Only what came after this checkpoint; who reads the bundle has that one. */
  readonly since?: string;
  /** Also private files: `.env*`, keys, and what an ignore rule covers. Default false. */
  readonly private?: boolean;
  /** Also what people and agents said, and what tools were called with. Default false. */
  readonly messages?: boolean;
  /** A file that is there gives way. Default false. */
  readonly overwrite?: boolean;
}

export interface UndoOptions extends CallOptions {
  readonly expected?: string;
}

export interface Place {
  /** The workspace's folder. */
  readonly root: DiskPath;
  /** The folder that was asked for, inside the workspace; '' is the workspace itself. */
  readonly folder: TreePath;
  /** The same folder as it was asked for: its links not resolved. */
  readonly dir: DiskPath;
  readonly platform: Ports['platform'];
}

/** An act that is neither done nor undone. */
export interface PendingAct {
  readonly journal: Journal;
  /** What it waits for: they are not mounted. */
  readonly missing: readonly Mount[];
}

export interface Status {
  readonly workspace: { readonly id: WorkspaceId; readonly root: DiskPath; readonly store: DiskPath };
  /** The folder was found at another path, or made anew at its own, since the last command that writes. */
  readonly moved: 'moved' | 'made-anew' | null;
  readonly checkpoints: number;
  readonly last: Checkpoint | null;
  /** What differs from the last checkpoint; null when the folder is missing. */
  readonly changed: Comparison | null;
  readonly scan: ScanResult | null;
  /** Acts that a dead process left half done. */
  readonly pending: readonly PendingAct[];
  readonly undo: Checkpoint | null;
  readonly redo: Checkpoint | null;
  /** How far the automatic export is; null where none is configured. `state` is null before its first try. */
  readonly exporting: { readonly place: string; readonly state: ExportState | null; readonly behind: number } | null;
}

export interface DiffResult extends Comparison {
  readonly from: Checkpoint;
  /** Null: the folder as it is. */
  readonly to: Checkpoint | null;
  readonly rootChanges: readonly RootChange[];
}

export interface CheckpointResult extends Captured {
  /** An act that waits for a decision; captures go on meanwhile. */
  readonly pending: SavepointError | null;
}

/** What is in force in a workspace, in the engine's terms, and where it comes from. */
export interface Configuration extends Effective {
  readonly root: DiskPath;
  readonly settings: Settings;
  /** A file that cannot be used: what is here apart from it is not in force, and verbs that need it fail so. */
  readonly problem: SavepointError | null;
}

/** What a purge does not reach. */
export interface PurgeReach {
  /** Paths where something still is: the next capture takes it. */
  readonly stillThere: readonly TreePath[];
  /** Folders of workspaces that lie around this one or in it, and have stores of their own. */
  readonly otherWorkspaces: readonly DiskPath[];
}

/** How often a watch looks. */
const WATCH_MS = 200;
const USER: Actor = { kind: 'user', name: 'user' };
const WAIT_MS = 60_000;
/** Clean-up by itself, once so many checkpoints have come since there was reason for the last. */
const OVERRUN = 1.1;
/** Each checkpoint brings a pack; looking in many is slow. */
const MOST_PACKS = 50;
const MB = 1024 * 1024;
const RULE_BYTES = MB;

/** Opens a workspace; nothing is read or made before the first call. */
export function open(options: OpenOptions): Savepoint {
  return new Savepoint(options);
}

export class Savepoint {
  readonly #events = new EventStream();
  readonly #options: OpenOptions;
  readonly #actor: Actor;
  readonly #warned = new Set<string>();
  readonly #stories: StoryCache;
  readonly #standing: Standing | null;
  readonly #background = new Set<Promise<void>>();
  #isExportDue = false;
  #tidying: 'no' | 'under-way' | 'again' = 'no';
  /** Callers of `idle`. */
  #waiters = 0;

  /** Use {@link open}. */
  constructor(options: OpenOptions) {
    this.#options = options;
    this.#standing = options.watch === true ? new Standing() : options.watch || null;
    this.#stories = this.#standing?.stories ?? new StoryCache();
    this.#actor = options.actor ?? USER;
    this.#events.on('checkpoint:created', () => this.#exportLater());
  }

  /** Ends the watching of `watch`, unless others share it. Not while a call is under way. */
  close(): void {
    if (this.#options.watch === true) this.#standing?.close();
  }

  /** @returns a function that ends the listening */
  on<Name extends keyof Events>(name: Name, listener: Listener<Name>): () => void {
    return this.#events.on(name, listener);
  }

  /**
   * Takes a checkpoint of the workspace as it is, also when nothing changed. Makes the store when there is none.
   * @throws SavepointError CAPTURE_FAILED, ROOT_REFUSED, STORE_UNSAFE, STORE_TOO_NEW, LOCKED, NO_SPACE, IO, CANCELLED
   */
  async checkpoint(options: CheckpointOptions = {}): Promise<CheckpointResult> {
    return this.#writing(options, 'own', async (workspace, lock, pace) => {
      this.#assertOnRequest(workspace.root);
      const pending = await this.#settleQuietly(workspace, lock, pace);
      await this.#makeRoom({ workspace, lock, pace }, 'objects');
      const captured = await capture(
        workspace,
        lock,
        pace,
        {
          ...plainTelling('manual', this.#actor),
          description: options.message ?? null,
          testResult: options.testResult ?? null,
          toolCall: options.toolCall ?? null,
        },
        { always: true },
      );
      this.#warnOf(captured.scan);
      this.#events.emitCheckpoint(captured.checkpoint);
      await this.#tidyUp(workspace, lock);
      return { ...captured, pending };
    });
  }

  /** An agent's work, call by call. Nothing is captured until it begins. */
  session(options: SessionOptions): Session {
    const { ports } = this.#options;
    const made: Checkpoint[] = [];
    return new Session(
      {
        newId: () => ports.random.hex(8),
        now: () => ports.clock.now(),
        writing: (callOptions, work) =>
          this.#writing(callOptions, 'own', async (workspace, lock, pace) => {
            await this.#settleQuietly(workspace, lock, pace);
            await this.#makeRoom({ workspace, lock, pace }, 'objects');
            const done = await work(workspace, lock, pace);
            await this.#tidyUp(workspace, lock);
            return done;
          }),
        beside: async (work) => {
          const setting = this.#setting();
          const found = findWorkspace(setting);
          if (found === null) return null;
          const workspace = openFound(setting, found);
          try {
            return work(workspace);
          } finally {
            this.#letGo(workspace.store);
          }
        },
        announce: ({ checkpoint, made: isNew, scan }) => {
          this.#warnOf(scan);
          if (isNew) made.push(checkpoint);
          if (isNew) this.#events.emitCheckpoint(checkpoint);
        },
        frozen: () => this.frozen(),
        putBack: () => this.#putBack(made.splice(0)),
        retire: () => this.#tidyLater(),
        goBack: async ({ target: find, mode, position, session: id, ...given }) =>
          this.#acting(given, async (acting) => {
            const { workspace, pace } = acting;
            const target = find(workspace);
            await this.#makeRoom(acting, 'all');
            const { act } = this.#restore(workspace, target, { ...given, ...mode }, pace, {
              id,
              conversation: position,
            });
            const result = await this.#carryOut('restore:completed', acting, given, act);
            const made = result.checkpoint;
            if (made !== null) this.#events.emit('rollback:completed', rolledBack(made, result.plan.paths.length));
            else this.#events.emit('rollback:completed', { ...rolledBack(target, 0), session: id });
            return { ...result, target };
          }),
        aborted: (calls, id) => this.#events.emit('session:aborted', { session: id, calls }),
        automatic: () => this.#mapped(async () => this.#effective(this.#root()).automatic),
      },
      options,
    );
  }

  /** Newest first; those whose story cannot be read are named apart. @param options.limit how many at most */
  async list(options: { readonly limit?: number; readonly before?: number } = {}): Promise<{
    readonly checkpoints: readonly Checkpoint[];
    readonly damaged: readonly DamagedCheckpoint[];
  }> {
    return this.#reading((workspace) => {
      const refs = workspace.timeline
        .list()
        .filter(({ number }) => number < (options.before ?? Number.POSITIVE_INFINITY));
      const chosen = options.limit === undefined ? [...refs] : refs.slice(Math.max(0, refs.length - options.limit));
      return workspace.timeline.readAll(chosen.reverse());
    });
  }

  /** What this takes for now: milliseconds since 1970, by its own clock. */
  now(): number {
    return this.#options.ports.clock.now();
  }

  /** Checkpoints as people look through them, newest first. */
  async overview(query: OverviewQuery): Promise<Overview> {
    return this.#reading(({ timeline }) => overview(timeline, query));
  }

  /** Changes, newest first, by whoever made them; checkpoints that do not list theirs are named. */
  async history(query: HistoryQuery): Promise<HistoryPage> {
    return this.#reading(({ timeline }) => queryHistory(timeline, query));
  }

  /**
   * One change, as a patch and hunk by hunk.
   * @param id `cp_12.3`
   * @throws SavepointError UNKNOWN_CHANGE, STORE_DAMAGED
   */
  async diffChange(id: string, options: CallOptions = {}): Promise<ChangeDiff> {
    return this.#reading(({ store, timeline }) => diffOfChange(store.objects, timeline, id, this.#pace(options)));
  }

  /**
   * What happens on the timeline from now on, whatever process does it; ends with the signal. Before there is a store
   * it waits for one.
   * @param options.after begin behind this checkpoint instead
   * @throws SavepointError NO_WORKSPACE where there is no such folder, STORE_UNSAFE, STORE_TOO_NEW, STORE_DAMAGED, IO
   */
  async *watch(options: { readonly signal: AbortSignal; readonly after?: number }): AsyncGenerator<WatchEvent> {
    let watch: Watch | null = null;
    for (let isFirst = true; !options.signal.aborted; isFirst = false) {
      const look = (): Promise<readonly WatchEvent[]> =>
        this.#reading(({ timeline }) => {
          // A store that comes later is new with all that is in it.
          watch ??= new Watch(timeline, options.after ?? (isFirst ? null : 0));
          return [...watch.news(timeline)].flatMap((one) =>
            'error' in one ? { event: 'checkpoint:damaged' as const, damaged: one } : [...eventsOf(one)],
          );
        });
      yield* await unlessMissing(look());
      await this.#options.ports.clock.sleep(WATCH_MS);
    }
  }

  /**
   * A session's changes as files, in a new folder that only its owner may look into.
   * @param folder absolute; the one above it is there, and it itself is not
   * @throws SavepointError UNKNOWN_SESSION, CONFLICT where the folder is there, NO_SPACE, IO, CANCELLED
   */
  async exportSession(
    session: string,
    folder: DiskPath,
    options: CallOptions = {},
  ): Promise<Omit<ExportPlan, 'files'>> {
    return this.#reading(async ({ ports, store, timeline }) => {
      const { files, ...told } = planExport(timeline, store.objects, session);
      await makeFolderWith(ports.fs, folder, files(), this.#pace(options));
      return told;
    });
  }

  /**
   * Writes checkpoints into a git bundle. The same checkpoints give the same commits, whenever and wherever it is made.
   * @param file absolute; the folder that it lies in is there
   * @throws SavepointError CONFLICT where the file is there, PATH_REFUSED in a `.git` or in the store, UNKNOWN_SESSION,
   *   UNKNOWN_CHECKPOINT, BUNDLE_EMPTY, STORE_DAMAGED, NO_SPACE, IO, CANCELLED
   */
  async createBundle(file: DiskPath, options: BundleOptions = {}): Promise<CreatedBundle> {
    const { createBundle } = await import('./bundles.ts');
    return this.#reading((workspace) => {
      const { session = null, since, messages = false, overwrite = false } = options;
      const request = {
        session,
        since: since === undefined ? null : this.#resolve(workspace, since),
        parent: null,
        private: options.private ?? false,
        messages,
        overwrite,
      };
      return createBundle(this.#setting(), workspace, file, request, this.#pace(options));
    });
  }

  /**
   * Makes a folder what the newest checkpoint of a bundle says, with all its checkpoints behind it; one that has them already
   * goes on with what is new. Everything is looked through first: a bundle that is not sound changes nothing at all.
   * @param file absolute
   * @param folder absolute; empty or missing, or restored from a bundle of the same timeline before
   * @throws SavepointError BUNDLE_REFUSED, BUNDLE_INCOMPLETE, BUNDLE_DIVERGED, CONFLICT where the folder is not empty,
   *   ROOT_REFUSED, PATH_REFUSED, NAME_COLLISION, NO_SPACE, IO, LOCKED, CANCELLED: nothing changed; PENDING
   */
  async restoreBundle(file: DiskPath, folder: DiskPath, options: CallOptions = {}): Promise<RestoredBundle> {
    const { restoreBundle } = await import('./bundles.ts');
    return this.#mapped(() => {
      const setting = { ...this.#setting(), folder: resolveFolder(this.#options.ports, folder), here: true };
      return restoreBundle(setting, file, this.#pace(options), this.#wait(), async (workspace, lock, pace) => {
        const { waiting } = await this.#settle(workspace, lock, pace, null);
        if (waiting[0] !== undefined) throw waiting[0].error;
      });
    });
  }

  /**
   * Brings the place that the configuration names for bundles up to date; new checkpoints do so by themselves.
   * @returns null where the configuration names none
   * @throws SavepointError BUNDLE_STORE, BUNDLE_DIVERGED, NO_CHECKPOINT, NO_WORKSPACE, STORE_DAMAGED, LOCKED, CANCELLED
   */
  async exportBundles(options: CallOptions = {}): Promise<(Exported & { readonly place: string }) | null> {
    const { exportTimeline } = await import('./exporting.ts');
    return this.#reading(async (workspace) => {
      const place = this.#effective(workspace.root).exporting;
      if (place === null) return null;
      const { exporter } = this.#options;
      const pace = this.#pace(options);
      const exported = await exportTimeline(workspace, place, exporter, pace, this.#wait(), options.signal);
      return { ...exported, place: place.to };
    });
  }

  /**
   * As `exportBundles`, tried again where it fails: for half a minute, or for a quarter of an hour.
   * @returns the last failure; null where there was none, or another process is at it
   */
  async exportPatiently(options: CallOptions & { readonly long?: boolean } = {}): Promise<SavepointError | null> {
    const { asOnlyPatient, exportPatiently, exportTimeline } = await import('./exporting.ts');
    const { clock } = this.#options.ports;
    const once = (): Promise<Exported> =>
      this.#reading(async (workspace) => {
        const place = this.#effective(workspace.root).exporting;
        const newest = workspace.timeline.latest();
        if (place === null || newest === null) return { upTo: newest?.id ?? ('cp_1' as CheckpointId), added: null };
        const { exporter } = this.#options;
        return exportTimeline(workspace, place, exporter, this.#pace(options), this.#wait(), options.signal);
      });
    const newest = (): Promise<string | null> => this.#reading(({ timeline }) => timeline.latest()?.id ?? null);
    return this.#reading((workspace) =>
      asOnlyPatient(workspace, this.#pace(options), this.#wait(), () =>
        exportPatiently(once, newest, options.long ?? false, (ms) => clock.sleep(ms)),
      ),
    );
  }

  /** The sessions of agents that the timeline tells of. */
  async sessions(): Promise<SessionList> {
    return this.#reading(({ timeline }) => listSessions(timeline));
  }

  /**
   * Drops a session's checkpoints and what only they needed. What other checkpoints say of it stays.
   * @throws SavepointError UNKNOWN_SESSION, LOCKED, PENDING, STORE_DAMAGED, IO
   */
  async forgetSession(session: string, options: CallOptions = {}): Promise<ForgottenSession> {
    return this.#acting(options, async (acting) => {
      const { workspace, lock, pace } = settled(acting);
      const forgotten = await forgetSession(workspace, lock, session, pace);
      this.#dropBackups(workspace);
      this.#dropSessions(workspace);
      return forgotten;
    });
  }

  /** What `purge` would take out. Changes nothing. */
  async previewPurge(paths: readonly TreePath[], options: CallOptions = {}): Promise<PurgeOutlook & PurgeReach> {
    const { previewPurge } = await import('./purge/purge.ts');
    return this.#reading(async (workspace) => {
      const outlook = await previewPurge(workspace, purgeable(paths), this.#pace(options));
      return { ...outlook, ...this.#beyondPurge(workspace, paths) };
    });
  }

  /**
   * Takes what was ever at these paths, and below them, out of everything that the store keeps, and proves it. The files
   * themselves stay as they are, and the next capture takes what is there then. It cannot be undone.
   * @throws SavepointError PURGE_INCOMPLETE, PATH_REFUSED for the whole workspace, LOCKED, PENDING, STORE_DAMAGED, IO
   */
  async purge(paths: readonly TreePath[], options: CallOptions = {}): Promise<Purged & PurgeReach> {
    const { purge } = await import('./purge/purge.ts');
    return this.#acting(options, async (acting) => {
      const { workspace, lock, pace } = settled(acting);
      const purged = await purge(workspace, lock, purgeable(paths), pace);
      return { ...purged, ...this.#beyondPurge(workspace, paths) };
    });
  }

  /** How often changes stand, how long they take, and what the store takes on disk. */
  async stats(): Promise<Stats & { readonly storage: Usage }> {
    return this.#reading(({ ports, store, timeline }) => ({
      ...statsOf(timeline),
      storage: storeUsage(ports.fs, store.layout),
    }));
  }

  /** @throws SavepointError BAD_ID, UNKNOWN_CHECKPOINT, AMBIGUOUS_ID, NO_CHECKPOINT */
  async show(name: string): Promise<Checkpoint> {
    return this.#reading((workspace) => this.#resolve(workspace, name));
  }

  /** Which roots came, went or moved with each of these; nothing where the one before it is gone. */
  async rootChanges(checkpoints: readonly Checkpoint[]): Promise<ReadonlyMap<CheckpointId, readonly RootChange[]>> {
    return this.#reading(({ timeline }) => {
      const wanted = new Set(checkpoints.map(({ previous }) => previous));
      const refs = timeline.list().filter(({ number }) => wanted.has(checkpointId(number)));
      const before = new Map(timeline.readAll(refs).checkpoints.map(({ id, roots }) => [id, roots]));
      return new Map(
        checkpoints.map(({ id, previous, roots }) => {
          const was = previous === null ? undefined : before.get(previous);
          return [id, was === undefined ? [] : rootChanges(was, roots)];
        }),
      );
    });
  }

  /**
   * Where the folder that this was opened for lies in its workspace.
   * @param options.orNew also before there is a store: in the workspace that the first checkpoint would make
   * @throws SavepointError NO_WORKSPACE, ROOT_REFUSED
   */
  async place(options: { readonly orNew?: boolean } = {}): Promise<Place> {
    return this.#mapped(async () => {
      const setting = this.#setting();
      if (options.orNew !== true && findWorkspace(setting) === null) throw this.#noWorkspace(setting);
      const root = this.#root();
      const folder = setting.folder.slice(root.length).replace(/^\//, '') as TreePath;
      return { root, folder, dir: this.#options.dir, platform: setting.ports.platform };
    });
  }

  /**
   * The workspace's roots as they are now, also before there is a store.
   * @throws SavepointError CAPTURE_FAILED when the folder cannot be read, ROOT_REFUSED, BAD_CONFIG, CANCELLED
   */
  async repositories(options: CallOptions = {}): Promise<Repositories> {
    return this.#mapped(() => repositoriesOf(this.#setting(), this.#pace(options)));
  }

  /**
   * What a model should know of the workspace: its roots, the newest checkpoints, and what lies in it. As `repositories`.
   * @param wanted.depth levels of folders; 0: what lies in it is not asked for
   */
  async context(
    wanted: { readonly checkpoints: number; readonly depth: number },
    options: CallOptions = {},
  ): Promise<WorkspaceContext> {
    return this.#mapped(() => contextOf(this.#setting(), this.#pace(options), wanted));
  }

  /** What is in force here and where it is said. Also where a file of settings cannot be used: then it says so. */
  async config(): Promise<Configuration> {
    return this.#mapped(async () => {
      const root = this.#root();
      const settings = this.#settings(root);
      return { ...effective(settings, this.#options), root, settings, problem: problemOf(settings) };
    });
  }

  async status(options: CallOptions = {}): Promise<Status> {
    return this.#reading(async (workspace, found) => {
      const pace = this.#pace(options);
      const { ports, store, timeline } = workspace;
      const missing = ports.fs.lstat(workspace.root) === null;
      const seen = missing ? null : await look(workspace, pace);
      const last = timeline.latest();
      const changed =
        seen === null || last === null
          ? null
          : await compare(seen.objects, last.snapshot, seen.scan.snapshot, [], false, pace);
      const { done, undone } = actHistory(timeline.oldestFirst());
      return {
        workspace: { id: workspace.id, root: workspace.root, store: store.layout.path },
        moved: found.how === 'moved' ? 'moved' : found.madeAnew ? 'made-anew' : null,
        checkpoints: timeline.list().length,
        last,
        changed,
        scan: seen?.scan ?? null,
        pending: listUnsettled(ports, store.layout.journal).journals.map((journal) => ({
          journal,
          missing: missingMounts(ports, journal),
        })),
        undo: done.at(-1) ?? null,
        redo: undone.at(-1) ?? null,
        exporting: this.#exportStatus(workspace),
      };
    });
  }

  /**
   * What differs between two checkpoints, or between one and the folder.
   * @param options.from default: the last checkpoint
   * @param options.to default: the folder as it is
   */
  async diff(
    options: CallOptions & {
      readonly from?: string;
      readonly to?: string;
      readonly paths?: readonly TreePath[];
      readonly patch?: boolean;
    } = {},
  ): Promise<DiffResult> {
    return this.#reading(async (workspace) => {
      const pace = this.#pace(options);
      const from = this.#resolve(workspace, options.from ?? 'last');
      const to = options.to === undefined ? null : this.#resolve(workspace, options.to);
      const seen = to === null ? await look(workspace, pace, { missing: 'empty' }) : null;
      const objects = seen?.objects ?? workspace.store.objects;
      const after = to?.snapshot ?? (seen as NonNullable<typeof seen>).scan.snapshot;
      const compared = await compare(objects, from.snapshot, after, options.paths ?? [], options.patch ?? false, pace);
      const roots = to?.roots ?? (seen as NonNullable<typeof seen>).scan.roots;
      return { ...compared, from, to, rootChanges: rootChanges(from.roots, roots) };
    });
  }

  /** What `restore` would do, path by path. Changes nothing, and waits for nobody. */
  async previewRestore(
    name: string,
    options: RestoreOptions = {},
  ): Promise<Preview & { readonly target: Checkpoint; readonly parties: Parties | null }> {
    return this.#reading(async (workspace) => {
      const pace = this.#pace(options);
      const target = this.#resolve(workspace, name);
      const { act, parties } = this.#restore(workspace, target, options, pace);
      const seen = await previewAct(workspace, this.#asAsked(act, workspace, options), pace);
      return { ...seen, target, parties: parties() };
    });
  }

  /**
   * Makes the workspace, or chosen paths, equal to a checkpoint; all or nothing. It can be undone. Where both an agent and
   * somebody else changed them since, it wants to be told whose work goes (`mode`), else it is a conflict.
   * @throws SavepointError CONFLICT, PATH_REFUSED, GIT_REFUSED, NAME_COLLISION, NO_SPACE, IO, LOCKED: nothing changed; PENDING
   */
  async restore(name: string, options: RestoreOptions = {}): Promise<ActResult & { readonly target: Checkpoint }> {
    return this.#acting(options, async (acting) => {
      const { workspace, pace } = acting;
      const target = this.#resolve(workspace, name);
      await this.#makeRoom(acting, 'all');
      const { act } = this.#restore(workspace, target, options, pace);
      const result = await this.#carryOut('restore:completed', acting, options, act);
      return { ...result, target };
    });
  }

  /** What `rollback` would do, path by path, and with which calls it would have to wait. Changes nothing. */
  async previewRollback(
    selection: Selection,
    options: RollbackOptions = {},
  ): Promise<Preview & { readonly outlook: RollbackOutlook }> {
    return this.#reading(async (workspace) => {
      const pace = this.#pace(options);
      const { act, outlook } = this.#rollback(workspace, selection, { ...options, force: true }, pace);
      const seen = await previewAct(workspace, this.#asAsked(act, workspace, options), pace);
      return { ...seen, outlook: outlook() };
    });
  }

  /**
   * Takes chosen changes back, on top of whatever came since: what others changed later stays. All or nothing, unless
   * `skipConflicts` or `prefer` say otherwise. It can be undone.
   * @param selection all that is given must fit; changes that nobody is named for are those of agents only
   * @throws SavepointError UNKNOWN_CHANGE, CALL_OPEN, CONFLICT with the three sides of each path that does not merge, and
   *   what `restore` throws
   */
  async rollback(
    selection: Selection,
    options: RollbackOptions = {},
  ): Promise<ActResult & { readonly outlook: RollbackOutlook }> {
    return this.#acting(options, async (acting) => {
      await this.#makeRoom(acting, 'all');
      const { act, outlook } = this.#rollback(acting.workspace, selection, options, acting.pace);
      const result = await this.#carryOut('rollback:completed', acting, options, act);
      return { ...result, outlook: outlook() };
    });
  }

  /**
   * The number of the checkpoint, or the moment, that a text names: what came after it can be chosen then.
   * @param given a checkpoint, or a time as `2026-01-31T12:00:00Z` or `10 minutes ago`
   * @throws SavepointError BAD_ID, UNKNOWN_CHECKPOINT, AMBIGUOUS_ID, NO_CHECKPOINT
   */
  async moment(given: string): Promise<Moment> {
    return this.#reading(({ timeline }) => resolveMoment(timeline, given, this.#options.ports.clock.now()));
  }

  /**
   * What an edit of many files would do, file by file. Changes nothing, needs no checkpoint, and waits for nobody.
   * @returns the files as they would be, or everything that is wrong with the request
   */
  async previewEdit(requests: readonly FileRequest[], options: CallOptions = {}): Promise<Prepared> {
    const { prepareEdits } = await import('./edit/prepare-edits.ts');
    return this.#mapped(async () => {
      this.#assertMayEdit(requests);
      return prepareEdits(this.#options.ports, this.#root(), requests, this.#pace(options));
    });
  }

  /**
   * Edits many files, all or none. It can be undone.
   * @throws SavepointError EDITS_REFUSED with everything that is wrong, CONFLICT when a file changes meanwhile, and what
   *   `checkpoint` and `restore` throw
   */
  async edit(requests: readonly FileRequest[], options: EditOptions = {}): Promise<EditResult> {
    const [{ editAct }, { editsRefused }, { leadWhereTheyLed, prepareEdits }] = await Promise.all([
      import('./edit/edit-act.ts'),
      import('./edit/edits-refused.ts'),
      import('./edit/prepare-edits.ts'),
    ]);
    return this.#mapped(async () => {
      this.#assertMayEdit(requests);
      // First without a lock and a capture: most of what is wrong is found here, and then nothing has happened at all.
      const root = this.#root();
      const seen = await prepareEdits(this.#options.ports, root, requests, this.#pace(options));
      if (!seen.ok) throw editsRefused(seen.problems, requests.length);
      return this.#writing(options, 'overlapping-or-new', async (workspace, lock, pace) => {
        const { waiting } = await this.#settle(workspace, lock, pace, null);
        const acting = { workspace, lock, pace, waiting };
        await this.#makeRoom(acting, 'all');
        const again = async (): Promise<readonly PreparedFile[]> => {
          const prepared = await prepareEdits(workspace.ports, workspace.root, requests, pace);
          if (!prepared.ok) throw editsRefused(prepared.problems, requests.length);
          return prepared.files;
        };
        // The lock may have been long in coming. Contents are compared with what the act captures; names are looked at here.
        const stands = root === workspace.root && leadWhereTheyLed(workspace.ports, root, requests, seen.files);
        const request = { files: stands ? seen.files : await again(), again };
        const telling = { actor: this.#actor, description: options.message ?? null };
        const act = editAct(request, telling, this.#effective(workspace.root).backups);
        const asked = { ...options, force: requests.some(({ force }) => force) };
        const result = await this.#carryOut('edit:completed', acting, asked, act);
        return { ...result, files: act.files() };
      });
    });
  }

  async previewUndo(options: CallOptions = {}): Promise<Preview> {
    return this.#previewInverse(undoAct, options);
  }

  /** Takes back the newest act of Savepoint that stands; what changed since is kept. */
  async undo(options: UndoOptions = {}): Promise<ActResult> {
    return this.#inverse('undo:completed', undoAct, options);
  }

  async previewRedo(options: CallOptions = {}): Promise<Preview> {
    return this.#previewInverse(redoAct, options);
  }

  /** Takes back the newest undo that no act came after. */
  async redo(options: UndoOptions = {}): Promise<ActResult> {
    return this.#inverse('redo:completed', redoAct, options);
  }

  /** Looks for damage. @param options.deep reads and hashes every byte of the store */
  async verify(options: CallOptions & { readonly deep?: boolean } = {}): Promise<Verification> {
    const { verifyStore } = await import('./timeline/verify.ts');
    return this.#reading(async (workspace) => {
      const verification = await verifyStore(workspace, options.deep ?? false, this.#pace(options));
      // The next capture reads every file again, and so brings back what is damaged here and sound on disk.
      if (verification.damage.length > 0) workspace.memory.forget();
      return verification;
    });
  }

  /**
   * Settles what dead processes left.
   * @param options.decision for what needs one: finish it, or take it back
   * @throws SavepointError PENDING when it needs a decision
   * @returns also what waits for a root that is not there
   */
  async recover(options: CallOptions & { readonly decision?: 'forward' | 'back' } = {}): Promise<Settlement> {
    return this.#writing(options, 'overlapping', (workspace, lock, pace) =>
      this.#settle(workspace, lock, pace, options.decision ?? null),
    );
  }

  /** Drops old checkpoints by the retention policy and gives back the space that only they needed. */
  async gc(options: CallOptions & { readonly retention?: Partial<RetentionPolicy> } = {}): Promise<CleanUp> {
    return this.#acting(options, (acting) => {
      const { workspace, lock, pace } = settled(acting);
      return this.#cleanUp(
        workspace,
        lock,
        { ...this.#effective(workspace.root).retention, ...options.retention },
        pace,
      );
    });
  }

  /**
   * Applies retention where something is due, and merges packs where there are many; a session's end does so by itself.
   * @returns null where nothing was due, where there is no store, and while an act is pending
   */
  async tidyUp(options: CallOptions = {}): Promise<CleanUp | null> {
    return this.#tidied(options, this.#pace(options));
  }

  async #tidied(options: CallOptions, checking: Pace): Promise<CleanUp | null> {
    return this.#mapped(async () => {
      if (findWorkspace(this.#setting()) === null) return null;
      await this.#checkAdopted(options, checking);
      return this.#writing(options, 'overlapping', async (workspace, lock, pace) => {
        if (this.#isPending(workspace)) return null;
        const { retention } = this.#effective(workspace.root);
        const limit = retention.maxStoreBytes;
        const isTooLarge = limit !== null && storeBytes(workspace, 'all') > limit;
        const isDue = isTooLarge || expired(workspace.timeline, retention).length > 0;
        if (isDue) return this.#cleanUp(workspace, lock, retention, pace);
        await this.#merge(workspace, lock, pace);
        return null;
      });
    });
  }

  /** When what goes on in the background is done. */
  async idle(): Promise<void> {
    this.#waiters += 1;
    while (this.#background.size > 0) await Promise.all(this.#background);
    this.#waiters -= 1;
  }

  /** Numbers of the checkpoints that no clean-up drops. */
  async pinned(): Promise<ReadonlySet<number>> {
    return this.#reading((workspace) => workspace.timeline.pinned());
  }

  /**
   * Keeps a checkpoint through every clean-up, or lets it go again.
   * @returns the checkpoint, and whether anything was changed
   */
  async pin(
    name: string,
    options: CallOptions & { readonly unpin?: boolean } = {},
  ): Promise<{ readonly checkpoint: Checkpoint; readonly changed: boolean }> {
    return this.#writing(options, 'overlapping', async (workspace) => {
      const { timeline } = workspace;
      const checkpoint = this.#resolve(workspace, name);
      const was = timeline.pinned().has(checkpoint.number);
      if (options.unpin === true) {
        if (was) timeline.unpin(checkpoint.number);
        return { checkpoint, changed: was };
      }
      return { checkpoint, changed: timeline.pin(checkpoint) };
    });
  }

  /** What agents must not change. */
  async frozen(): Promise<readonly FrozenPath[]> {
    return this.#mapped(async () => this.#frozen());
  }

  async isFrozen(path: TreePath): Promise<boolean> {
    return (await this.frozenBy([path])).length > 0;
  }

  /** Those of the paths that a write would touch something frozen with, and what that is. */
  async frozenBy(
    paths: readonly TreePath[],
  ): Promise<readonly { readonly path: TreePath; readonly frozen: TreePath }[]> {
    const all = await this.frozen();
    return paths.flatMap((path) => {
      const frozen = frozenPathOf(all, path);
      return frozen === null ? [] : [{ path, frozen }];
    });
  }

  /** From now on agents' edits there are refused, and what their shells change there is put back. @returns all that is frozen */
  async freeze(paths: readonly TreePath[], options: CallOptions = {}): Promise<readonly FrozenPath[]> {
    return this.#writing(options, 'own', async ({ ports, store }) => {
      const before = readFrozen(ports, store.layout);
      const known = new Set(before.map(({ path }) => path));
      const since = ports.clock.now();
      const added = [...new Set(paths)].filter((path) => !known.has(path)).map((path) => ({ path, since }));
      if (added.length > 0) writeFrozen(ports, store.layout, [...before, ...added]);
      return readFrozen(ports, store.layout);
    });
  }

  /** Ends the freezing of these paths and of all below them. @returns what is frozen still */
  async unfreeze(paths: readonly TreePath[], options: CallOptions = {}): Promise<readonly FrozenPath[]> {
    return this.#writing(options, 'overlapping', async ({ ports, store }) => {
      const before = readFrozen(ports, store.layout);
      const left = before.filter(({ path }) => !paths.some((folder) => isWithin(path, folder)));
      if (left.length < before.length) writeFrozen(ports, store.layout, left);
      return left;
    });
  }

  /** Every store under the home folder, whatever folder this was opened for. */
  async workspaces(): Promise<{
    readonly records: readonly (WorkspaceRecord & { readonly present: boolean })[];
    readonly problems: readonly SavepointError[];
  }> {
    return this.#mapped(async () => {
      const { ports, places } = this.#options;
      const { records, problems } = listRecords(ports, places.home);
      return { records: records.map((record) => ({ ...record, present: this.#isThere(record.path) })), problems };
    });
  }

  /** Gives this folder the timeline of another path (or of a store's id). */
  async link(from: string, options: CallOptions = {}): Promise<{ readonly id: WorkspaceId; readonly root: DiskPath }> {
    return this.#mapped(async () => {
      const { id, root } = await linkWorkspace(this.#setting(), from, this.#pace(options), this.#wait());
      return { id, root };
    });
  }

  #restore(
    workspace: Workspace,
    target: Checkpoint,
    options: RestoreOptions,
    pace: Pace,
    session?: RestoreRequest['session'],
  ): ReturnType<typeof restoreAct> {
    return restoreAct(
      workspace,
      {
        target,
        scope: options.paths ?? [],
        mode: options.mode ?? null,
        root: options.root ?? null,
        allowPartial: options.allowPartial ?? false,
        git: options.git ?? false,
        actor: this.#actor,
        ...(session === undefined ? {} : { session }),
        global: this.#globalRules(workspace),
      },
      pace,
    );
  }

  #rollback(
    workspace: Workspace,
    selection: Selection,
    options: RollbackOptions,
    pace: Pace,
  ): ReturnType<typeof rollbackAct> {
    const request = {
      selection,
      actor: this.#actor,
      includeShared: options.includeShared ?? false,
      skipConflicts: options.skipConflicts ?? false,
      prefer: options.prefer ?? new Map(),
      force: options.force ?? false,
    };
    return rollbackAct(workspace, request, pace);
  }

  #frozen(): readonly FrozenPath[] {
    const setting = this.#setting();
    const found = findWorkspace(setting);
    return found === null ? [] : readFrozen(setting.ports, layoutOf(found.record.storePath));
  }

  /** A person says with each file that it is to be edited all the same. */
  #assertMayEdit(requests: readonly FileRequest[]): void {
    const isForced = ({ force }: FileRequest): boolean => force && this.#actor.kind === 'user';
    assertNotFrozen(
      this.#frozen(),
      requests.flatMap((request) => (isForced(request) ? [] : [request.path])),
    );
  }

  /** Puts back what agents changed of what is frozen, checkpoint by checkpoint, the newest first. */
  async #putBack(checkpoints: readonly Checkpoint[]): Promise<PutBack | null> {
    const paths = new Set<TreePath>();
    let problem: SavepointError | null = null;
    for (const left of [...checkpoints].reverse()) {
      const touched = changedThoughFrozen(left, this.#frozen());
      if (touched.length === 0 || left.previous === null) continue;
      try {
        await this.#acting({}, async (acting) => {
          const { workspace, pace } = acting;
          const found = this.#resolve(workspace, left.previous as string);
          const frozen = readFrozen(workspace.ports, workspace.store.layout);
          const act = putBackAct(left, found, frozen, touched, pace);
          const result = await performAct(acting, act, null);
          this.#warnOf(result.scan);
          if (result.checkpoint !== null) this.#events.emitCheckpoint(result.checkpoint);
          for (const { path } of result.plan.paths) paths.add(path);
        });
      } catch (error) {
        problem = asSavepointError(error);
        this.#events.emit('warning', { message: `What is frozen could not be put back: ${problem.message}` });
      }
    }
    return paths.size === 0 && problem === null ? null : { paths: [...paths], problem };
  }

  #asAsked(act: Act, workspace: Workspace, options: CallOptions): Act {
    return { ...ofCall(act, workspace, options), overFrozen: options.force === true && this.#actor.kind === 'user' };
  }

  #globalRules(workspace: Workspace): Buffer | null {
    const { globalIgnore, ports } = workspace;
    if (globalIgnore === null) return null;
    try {
      return readWhole(ports.fs, globalIgnore, RULE_BYTES);
    } catch (error) {
      if (error instanceof FsError) return null;
      throw error;
    }
  }

  #resolve(workspace: Workspace, name: string): Checkpoint {
    return resolveCheckpoint(workspace.timeline, name, this.#options.ports.clock.now());
  }

  #announce(name: ActEvent, result: ActResult): void {
    this.#warnOf(result.scan);
    if (result.beforeIsNew) this.#events.emitCheckpoint(result.before);
    const { checkpoint, plan } = result;
    if (checkpoint === null) return;
    this.#events.emitCheckpoint(checkpoint);
    for (const change of checkpoint.rolledBack) this.#events.emit('change:rolled-back', { checkpoint, change });
    const paths = plan.paths.length;
    if (name === 'rollback:completed') this.#events.emit(name, rolledBack(checkpoint, paths));
    else this.#events.emit(name, { checkpoint, paths });
  }

  #warnOf(scan: ScanResult): void {
    for (const message of scan.problems) this.#events.emit('warning', { message });
  }

  async #previewInverse(actOf: typeof undoAct, options: CallOptions): Promise<Preview> {
    return this.#reading((workspace) => {
      const pace = this.#pace(options);
      return previewAct(workspace, this.#asAsked(actOf(workspace, this.#actor, pace), workspace, options), pace);
    });
  }

  async #inverse(event: ActEvent, actOf: typeof undoAct, options: UndoOptions): Promise<ActResult> {
    return this.#acting(options, async (acting) => {
      await this.#makeRoom(acting, 'all');
      return this.#carryOut(event, acting, options, actOf(acting.workspace, this.#actor, acting.pace));
    });
  }

  /** Every act ends the same way: it is told, then the store is tidied. */
  async #carryOut(event: ActEvent, acting: Acting, options: UndoOptions, act: Act): Promise<ActResult> {
    const asked = this.#asAsked(act, acting.workspace, options);
    const result = await performAct(acting, asked, options.expected ?? null);
    this.#announce(event, result);
    await this.#tidyUp(acting.workspace, acting.lock);
    return result;
  }

  /** A verb that changes files: no decision may be pending, here or in a workspace that overlaps. */
  async #acting<T>(options: CallOptions, work: (acting: Acting) => Promise<T>): Promise<T> {
    return this.#writing(options, 'overlapping', async (workspace, lock, pace) => {
      const { waiting } = await this.#settle(workspace, lock, pace, null);
      return work({ workspace, lock, pace, waiting });
    });
  }

  async #writing<T>(
    options: CallOptions,
    which: 'own' | 'overlapping' | 'overlapping-or-new',
    work: (workspace: Workspace, lock: HeldLock, pace: Pace) => Promise<T>,
  ): Promise<T> {
    return this.#mapped(async () => {
      const setting = this.#setting();
      const pace = this.#pace(options);
      const found = which === 'overlapping' ? findWorkspace(setting) : null;
      if (which === 'overlapping' && found === null) throw this.#noWorkspace(setting);
      const workspace = await ensureWorkspace(setting, pace, this.#wait());
      const { store } = workspace;
      const lock =
        which === 'own'
          ? await acquireLock(setting.ports, store.layout.lock, pace, this.#wait(), store.turn)
          : await lockOverlapping(setting, workspace, pace, this.#wait());
      try {
        if (!lock.isOurTurn) {
          confirmRecord(setting.ports, store.layout.path);
          store.refs.collectDebris();
          store.objects.collectDebris();
        }
        return await work(workspace, lock, pace);
      } catch (error) {
        store.turn.forget();
        throw error;
      } finally {
        lock.release();
        this.#letGo(store);
      }
    });
  }

  async #reading<T>(work: (workspace: Workspace, found: Found) => T | Promise<T>): Promise<T> {
    return this.#mapped(async () => {
      const setting = this.#setting();
      const found = findWorkspace(setting);
      if (found === null) throw this.#noWorkspace(setting);
      const workspace = openFound(setting, found);
      try {
        return await work(workspace, found);
      } finally {
        this.#letGo(workspace.store);
      }
    });
  }

  /** Settles journals of this workspace and of those that overlap it; the locks of all of them are held. */
  async #settle(
    workspace: Workspace,
    lock: HeldLock,
    pace: Pace,
    decision: 'forward' | 'back' | null,
  ): Promise<Settlement> {
    const settled: Recovered[] = [];
    const waiting: Waiting[] = [];
    for (const other of overlapping(this.#setting(), workspace)) {
      if (other.id !== workspace.id) other.store.refs.collectDebris();
      const done = await this.#recover(other, lock, pace, decision);
      settled.push(...done.settled);
      waiting.push(...done.waiting);
    }
    if (settled.length > 0) this.#events.emit('recovered', { settled });
    return { settled, waiting };
  }

  /** A capture goes on while an act is pending: it changes nothing that the act would have to know. */
  async #settleQuietly(workspace: Workspace, lock: HeldLock, pace: Pace): Promise<SavepointError | null> {
    try {
      const { waiting } = await this.#recover(workspace, lock, pace, null);
      return waiting[0]?.error ?? null;
    } catch (error) {
      if (error instanceof SavepointError && error.code === 'PENDING') return error;
      throw error;
    }
  }

  #recover(workspace: Workspace, lock: HeldLock, pace: Pace, decision: 'forward' | 'back' | null): Promise<Settlement> {
    const { ports, store } = workspace;
    return recover({
      ports,
      layout: store.layout,
      objects: store.objects,
      lock,
      pace,
      decision,
      publication: (journal) => publicationAgain(workspace, lock, pace, journal),
    });
  }

  /** Clean-up when there is reason for it, after the answer is sure; a failure of it is none of the caller's. */
  async #tidyUp(workspace: Workspace, lock: HeldLock): Promise<void> {
    try {
      // What a pending act needs besides the refs would be swept.
      if (this.#isPending(workspace)) return;
      const { retention } = this.#effective(workspace.root);
      const pace = this.#pace({});
      if (workspace.timeline.list().length > retention.maxCheckpoints * OVERRUN) {
        await this.#cleanUp(workspace, lock, retention, pace);
      } else if (workspace.store.objects.packCount <= MOST_PACKS) return;
      else if (this.#standing !== null) this.#tidyLater();
      else await this.#merge(workspace, lock, pace);
    } catch (error) {
      this.#events.emit('warning', { message: `Clean-up failed: ${asSavepointError(error).message}` });
    }
  }

  /** One after the other, and once more however many calls find reason for it meanwhile. */
  #tidyLater(): void {
    if (this.#tidying !== 'no') {
      this.#tidying = 'again';
      return;
    }
    this.#tidying = 'under-way';
    this.#inBackground(async () => {
      try {
        await this.#tidied(
          {},
          Pace.aside(this.#options.ports.clock, () => this.#waiters > 0),
        );
      } finally {
        const isDueAgain = this.#tidying === 'again';
        this.#tidying = 'no';
        if (isDueAgain) this.#tidyLater();
      }
    });
  }

  /** One pack instead of many, and one file of refs. Drops nothing. */
  async #merge({ store }: Workspace, lock: HeldLock, pace: Pace): Promise<void> {
    if (store.objects.packCount <= MOST_PACKS) return;
    await store.objects.consolidate({ pace, smallest: true, assertHeld: () => lock.assertHeld() });
    lock.assertHeld();
    store.refs.pack();
  }

  /**
   * A store that is too large loses its oldest checkpoints before anything else is done.
   * @throws SavepointError STORE_FULL when that is not enough
   */
  async #makeRoom({ workspace, lock, pace }: Omit<Acting, 'waiting'>, of: Counted): Promise<void> {
    const { retention } = this.#effective(workspace.root);
    const limit = retention.maxStoreBytes;
    if (limit === null || storeBytes(workspace, of) <= limit) return;
    if (!this.#isPending(workspace)) await this.#cleanUp(workspace, lock, retention, pace);
    workspace.store.objects.refresh();
    const bytes = storeBytes(workspace, of);
    if (bytes <= limit) return;
    throw new SavepointError(
      'STORE_FULL',
      `The store has ${Math.ceil(bytes / MB)} MB, ${Math.floor(limit / MB)} MB are allowed, and nothing more may be dropped.`,
      { bytes, limit, pinned: workspace.timeline.pinned().size },
    );
  }

  /**
   * Reads what a first checkpoint took over from repositories, if nobody has yet; where something is not as it should be,
   * says so as a warning, and takes a checkpoint for which every file is read. Not while an act is pending.
   */
  async #checkAdopted(options: CallOptions, pace: Pace): Promise<void> {
    const told = await this.#reading(async (workspace) => {
      if (!isAdoptedUnread(workspace.ports.fs, workspace.store.layout) || this.#isPending(workspace)) return null;
      const { checkAdopted, tellAdopted } = await import('./timeline/adopted.ts');
      const check = await checkAdopted(workspace, pace);
      return { problem: check === null ? null : tellAdopted(check) };
    });
    if (told === null) return;
    await this.#writing(options, 'own', async (workspace, lock, pace) => {
      if (this.#isPending(workspace)) return;
      if (told.problem !== null) {
        this.#events.emit('warning', { message: told.problem });
        workspace.memory.forget();
        const taken = await capture(workspace, lock, pace, plainTelling('before', OUTSIDE), { always: false });
        if (taken.made) this.#events.emitCheckpoint(taken.checkpoint);
      }
      forgetAdopted(workspace.ports.fs, workspace.store.layout);
    });
  }

  #isPending({ ports, store }: Workspace): boolean {
    return listUnsettled(ports, store.layout.journal).journals.length > 0;
  }

  /** One piece of work, however many checkpoints come at once. */
  #exportLater(): void {
    if (this.#isExportDue || this.#exportPlace() === null) return;
    this.#isExportDue = true;
    const { exporter, dir } = this.#options;
    // At once: this process may end before its next turn.
    exporter?.elsewhere?.(dir);
    this.#inBackground(async () => {
      this.#isExportDue = false;
      if (exporter?.elsewhere !== undefined) return;
      const failure = await this.exportPatiently();
      if (failure !== null) this.#events.emit('warning', { message: `Not exported: ${failure.message}` });
    });
  }

  #exportStatus({ root, ports, store, timeline }: Workspace): Status['exporting'] {
    const place = this.#settings(root).values['export.to'];
    if (place === '') return null;
    const known = readExportState(ports.fs, store.layout);
    const state = known?.place === place ? known : null;
    const upTo = state?.upTo == null ? 0 : checkpointNumber(state.upTo);
    return { place, state, behind: timeline.list().filter(({ number }) => number > upTo).length };
  }

  /** Null where nothing goes anywhere, and where the settings cannot be used: other verbs say so. */
  #exportPlace(): string | null {
    if (this.#options.settings === undefined) return null;
    try {
      return this.#effective(this.#root()).exporting?.to ?? null;
    } catch (error) {
      if (error instanceof SavepointError || error instanceof FsError) return null;
      throw error;
    }
  }

  /** Not waited for; what goes wrong is a warning. */
  #inBackground(work: () => Promise<unknown>): void {
    const done = this.#options.ports.clock
      .turn()
      .then(work)
      .catch((error: unknown) => {
        this.#events.emit('warning', { message: `Clean-up failed: ${asSavepointError(error).message}` });
      })
      .then(() => {
        this.#background.delete(done);
      });
    this.#background.add(done);
  }

  async #cleanUp(workspace: Workspace, lock: HeldLock, policy: RetentionPolicy, pace: Pace): Promise<CleanUp> {
    const { ports, store } = workspace;
    const done = await cleanUp(workspace, lock, policy, pace, () => {
      this.#dropBackups(workspace);
      return bytesIn(ports.fs, store.layout.backups);
    });
    if (done.dropped.length > 0) this.#dropSessions(workspace);
    return done;
  }

  /** What sessions without a checkpoint remember. */
  #dropSessions({ ports, store, timeline }: Workspace): void {
    const sessions = new Set([...timeline.oldestFirst()].map(({ session }) => session));
    dropSessionStates(ports.fs, store.layout, (session) => !sessions.has(session));
  }

  /** Backups of an act are kept as long as the checkpoint before it. */
  #dropBackups(workspace: Workspace): void {
    const kept = new Set(workspace.timeline.list().map(({ number }) => number));
    dropBackups(workspace.ports, workspace.store.layout, workspace.root, (number) => kept.has(number));
  }

  #settings(root: DiskPath): Settings {
    const { settings: source, ports, places } = this.#options;
    if (source === undefined) return DEFAULT_SETTINGS;
    const read = (fs: Fs): Settings => readSettings({ ...ports, fs }, { home: places.home, root }, source);
    if (this.#standing === null) return read(ports.fs);
    return this.#standing.still(ports, JSON.stringify([places.home, root, source]), read);
  }

  /** @throws SavepointError BAD_CONFIG */
  #effective(root: DiskPath): Effective {
    const settings = this.#settings(root);
    assertSound(settings);
    for (const each of settings.ignored) {
      const message = ignoredText(each, each.file === null ? '' : showName(each.file));
      if (!this.#warned.has(message)) this.#events.emit('warning', { message });
      this.#warned.add(message);
    }
    return effective(settings, this.#options);
  }

  #beyondPurge(workspace: Workspace, paths: readonly TreePath[]): PurgeReach {
    const others = overlapping(this.#setting(), workspace).filter(({ id }) => id !== workspace.id);
    return {
      stillThere: paths.filter((path) => this.#isThere(`${workspace.root}/${path}` as DiskPath)),
      otherWorkspaces: others.map(({ root }) => root),
    };
  }

  #assertOnRequest(root: DiskPath): void {
    const option = 'triggers.on_request';
    const { values, origins, files } = this.#settings(root);
    if (values[option]) return;
    const file = files.find(({ of }) => of === origins[option])?.path ?? null;
    const where = file === null ? 'The configuration' : showName(file);
    throw new SavepointError('TURNED_OFF', `${where} turns checkpoints on request off (${option}).`, {
      option,
      file: file === null ? null : nameToJson(file),
    });
  }

  #noWorkspace(setting: Setting): SavepointError {
    const stat = setting.ports.fs.lstat(setting.folder);
    const exists = stat !== null && kindOf(stat) === 'folder';
    const message = exists
      ? 'There are no checkpoints of this folder yet.'
      : `There is no folder ${showName(setting.folder)}, and there are no checkpoints of one.`;
    const hint = 'See `savepoint workspaces` for the folders that have checkpoints.';
    const data = { folder: nameToJson(setting.folder), exists };
    return new SavepointError('NO_WORKSPACE', message, data, exists ? {} : { hint });
  }

  /** The workspace's folder, also before it has a store. */
  #root(): DiskPath {
    const setting = this.#setting();
    const found = findWorkspace(setting);
    return found === null ? newWorkspaceFolder(setting) : pathOf(found);
  }

  #isThere(path: DiskPath): boolean {
    try {
      return this.#options.ports.fs.lstat(path) !== null;
    } catch (error) {
      if (error instanceof FsError) return false;
      throw error;
    }
  }

  #setting(): Setting {
    const { ports, places, dir, here, allowHome } = this.#options;
    assertNoLink(ports, places.home);
    const home = resolveFolder(ports, places.home);
    const list = (fs: Fs): Records => listRecords({ ...ports, fs }, home);
    return {
      ports,
      places: { ...places, home },
      listRecords: () => this.#standing?.still(ports, `records of ${home}`, list) ?? list(ports.fs),
      rulesOf: (root) => this.#effective(root).rules,
      recordsIndex: (root) => this.#effective(root).recordIndex,
      maxStoreBytes: (root) => this.#effective(root).retention.maxStoreBytes,
      storeOf: (record) => this.#standing?.storeOf(ports, record) ?? openStore(ports, record.storePath),
      stories: this.#stories,
      memoryOf: (record, saved) => this.#standing?.memoryOf(ports, record, saved) ?? saved,
      adopts: (root) => this.#effective(root).adopt,
      folder: resolveFolder(ports, dir),
      here: here ?? false,
      allowHome: allowHome ?? false,
    };
  }

  #letGo(store: OpenStore): void {
    if (this.#standing?.has(store) !== true) store.objects.close();
  }

  #pace(options: CallOptions): Pace {
    const tell = (progress: Progress): void => this.#events.emit('progress', progress);
    return new Pace(this.#options.ports.clock, options.signal ?? null, tell);
  }

  #wait(): LockOptions {
    return {
      waitMs: this.#options.waitMs ?? WAIT_MS,
      onWait: (holder) => this.#events.emit('waiting', holder),
    };
  }

  /** Whatever goes wrong reaches the caller as a SavepointError. */
  async #mapped<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw asSavepointError(error);
    }
  }
}

function purgeable(paths: readonly TreePath[]): readonly TreePath[] {
  if (!paths.includes('' as TreePath)) return paths;
  const why = 'is the whole workspace';
  const hint = 'To forget all of it, delete its store; `savepoint workspaces` says where that is.';
  const message = 'The whole workspace cannot be purged.';
  throw new SavepointError('PATH_REFUSED', message, { path: '', why }, { hint });
}

/** Captures bring no backups: what there is of those was counted when it came. */
type Counted = 'objects' | 'all';

function storeBytes({ ports, store }: Workspace, of: Counted): number {
  return store.objects.bytes + (of === 'all' ? bytesIn(ports.fs, store.layout.backups) : 0);
}

/** For what would take away what an act that waits needs. @throws SavepointError PENDING */
function settled(acting: Acting): Acting {
  const [first] = acting.waiting;
  if (first !== undefined) throw first.error;
  return acting;
}

function problemOf(settings: Settings): SavepointError | null {
  try {
    assertSound(settings);
    return null;
  } catch (error) {
    return asSavepointError(error);
  }
}

/**
 * An act that an agent asks for through one of our own tools is a step of its session: a hook told of the call, under the
 * id that the tool was given, or under none, where only one such call is open.
 */
function ofCall(act: Act, { ports, store }: Workspace, { toolCall }: CallOptions): Act {
  if (act.telling.actor.kind !== 'agent') return act;
  const own = readOpenCalls(ports.fs, store.layout, ports.clock.now()).filter((call) => call.own);
  const call = toolCall === undefined ? onlyOne(own) : own.find(({ id }) => id === toolCall);
  if (call === undefined) return toolCall === undefined ? act : { ...act, telling: { ...act.telling, toolCall } };
  const { actor, session, id, tool } = call;
  return { ...act, telling: { ...act.telling, actor, session, toolCall: id, tool } };
}

function onlyOne<T>(items: readonly T[]): T | undefined {
  return items.length === 1 ? items[0] : undefined;
}

/** Nothing happens where there is no store yet. */
async function unlessMissing<T>(work: Promise<readonly T[]>): Promise<readonly T[]> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof SavepointError && error.code === 'NO_WORKSPACE' && error.data['exists'] === true) return [];
    throw error;
  }
}
