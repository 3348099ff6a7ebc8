/** Calls that take and show checkpoints. */

import { type Overview, overviewOfTurns } from '../../conversation/overview.ts';
import type { WorkQuery } from '../../conversation/work-page.ts';
import { givenPaths } from '../../io/given-path.ts';
import type { Pace } from '../../io/pace.ts';
import type { CallOptions } from '../../model/call-options.ts';
import type { Checkpoint, TestResult } from '../../model/checkpoint.ts';
import type { SavepointError } from '../../model/errors.ts';
import { type CheckpointId, checkpointId, type WorkspaceId } from '../../model/ids.ts';
import type { DiskPath, JsonName } from '../../model/names.ts';
import { isLocked } from '../../store/lock.ts';
import { unlessDamaged } from '../../store/objects/damage.ts';
import type { ObjectReader } from '../../store/objects/object-reader.ts';
import type { CheckSummary } from '../../store/state/check-summaries.ts';
import { readRecordedCalls } from '../../store/state/open-calls.ts';
import { deletedUpToIn } from '../../store/state/session-state.ts';
import { nextOperations } from '../../timeline/activity/operations.ts';
import { type CaptureOptions, type CaptureResult, capture, scanWorkspace } from '../../timeline/capture/capture.ts';
import { checkpointInfo } from '../../timeline/capture/compose.ts';
import { describeDamage, FoundDamage } from '../../timeline/capture/found-damage.ts';
import type { Workspace } from '../../timeline/capture/workspace.ts';
import { type CompareInput, compare, type SnapshotComparison } from '../../timeline/diff/compare.ts';
import { assertPathsKnown, type NamedSnapshot } from '../../timeline/diff/known-paths.ts';
import { type RootChange, rootChanges } from '../../timeline/diff/root-changes.ts';
import { operationNotHappened } from '../../timeline/query/not-happened.ts';
import { type OverviewQuery, overview } from '../../timeline/query/overview.ts';
import { type Moment, resolveMoment } from '../../timeline/query/resolve.ts';
import { resolveSession } from '../../timeline/query/select-authors.ts';
import type { DamagedCheckpoint, Timeline } from '../../timeline/record/timeline.ts';
import { listUnfinished } from '../../transaction/journal.ts';
import { missingMounts } from '../../transaction/mounts.ts';
import type { Journal, Mount } from '../../transaction/transition.ts';
import type { ScanResult } from '../../workspace/scan/scan.ts';
import { announceCapture } from '../announce.ts';
import { type CopySummary, summaryOfCopies } from '../copies/copy-list.ts';
import type { Engine } from '../engine.ts';
import { type ExportStatus, exportStatus } from '../export-schedule.ts';
import { type FileContent, type FilesOfPlan, type ReadFileOptions, readFileFrom } from '../file-content.ts';
import { makeRoom, tidyAfter } from '../maintenance.ts';
import { type OpenPlan, openPlans } from '../plans/expire.ts';
import { recoverForCapture } from '../recovery.ts';
import { unconfirmedDrops } from '../retention-in-effect.ts';
import { servedCallInfo } from '../served-call.ts';
import { assertRequestsEnabled } from '../settings.ts';
import { assertByPerson } from '../shell-call.ts';
import { checksOfCheckpoints } from './check-summaries.ts';
import { laterResults } from './test-results.ts';

/** Options of a checkpoint taken on request. */
export interface CheckpointOptions extends CallOptions {
  readonly message?: string;
  readonly testResult?: TestResult;
}

/** The result of `checkpoint`. */
export interface CheckpointResult extends CaptureResult {
  /** An operation that needs a decision. Captures continue meanwhile. */
  readonly pending: SavepointError | null;
}

/** An operation that is neither finished nor rolled back. */
export interface PendingOperation {
  readonly journal: Journal;
  /** The missing mounts that it waits for. */
  readonly missing: readonly Mount[];
  /** A process holds the lock, or waits for it: it performs the operation, or will finish it or roll it back first. */
  readonly isRunning: boolean;
}

/** The state of the workspace and its store, as `status` reports it. */
export interface Status {
  readonly workspace: { readonly id: WorkspaceId; readonly root: DiskPath; readonly store: DiskPath };
  /** The folder was found at another path, or was recreated at the same path, since the last call that writes. */
  readonly moved: 'moved' | 'made-anew' | null;
  readonly checkpoints: number;
  readonly last: Checkpoint | null;
  /** What differs from the last checkpoint. Null if the folder is missing. */
  readonly changed: SnapshotComparison | null;
  readonly scan: ScanResult | null;
  /** Operations in progress, and unfinished ones of dead processes. */
  readonly pending: readonly PendingOperation[];
  /** The checkpoint before an operation that did not happen; see `notHappened`. */
  readonly notHappened: Checkpoint | null;
  /** What `undo` would revert next, and what `redo` would apply again next. */
  readonly undo: Checkpoint | null;
  readonly redo: Checkpoint | null;
  /** Damaged records of open calls, as files of the store. Until they are removed, changes may be by an unknown agent. */
  readonly damagedCalls: readonly string[];
  /** The progress of the automatic export. Null if none is configured. */
  readonly exporting: ExportStatus | null;
  /** Checkpoints that the user's limits drop, and that automatic clean-up keeps until `gc` has confirmed it. */
  readonly unconfirmedDrops: number;
  /** Copies of the workspace, with the limit that they count towards, if any. */
  readonly copies: CopySummary & { readonly limit: number | null };
  /** Plans that are neither applied, rolled back nor cancelled, the oldest first. */
  readonly openPlans: readonly OpenPlan[];
}

export interface DiffOptions extends CallOptions {
  /** Default: the last checkpoint. */
  readonly from?: string;
  /** Default: the current files. */
  readonly to?: string;
  /** Only these paths and everything below them. */
  readonly paths?: readonly JsonName[];
  /** Include unified patches. Default false. */
  readonly patch?: boolean;
}

/** The differences between two states. */
export interface DiffResult extends SnapshotComparison {
  readonly from: Checkpoint;
  /** Null: the current files. */
  readonly to: Checkpoint | null;
  readonly rootChanges: readonly RootChange[];
  /** Damage of the store because of which the difference is not fully known. */
  readonly problems: readonly string[];
}

export interface CheckpointCalls {
  /**
   * Takes a checkpoint of the current workspace, even if nothing changed. Creates the store if there is none.
   * @throws SavepointError CAPTURE_FAILED, ROOT_REFUSED, STORE_UNSAFE, STORE_TOO_NEW, LOCKED, NO_SPACE, IO, CANCELLED
   */
  checkpoint(options?: CheckpointOptions): Promise<CheckpointResult>;
  /**
   * Returns checkpoints, newest first. Those with an unreadable record are listed separately.
   * @param options.limit the maximum number
   * @param options.before only checkpoints with a lower number
   */
  list(options?: { readonly limit?: number; readonly before?: number }): Promise<{
    readonly checkpoints: readonly Checkpoint[];
    readonly damaged: readonly DamagedCheckpoint[];
  }>;
  /** Returns checkpoints for display, newest first. */
  overview(query: OverviewQuery): Promise<Overview>;
  /** @throws SavepointError BAD_ID, UNKNOWN_CHECKPOINT, AMBIGUOUS_ID, NO_CHECKPOINT */
  show(name: string): Promise<Checkpoint>;
  /** Returns how the checks of these checkpoints went, without those of which nothing is kept. */
  checkSummaries(checkpoints: readonly Checkpoint[]): Promise<ReadonlyMap<CheckpointId, CheckSummary>>;
  /**
   * Returns the roots that each checkpoint added, removed or moved. Empty if the checkpoint before it has been dropped.
   */
  rootChanges(checkpoints: readonly Checkpoint[]): Promise<ReadonlyMap<CheckpointId, readonly RootChange[]>>;
  /**
   * Resolves a text to a checkpoint number or a time, to select what came after it.
   * @param given a checkpoint, or a time such as `2026-01-31T12:00:00Z` or `10 minutes ago`
   * @throws SavepointError BAD_ID, UNKNOWN_CHECKPOINT, AMBIGUOUS_ID, NO_CHECKPOINT
   */
  moment(given: string): Promise<Moment>;
  /**
   * Returns the checkpoint that was taken before the last operation, if that operation did not happen (it was killed or
   * refused) and nothing was recorded since. Its `precedes` and `target` tell which operation. Null if there is none, or
   * while an operation may be in progress.
   */
  notHappened(): Promise<Checkpoint | null>;
  /** Returns the state of the workspace and its store. Changes nothing and does not wait for the lock. */
  status(options?: CallOptions): Promise<Status>;
  /**
   * Returns the differences between two checkpoints, or between one and the current files.
   * @throws SavepointError PATH_REFUSED for a path that neither of them has
   */
  diff(options?: DiffOptions): Promise<DiffResult>;
  /**
   * Returns the bytes of a file, or of a link's target. From the folder, those that a checkpoint taken now would have.
   * @param from a checkpoint, a plan, or null for the folder as it is now
   * @throws SavepointError PATH_REFUSED if there is no file there, UNKNOWN_PLAN, IO if a file keeps changing, and what
   *   `show` throws
   */
  cat(from: string | FilesOfPlan | null, path: JsonName, options?: ReadFileOptions): Promise<FileContent>;
  /** Returns the numbers of the pinned checkpoints, which no clean-up drops. */
  pinned(): Promise<ReadonlySet<number>>;
  /**
   * Pins a checkpoint, so that no clean-up drops it, or removes the pin with `unpin`.
   * @returns the checkpoint, and whether anything changed
   */
  pin(
    name: string,
    options?: CallOptions & { readonly unpin?: boolean },
  ): Promise<{ readonly checkpoint: Checkpoint; readonly changed: boolean }>;
}

export function checkpointCalls(engine: Engine): CheckpointCalls {
  return {
    checkpoint: (options = {}) => takeCheckpoint(engine, options),
    list: ({ limit, before = Number.POSITIVE_INFINITY } = {}) =>
      engine.read((workspace) => {
        const refs = workspace.timeline.list().filter(({ number }) => number < before);
        const chosen = limit === undefined ? [...refs] : refs.slice(Math.max(0, refs.length - limit));
        const { checkpoints, damaged } = workspace.timeline.readAll(chosen.reverse());
        return { checkpoints: checkpoints.map(laterResults(engine, workspace)), damaged };
      }),
    overview: (query) =>
      engine.read((workspace) => {
        const withResult = laterResults(engine, workspace);
        const page = overviewOf(workspace, query, { withResult, checksOf: checksOfCheckpoints(engine, workspace) });
        return { ...page, rows: page.rows.map((row) => ({ ...row, checkpoint: withResult(row.checkpoint) })) };
      }, 'warn'),
    show: (name) => engine.read((workspace) => laterResults(engine, workspace)(engine.resolve(workspace, name))),
    checkSummaries: (checkpoints) =>
      engine.read((workspace) => {
        const checksOf = checksOfCheckpoints(engine, workspace);
        return new Map(
          checkpoints.flatMap((one) => {
            const summary = checksOf(one);
            return summary === null ? [] : [[one.id, summary]];
          }),
        );
      }),
    rootChanges: (checkpoints) => engine.read(({ timeline }) => rootChangesOf(timeline, checkpoints)),
    moment: (given) => engine.read(({ timeline }) => resolveMoment(timeline, given, engine.ports.clock.now())),
    notHappened: () => engine.read(notHappened),
    status: (options = {}) => status(engine, options),
    diff: (options = {}) => diff(engine, options),
    cat: (from, path, options = {}) => readFileFrom(engine, from, path, options),
    pinned: () => engine.read(({ timeline }) => timeline.pinned()),
    pin: (name, { unpin = false, ...options } = {}) =>
      engine.write(options, 'existing', async ({ workspace }) => {
        const { timeline } = workspace;
        const checkpoint = engine.resolve(workspace, name);
        if (!unpin) return { checkpoint, changed: timeline.pin(checkpoint) };
        assertByPerson(engine, workspace, 'unpin');
        const changed = timeline.pinned().has(checkpoint.number);
        if (changed) timeline.unpin(checkpoint.number);
        return { checkpoint, changed };
      }),
  };
}

function overviewOf(
  workspace: Workspace,
  { session: given, ...query }: OverviewQuery,
  { withResult, checksOf }: Required<Pick<WorkQuery, 'withResult' | 'checksOf'>>,
): Overview {
  const { ports, store, timeline } = workspace;
  const one = given === undefined ? {} : { session: resolveSession(workspace, given) };
  return query.view === 'turns'
    ? overviewOfTurns(
        timeline,
        store.objects,
        { ...query, ...one },
        { deletedUpTo: deletedUpToIn(ports.fs, store.layout), withResult, checksOf },
      )
    : { ...overview(timeline, { ...query, ...one }, withResult), turns: [], position: null };
}

function takeCheckpoint(engine: Engine, options: CheckpointOptions): Promise<CheckpointResult> {
  return engine.write(options, 'alone', async (writing) => {
    const { context, workspace, lock, pace } = writing;
    assertRequestsEnabled(context.settings(workspace.root));
    const pending = await recoverForCapture(writing);
    await makeRoom(writing, 'objects');
    const info = {
      ...checkpointInfo('manual', engine.actor),
      description: options.message ?? null,
      testResult: options.testResult ?? null,
      ...servedCallInfo(engine, workspace, options),
    };
    const captured = await capture(workspace, lock, pace, info, { always: true });
    announceCapture(engine, context, captured);
    await tidyAfter(engine, writing);
    return { ...captured, pending };
  });
}

function rootChangesOf(
  timeline: Timeline,
  checkpoints: readonly Checkpoint[],
): ReadonlyMap<CheckpointId, readonly RootChange[]> {
  const wanted = new Set(checkpoints.map(({ previous }) => previous));
  const refs = timeline.list().filter(({ number }) => wanted.has(checkpointId(number)));
  const before = new Map(timeline.readAll(refs).checkpoints.map(({ id, roots }) => [id, roots]));
  return new Map(
    checkpoints.map(({ id, previous, roots }) => {
      const was = previous === null ? undefined : before.get(previous);
      return [id, was === undefined ? [] : rootChanges(was, roots)];
    }),
  );
}

function notHappened({ ports, store, timeline }: Workspace): Checkpoint | null {
  const before = operationNotHappened(timeline);
  if (before === null || isLocked(ports, store.layout.lock)) return null;
  // A pending operation may still happen, and is reported as pending.
  return listUnfinished(ports, store.layout.journal).journals.length > 0 ? null : before;
}

function status(engine: Engine, options: CallOptions): Promise<Status> {
  return engine.read(async (workspace, context, found) => {
    const pace = engine.pace(options);
    const { ports, store, timeline } = workspace;
    const isMissing = ports.fs.lstat(workspace.root) === null;
    const latest = timeline.latest();
    // With a damaged ref, it is not known which checkpoint `last` means.
    const last = latest && (unlessDamaged(undefined, () => engine.resolve(workspace, 'last')) ?? latest);
    const refs = timeline.list();
    const unreadable = timeline.readAll(refs.filter(({ damage }) => damage !== undefined)).damaged;
    const seen = isMissing ? null : await seeFiles(workspace, last, pace);
    const isRunning = isLocked(ports, store.layout.lock);
    return {
      workspace: { id: workspace.id, root: workspace.root, store: store.layout.path },
      moved: found.kind === 'moved' ? 'moved' : found.isRecreated ? 'made-anew' : null,
      checkpoints: refs.length,
      last: last === null ? null : laterResults(engine, workspace)(last),
      changed: seen?.changed ?? null,
      scan:
        seen &&
        withProblems(
          seen.scan,
          [found.record.damage, timeline.damage(), ...unreadable.map(({ error }) => error)].flatMap(
            (error) => error?.message ?? [],
          ),
        ),
      pending: listUnfinished(ports, store.layout.journal).journals.map((journal) => ({
        journal,
        missing: missingMounts(ports, journal),
        isRunning,
      })),
      notHappened: notHappened(workspace),
      ...nextOperations(timeline.newestFirst()),
      damagedCalls: readRecordedCalls(ports.fs, store.layout).damaged.map((name) => `calls/${name}`),
      exporting: exportStatus(workspace, context),
      unconfirmedDrops: unconfirmedDrops(workspace, context.effectiveSettings(workspace.root).retention),
      copies: {
        ...summaryOfCopies(workspace.ports, context.places.home, workspace.id),
        limit: context.effectiveSettings(workspace.root).retention.maxStoreBytes,
      },
      openPlans: await openPlans(workspace, context, pace),
    };
  }, 'warn');
}

function withProblems(scan: ScanResult, problems: readonly string[]): ScanResult {
  return problems.length === 0 ? scan : { ...scan, problems: [...scan.problems, ...problems] };
}

/** Compares the files with the last checkpoint. Damage of the store stops nothing: it is one of the scan's problems. */
async function seeFiles(
  workspace: Workspace,
  last: Checkpoint | null,
  pace: Pace,
): Promise<{ readonly scan: ScanResult; readonly changed: SnapshotComparison | null }> {
  if (last === null) return { scan: (await scanWorkspace(workspace, pace)).scan, changed: null };
  const { scan, changed, problems } = await compareWithFiles(workspace, last, { missing: 'failure' }, pace);
  return { scan: withProblems(scan, problems), changed };
}

/** @param options.missing how to treat a workspace folder that does not exist */
async function compareWithFiles(
  workspace: Workspace,
  from: Checkpoint,
  { missing, ...options }: Pick<CompareInput, 'paths' | 'patch'> & Required<Pick<CaptureOptions, 'missing'>>,
  pace: Pace,
): Promise<{
  readonly scan: ScanResult;
  /** The store, and what the scan found. */
  readonly objects: ObjectReader;
  readonly changed: SnapshotComparison;
  readonly problems: readonly string[];
}> {
  const damage = new FoundDamage();
  const uncaptured = from.workspace === workspace.id;
  const input = { ...options, before: from.snapshot, onDamage: damage.add, uncaptured };
  const seen = await scanWorkspace(workspace, pace, { missing });
  const changed = await compare(seen.objects, { ...input, after: seen.scan.snapshot }, pace);
  if (damage.errors.length === 0) return { scan: seen.scan, objects: seen.objects, changed, problems: [] };
  // Without the cache, the state of the files does not depend on the store.
  workspace.memory.forget();
  const { scan, objects } = await scanWorkspace(workspace, pace, { missing, reliesOn: 'readable' });
  const again = await compare(objects, { ...input, after: scan.snapshot }, pace);
  return { scan, objects, changed: again, problems: describeDamage(damage.errors, damage.errors, from) };
}

function diff(engine: Engine, options: DiffOptions): Promise<DiffResult> {
  const { patch = false } = options;
  const announced = (problems: readonly string[]): readonly string[] => {
    for (const message of problems) engine.events.emit('warning', { message });
    return problems;
  };
  return engine.read(async (workspace) => {
    const paths = givenPaths(workspace, options.paths ?? []);
    const pace = engine.pace(options);
    const from = engine.resolve(workspace, options.from ?? 'last');
    const hint = 'To see what happened to a path in between, use `savepoint history -- <path>`.';
    if (options.to !== undefined) {
      const to = engine.resolve(workspace, options.to);
      // In a damaged folder it is unknown which paths there are.
      unlessDamaged(undefined, () => assertPathsKnown(workspace.store.objects, [named(from), named(to)], paths, hint));
      const damage = new FoundDamage();
      const compared = await compare(
        workspace.store.objects,
        {
          before: from.snapshot,
          after: to.snapshot,
          paths,
          patch,
          uncaptured: from.workspace === to.workspace,
          onDamage: damage.add,
        },
        pace,
      );
      const problems = announced(describeDamage(damage.errors, damage.errors, from));
      return { ...compared, from, to, rootChanges: rootChanges(from.roots, to.roots), problems };
    }
    const compared = await compareWithFiles(workspace, from, { paths, patch, missing: 'empty' }, pace);
    const { changed, scan, objects } = compared;
    unlessDamaged(undefined, () =>
      assertPathsKnown(objects, [named(from), { name: 'the workspace', snapshot: scan.snapshot }], paths, hint),
    );
    const problems = announced(compared.problems);
    return { ...changed, from, to: null, rootChanges: rootChanges(from.roots, scan.roots), problems };
  });
}

function named({ id, snapshot }: Checkpoint): NamedSnapshot {
  return { name: id, snapshot };
}
