/**
 * Keeps the entries that Savepoint has in files of the user, such as an agent's hooks in its settings. They belong to the
 * present and not to a checkpoint: an operation changes the rest of such a file, and the entries stay as they are.
 *
 * - Entries that the file has now stay, even if the target has none, or no such file.
 * - Entries that the file does not have now do not come back if someone removed them on purpose.
 * - If an agent removed them, or they were lost together with the file, they come back with the target.
 */

import type { MergedEntries, OwnEntries } from '../io/own-entries.ts';
import type { Pace } from '../io/pace.ts';
import {
  type Actor,
  type Checkpoint,
  isOperation,
  isReversion,
  type RecordedChange,
  wereOnlyAgentsActive,
} from '../model/checkpoint.ts';
import { type Entry, type FileEntry, sameEntry } from '../model/entries.ts';
import { isWithin, type TreePath } from '../model/names.ts';
import type { ObjectBatch } from '../store/objects/object-reader.ts';
import { cachedFolderReader, type FolderReader, readBlob } from '../store/snapshot/snapshot.ts';
import { checkpointsUntilNow, type UncapturedState } from '../timeline/capture/compose.ts';
import type { Workspace } from '../timeline/capture/workspace.ts';
import { stateAt } from '../timeline/diff/snapshot-diff.ts';
import type { ChangeSet, PathChange, UntouchedPath } from './change-set.ts';

/** Savepoint itself as the author of changes to these files, at the request of the user. */
export const INSTALL: Actor = { kind: 'user', name: 'savepoint install' };
export const UNINSTALL: Actor = { kind: 'user', name: 'savepoint uninstall' };

/** What happened to one path: the state after a change, the state before it, and the current state. */
export interface PathStates {
  readonly left: Entry | null;
  readonly found: Entry | null;
  readonly current: Entry | null;
}

/** Larger files are not examined. No agent has settings of that size. */
const MAX_BYTES = 256 * 1024;

interface FoundFiles extends UncapturedState {
  readonly objects: ObjectBatch;
}

/** The entries in the workspace as an operation finds it. */
export class PresentEntries {
  readonly #read: FolderReader;
  /** States without our entries, by path and id of the content. */
  readonly #rests = new Map<string, Entry | null>();
  #newestFirst: readonly Checkpoint[] | null = null;

  private constructor(
    private readonly own: OwnEntries | null,
    private readonly workspace: Workspace,
    private readonly current: FoundFiles,
    private readonly pace: Pace,
  ) {
    this.#read = cachedFolderReader(current.objects);
  }

  static async in(workspace: Workspace, current: FoundFiles, pace: Pace): Promise<PresentEntries> {
    return new PresentEntries((await workspace.ownEntries?.()) ?? null, workspace, current, pace);
  }

  mayBeIn(path: TreePath): boolean {
    return this.own?.mayBeIn(path) ?? false;
  }

  /** Returns the file without our entries; null if it contains nothing else. Everything else is returned unchanged. */
  without(path: TreePath, entry: Entry | null): Entry | null {
    if (entry?.kind !== 'file' || !this.mayBeIn(path)) return entry;
    const key = `${path}\0${entry.mode}\0${entry.id}`;
    let rest = this.#rests.get(key);
    if (rest === undefined) {
      const content = this.#contentOf(entry);
      rest = Buffer.isBuffer(content) ? this.#entryWith(this.#merge(path, null, content), entry) : entry;
      this.#rests.set(key, rest);
    }
    return rest;
  }

  /** Whether two states of a file differ in nothing but our entries. */
  isSameWithout(path: TreePath, one: Entry | null, other: Entry | null): boolean {
    if (sameEntry(one, other)) return true;
    if (!this.mayBeIn(path)) return false;
    if (sameEntry(this.without(path, one), this.without(path, other))) return true;
    return this.#isOtherPlusEntries(path, one, other) || this.#isOtherPlusEntries(path, other, one);
  }

  /** Whether our entries in a file are left out of a merge, because the operation will not change them. */
  async isLeftOut(path: TreePath, { left, found, current }: PathStates): Promise<boolean> {
    if (!this.mayBeIn(path)) return false;
    if (this.#has(path, current)) return true;
    return (this.#has(path, left) || this.#has(path, found)) && (await this.#wereRemovedOnPurpose(path, current));
  }

  /** Returns a function that removes our entries from states of a file. States that differ in nothing else become equal. */
  remover(path: TreePath): (entry: Entry | null) => Entry | null {
    const known: { readonly entry: Entry | null; readonly rest: Entry | null }[] = [];
    return (entry) => {
      const same = known.find((each) => this.isSameWithout(path, each.entry, entry));
      if (same !== undefined) return same.rest;
      const rest = this.without(path, entry);
      known.push({ entry, rest });
      return rest;
    };
  }

  /** Returns the states without our entries. */
  withoutEntries(path: TreePath, { left, found, current }: PathStates): PathStates {
    const remove = this.remover(path);
    return { current: remove(current), left: remove(left), found: remove(found) };
  }

  /** Changes a plan so that the present entries stay. Can be applied again to the result. */
  async keepIn(plan: ChangeSet): Promise<ChangeSet> {
    if (this.own === null || !plan.paths.some(({ path }) => this.mayBeIn(path))) return plan;
    const notes: UntouchedPath[] = [];
    const paths: PathChange[] = [];
    const staying: TreePath[] = [];
    const absent: TreePath[] = [];
    for (const change of plan.paths) {
      const kept = this.mayBeIn(change.path) ? await this.#keptIn(change, plan, notes) : change;
      if (kept !== null && !sameEntry(kept.from, kept.to)) paths.push(kept);
      if (change.to === null && (kept === null || kept.to !== null)) staying.push(change.path);
      if (change.from === null && kept === null) absent.push(change.path);
    }
    /** A folder stays because of such a file, or is not created because it would have contained nothing else. */
    const isSpared = ({ path, from, to }: PathChange): boolean => {
      const isAround = (each: TreePath): boolean => isWithin(each, path);
      if (to === null) return staying.some(isAround);
      const holdsOthers = paths.some(
        (other) => isAround(other.path) && other.to !== null && other.to.kind !== 'folder',
      );
      return from === null && to.kind === 'folder' && absent.some(isAround) && !holdsOthers;
    };
    const isNoted = (note: UntouchedPath): boolean =>
      plan.notes?.some(({ path, why }) => path === note.path && why === note.why) === true;
    const added = notes.filter((note) => !isNoted(note));
    return { ...plan, paths: paths.filter((change) => !isSpared(change)), notes: [...(plan.notes ?? []), ...added] };
  }

  /** @returns null if the path stays as it is */
  async #keptIn(change: PathChange, plan: ChangeSet, notes: UntouchedPath[]): Promise<PathChange | null> {
    const { path, to } = change;
    const from = stateAt(this.#read, this.current.snapshot, path).entry;
    const content = this.#contentOf(from);
    const isBlocked = plan.paths.some((other) => isBlocking(other, path));
    const target = to !== null && to.kind !== 'file' ? 'unusable' : isBlocked ? 'unusable' : this.#contentOf(to);
    const has = this.#has(path, from);
    if (!has && this.#has(path, to) && !(await this.#wereRemovedOnPurpose(path, from))) return { ...change, from };
    if (content === 'unusable' || (content === null && !this.#has(path, to))) return { ...change, from };
    const { content: merged, note } = this.#merge(path, content, target);
    if (note !== null) notes.push({ path, why: note });
    if (merged === 'target') return { ...change, from };
    if (merged === 'current') return null;
    if (merged === null) return from === null ? null : { ...change, from, to: null };
    const mode = to?.kind === 'file' ? to.mode : from?.kind === 'file' ? from.mode : 0o600;
    return { ...change, from, to: { kind: 'file', id: this.current.objects.add('blob', merged), mode } };
  }

  #merge(path: TreePath, current: Buffer | null, target: Buffer | null | 'unusable'): MergedEntries {
    return this.own?.merge(path, current, target) ?? { content: 'target', note: null };
  }

  #has(path: TreePath, entry: Entry | null): boolean {
    return !sameEntry(this.without(path, entry), entry);
  }

  /** Whether one state is the other one with entries added to it, as `install` does. Its layout may have changed. */
  #isOtherPlusEntries(path: TreePath, one: Entry | null, other: Entry | null): boolean {
    const [full, rest] = [this.#contentOf(one), this.#contentOf(other)];
    if (!Buffer.isBuffer(full) || rest === 'unusable' || !this.#has(path, one)) return false;
    const { content } = this.#merge(path, full, rest);
    return content === 'current' || (Buffer.isBuffer(content) && content.equals(full));
  }

  #entryWith({ content }: MergedEntries, entry: FileEntry): Entry | null {
    if (!Buffer.isBuffer(content)) return content === null ? null : entry;
    return { ...entry, id: this.current.objects.add('blob', content) };
  }

  #contentOf(entry: Entry | null): Buffer | null | 'unusable' {
    if (entry === null) return null;
    if (entry.kind !== 'file') return 'unusable';
    const { objects } = this.current;
    const size = objects.info(entry.id)?.size ?? Number.POSITIVE_INFINITY;
    return size > MAX_BYTES ? 'unusable' : readBlob(objects, entry.id);
  }

  /** Finds the change that removed our entries from the file, and who made it. */
  async #wereRemovedOnPurpose(path: TreePath, current: Entry | null): Promise<boolean> {
    this.#newestFirst ??= [...(await checkpointsUntilNow(this.workspace, this.current, this.pace))].reverse();
    for (const { changes, trigger } of this.#newestFirst) {
      const change = changes?.find((each) => each.path === path || each.from === path);
      if (change === undefined) continue;
      const isHere = change.path === path;
      const after = isHere ? change.after : null;
      if (this.#has(path, after)) return false;
      if (isHere && change.from === null && !this.#has(path, change.before)) continue;
      return isOnPurpose(change, after !== null && !isReversion(trigger) && !isOperation(trigger));
    }
    // No checkpoint has them. A file that exists without them never had them, or lost them long ago.
    return current !== null;
  }
}

function isOnPurpose({ by }: RecordedChange, wasEdited: boolean): boolean {
  if (by.authors.some(({ actor }) => actor.kind === UNINSTALL.kind && actor.name === UNINSTALL.name)) return true;
  return wasEdited && !wereOnlyAgentsActive(by);
}

/** Whether a change puts something else where a folder above the path is now. */
function isBlocking({ path: above, to }: PathChange, path: TreePath): boolean {
  return above !== path && isWithin(path, above) && to !== null && to.kind !== 'folder';
}
