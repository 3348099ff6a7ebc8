/**
 * Rollback of chosen lines: of what differs between two states, by any author, or of what the changes made that wrote the
 * lines. All other lines stay as they are.
 */

import { countLines } from '../content/lines.ts';
import { showName, showText } from '../content/show-name.ts';
import { textOrBinary } from '../content/text-or-binary.ts';
import type { MergeSide } from '../content/three-way.ts';
import type { Pace } from '../io/pace.ts';
import { type Checkpoint, isReversion, type RecordedChange } from '../model/checkpoint.ts';
import type { Entry, FileEntry } from '../model/entries.ts';
import { SavepointError } from '../model/errors.ts';
import { isWithin, type TreePath } from '../model/names.ts';
import { addUncaptured, ChangeSetDraft } from '../operation/change-set.ts';
import type { CurrentState, Operation } from '../operation/operation.ts';
import type { ObjectReader } from '../store/objects/object-reader.ts';
import { cachedFolderReader, type FolderReader, readBlob } from '../store/snapshot/snapshot.ts';
import { blameLines } from '../timeline/blame/blame.ts';
import { checkpointInfo, checkpointsUntilNow, previewCheckpoint } from '../timeline/capture/compose.ts';
import type { Workspace } from '../timeline/capture/workspace.ts';
import { stateAt } from '../timeline/diff/snapshot-diff.ts';
import { changesOfLines } from './changes-of-lines.ts';
import { LineAuthors } from './line-authors.ts';
import { keptLines, type LineEdits, lineEdits, withEdits } from './line-edits.ts';
import { ALREADY_REVERTED, revertEntry } from './merge-entry.ts';
import { type NamedByLines, namedByLines } from './named-by-lines.ts';
import { planRemovals, type Removal } from './removal.ts';
import {
  blockingCalls,
  EMPTY_PREVIEW,
  type RollbackPreview,
  type RollbackRequest,
  throwCallOpen,
  withResolutions,
} from './rollback.ts';
import type { PathResult } from './rollback-changes.ts';
import type { ChosenChange, SelectedLines } from './selection.ts';

export interface RollbackLinesRequest extends Omit<RollbackRequest, 'selection' | 'least'> {
  readonly lines: readonly SelectedLines<TreePath>[];
  /** The state before; null: that before the changes that wrote the lines. */
  readonly from: Checkpoint | null;
  /** The state after, in which lines are counted; null: the files as they are now. */
  readonly at: Checkpoint | null;
}

export function rollbackLinesOperation(
  workspace: Workspace,
  request: RollbackLinesRequest,
  pace: Pace,
): { readonly operation: Operation; readonly preview: () => RollbackPreview } {
  let preview: RollbackPreview = EMPTY_PREVIEW;
  const operation: Operation = {
    info: {
      ...checkpointInfo('rollback', request.actor),
      target: request.from?.id ?? null,
      description: 'Rolled back nothing',
    },
    backups: null,
    plan: async (current) => {
      const checkpoints = await checkpointsUntilNow(workspace, current, pace);
      const scene = { workspace, request, current, checkpoints, folders: cachedFolderReader(current.objects), pace };
      const draft = new ChangeSetDraft();
      const removals: Removal[] = [];
      const found: FoundLines[] = [];
      for (const [path, lines] of byPath(request.lines)) {
        if (pace.isDue()) await pace.yieldNow();
        found.push(await linesOf(scene, path, lines));
      }
      const results = found.map((one) => addResult(scene, one, draft, removals));
      planRemovals(current.objects, current.snapshot, current.own, removals, draft);
      const done = results.filter(({ result }) => result === 'restored' || result === 'merged');
      const named = done.map(({ path }) => namedOf(scene, found.find((one) => one.path === path) as FoundLines, draft));
      const rolledBack = named.flatMap(({ whole }) => whole);
      const { changeSet, ...planned } = await withResolutions(
        { changeSet: draft.finish(), results, rolledBack },
        current,
        request.choices,
        new LineAuthors(workspace, current, pace),
      );
      const chosen = chosenOf(found, checkpoints);
      const open = blockingCalls(workspace, { chosen }, changeSet, request.inside ?? null);
      const openCalls = open.filter((call) => request.passesOver?.(call) !== true);
      preview = { ...EMPTY_PREVIEW, chosen, ...planned, openCalls };
      if (openCalls.length > 0 && !request.force) throwCallOpen(openCalls);
      return {
        ...changeSet,
        description: describe(authorsAmong(chosen, checkpoints), planned.results, found),
        rolledBack: planned.rolledBack,
        rolledBackInPart: named.flatMap(({ inPart }) => inPart),
      };
    },
  };
  return { operation, preview: () => preview };
}

interface Scene {
  readonly workspace: Workspace;
  readonly request: RollbackLinesRequest;
  readonly current: CurrentState;
  /** Oldest first. */
  readonly checkpoints: readonly Checkpoint[];
  readonly folders: FolderReader;
  readonly pace: Pace;
}

interface FoundLines {
  readonly path: TreePath;
  /** The file in which the lines were counted. */
  readonly after: FileEntry;
  /** What is left of it; null: no file. */
  readonly result: Entry | null;
  /** The changes that made what is taken back, newest first. */
  readonly changes: readonly RecordedChange[];
  /** How many lines differ by it. Others that were chosen are as they were. */
  readonly lines: number;
}

function byPath(lines: readonly SelectedLines<TreePath>[]): ReadonlyMap<TreePath, readonly SelectedLines<TreePath>[]> {
  const found = new Map<TreePath, readonly SelectedLines<TreePath>[]>();
  for (const one of lines) found.set(one.path, [...(found.get(one.path) ?? []), one]);
  return found;
}

async function linesOf(scene: Scene, path: TreePath, lines: readonly SelectedLines<TreePath>[]): Promise<FoundLines> {
  const { request, current, folders } = scene;
  const { objects } = current;
  const snapshot = request.at?.snapshot ?? current.snapshot;
  const after = stateAt(folders, snapshot, path).entry;
  const where = request.at === null ? 'the folder' : request.at.id;
  if (after?.kind !== 'file') throw refused(path, `is not a file in ${where}`);
  const text = readBlob(objects, after.id);
  if (textOrBinary(text) === 'binary') throw refused(path, 'is not text');
  assertLines(path, text, lines);
  const isOn = (side: 'before' | 'after') => {
    const ranges = lines.filter((one) => (one.side ?? 'after') === side);
    return ranges.length === 0
      ? null
      : (index: number): boolean => ranges.some(({ first, last }) => index + 1 >= first && index < last);
  };
  const chosen = { isAfter: isOn('after') ?? (() => false), isBefore: isOn('before') };
  if (request.from === null) return writtenLines(scene, { path, after, text, isAfter: chosen.isAfter, lines });
  const { changes, from } = changesBetween(scene, path, request.from);
  const { entry: before, skip } = stateAt(folders, request.from.snapshot, from);
  const old = textBefore(objects, path, skip === null ? before : 'unknown', request.from.id);
  const edits = lineEdits(old, text, chosen);
  if (edits === null) throw refused(path, 'is not text, or is too long to compare');
  const result = resultOf(scene, after, text, edits, before === null);
  return { path, after, result, changes: changesOfLines(objects, changes, edits), lines: countOf(edits) };
}

/** @throws SavepointError USAGE if lines cannot be taken back to it */
function textBefore(objects: ObjectReader, path: TreePath, before: Entry | null | 'unknown', where: string): Buffer {
  if (before === 'unknown') throw refused(path, `is not captured in ${where}`);
  if (before === null) return Buffer.alloc(0);
  if (before.kind !== 'file') throw refused(path, `is a ${before.kind} in ${where}`);
  return readBlob(objects, before.id);
}

/** A line that another one replaces counts once. */
function countOf(edits: LineEdits): number {
  const all = [...edits.values()];
  const back = all.reduce((sum, { inFront, behind }) => sum + inFront.length + behind.length, 0);
  return Math.max(all.filter(({ isRemoved }) => isRemoved).length, back);
}

/** @param isNew whether the file came only with the lines: without any, it goes */
function resultOf({ current }: Scene, after: FileEntry, text: Buffer, edits: LineEdits, isNew: boolean): Entry | null {
  const left = withEdits(text, edits);
  if (isNew && left.length === 0 && text.length > 0) return null;
  return { ...after, id: current.objects.add('blob', left) };
}

/** The changes of a file between two states, newest first, and its path in the older one. */
function changesBetween(
  { request, checkpoints }: Scene,
  path: TreePath,
  from: Checkpoint,
): { readonly changes: readonly RecordedChange[]; readonly from: TreePath } {
  const changes: RecordedChange[] = [];
  let at = path;
  for (const { number, changes: all } of checkpoints.toReversed()) {
    if (number > (request.at?.number ?? Number.POSITIVE_INFINITY)) continue;
    if (number <= from.number) break;
    const change = all?.find((one) => one.path === at);
    if (change === undefined) continue;
    changes.push(change);
    at = change.from ?? at;
  }
  return { changes, from: at };
}

interface WrittenLinesQuery {
  readonly path: TreePath;
  readonly after: FileEntry;
  readonly text: Buffer;
  readonly isAfter: (index: number) => boolean;
  readonly lines: readonly SelectedLines<TreePath>[];
}

/** Takes each line back to what the change that wrote it found there. */
async function writtenLines(scene: Scene, query: WrittenLinesQuery): Promise<FoundLines> {
  const { workspace, request, current, checkpoints, pace } = scene;
  const { path, after, text, isAfter, lines } = query;
  const { objects } = current;
  const latest = workspace.timeline.latest();
  const uncaptured =
    request.at !== null || latest === null ? null : await previewCheckpoint(workspace, current, latest, pace);
  const [first, last] = [Math.min(...lines.map((one) => one.first)), Math.max(...lines.map((one) => one.last))];
  const blamed = { path, entry: after, first, last, uncaptured, at: request.at };
  const ranges = await blameLines(objects, workspace.timeline.reader(), blamed, pace);
  const writers = new Map<string, RecordedChange>();
  for (const { origin } of ranges) if ('change' in origin) writers.set(origin.change.id, origin.change);
  const edits = new Map<number, LineEdits extends ReadonlyMap<number, infer Edit> ? Edit : never>();
  const changes: RecordedChange[] = [];
  const order = checkpoints.flatMap(({ changes: all }) => all ?? []).toReversed();
  let isCreated = false;
  for (const change of order.filter(({ id }) => writers.has(id))) {
    if (change.after?.kind !== 'file') continue;
    const was = readBlob(objects, change.after.id);
    const placeOf = keptLines(was, text);
    const isWritten = (index: number): boolean => {
      const line = placeOf?.(index) ?? null;
      if (line === null || !isAfter(line)) return false;
      return ranges.some(
        ({ first: start, last: end, origin }) =>
          'change' in origin && origin.change.id === change.id && line + 1 >= start && line < end,
      );
    };
    const isKnown = change.uncapturedBefore === undefined;
    const old = textBefore(objects, path, isKnown ? change.before : 'unknown', `the state before ${change.id}`);
    const own = lineEdits(old, was, { isAfter: isWritten, isBefore: null }) ?? new Map();
    for (const [index, edit] of own) {
      const line = placeOf?.(index) ?? null;
      if (line !== null) edits.set(line, edit);
    }
    if (own.size > 0) changes.push(change);
    isCreated ||= own.size > 0 && change.before === null;
  }
  if (changes.length === 0) throw refused(path, 'has no recorded change that wrote these lines');
  const result = resultOf(scene, after, text, edits, isCreated);
  return { path, after, result, changes, lines: countOf(edits) };
}

function addResult(scene: Scene, found: FoundLines, draft: ChangeSetDraft, removals: Removal[]): PathResult {
  const { current, folders, request } = scene;
  const { path, after, result, changes } = found;
  const { entry: now, skip, ignored } = stateAt(folders, current.snapshot, path);
  const common = { path, changes: changes.map(({ id }) => id).toReversed(), sides: null, why: null };
  if (skip !== null) {
    addUncaptured(draft, path, skip);
    return { ...common, result: 'skipped', why: 'its current content is not captured' };
  }
  const reverted = revertEntry(current.objects, after, result, now, sideOf(request, path));
  if (reverted.outcome === 'conflict') {
    const { outcome: _, ...conflict } = reverted;
    draft.conflicts.push({ path, ...conflict });
    return { ...common, result: 'conflict', ...conflict };
  }
  if (reverted.outcome === 'nothing' || now === null) {
    return { ...common, result: 'skipped', why: reverted.outcome === 'nothing' ? reverted.why : ALREADY_REVERTED };
  }
  if (reverted.discarded !== undefined) draft.discarded.push({ path, base: after, lines: reverted.discarded });
  const { entry, merged } = reverted;
  if (entry === null) removals.push({ path, entry: now, to: null, ignored, reasonToKeep: null });
  else draft.change(path, now, entry, ignored, merged);
  return { ...common, result: merged ? 'merged' : 'restored' };
}

function sideOf({ choices }: RollbackLinesRequest, path: TreePath): MergeSide | null {
  return [...choices.prefer].find(([named]) => isWithin(path, named))?.[1] ?? null;
}

function namedOf({ current, folders }: Scene, { path, changes }: FoundLines, draft: ChangeSetDraft): NamedByLines {
  const now = stateAt(folders, current.snapshot, path).entry as Entry;
  const planned = draft.paths.find((one) => one.path === path);
  return planned === undefined ? { whole: [], inPart: [] } : namedByLines(current.objects, changes, now, planned.to);
}

function chosenOf(found: readonly FoundLines[], checkpoints: readonly Checkpoint[]): readonly ChosenChange[] {
  const byId = new Map(checkpoints.map((one) => [one.id, one]));
  const wanted = new Set(found.flatMap(({ changes }) => changes.map(({ id }) => id)));
  return checkpoints.flatMap(({ previous, changes }) => {
    const before = previous === null ? undefined : byId.get(previous);
    if (before === undefined) return [];
    return (changes ?? [])
      .filter(({ id }) => wanted.has(id))
      .map((change) => ({ change, before: before.snapshot, files: [] }));
  });
}

/** The user asked for an undo or a restore, and did not write its lines. */
function authorsAmong(chosen: readonly ChosenChange[], checkpoints: readonly Checkpoint[]): readonly string[] {
  const operations = new Set(checkpoints.filter(({ trigger }) => isReversion(trigger)).map(({ id }) => id));
  const wrote = chosen.filter(({ change }) => !operations.has(change.id.replace(/\..*/, '') as Checkpoint['id']));
  return [...new Set(wrote.flatMap(({ change }) => change.by.authors.map(({ actor }) => showText(actor.name))))];
}

function describe(authors: readonly string[], results: readonly PathResult[], found: readonly FoundLines[]): string {
  const done = results.filter(({ result }) => result === 'restored' || result === 'merged');
  if (done.length === 0) return 'Rolled back nothing';
  const isDone = ({ path }: FoundLines): boolean => done.some((one) => one.path === path);
  const count = found.filter(isDone).reduce((sum, { lines }) => sum + lines, 0);
  const names = authors.slice(0, 3).join(', ');
  const paths = done.slice(0, 3).map(({ path }) => showName(path));
  const more = done.length > paths.length ? ', …' : '';
  return `Rolled back ${count} line${count === 1 ? '' : 's'}${names === '' ? '' : ` of ${names}`}: ${paths.join(', ')}${more}`;
}

/** Lines of the state before are not counted in this file. */
function assertLines(path: TreePath, text: Buffer, lines: readonly SelectedLines<TreePath>[]): void {
  const count = countLines(text);
  const missing = lines.find(({ side = 'after', first, last }) => side === 'after' && (last < first || last > count));
  if (missing === undefined) return;
  const { first, last } = missing;
  const wanted = first === last ? `line ${first}` : `lines ${first} to ${last}`;
  throw refused(path, `has ${count} line${count === 1 ? '' : 's'}, so it has no ${wanted}`);
}

function refused(path: TreePath, why: string): SavepointError {
  return new SavepointError(
    'USAGE',
    `${showName(path)} ${why}.`,
    { argument: 'lines' },
    { hint: 'Nothing was changed. `savepoint diff` and `savepoint blame FILE` number the lines of a file.' },
  );
}
