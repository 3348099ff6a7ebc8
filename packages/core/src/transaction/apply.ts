/** Carries out a transaction's steps, forward or backward. Each step checks the disk first, so it can be repeated. */

import { type DiskState, describeState, diskState, matchesEntry } from '../io/disk-state.ts';
import { type Fd, isFsError, kindOf, permissions } from '../io/fs.ts';
import type { Pace } from '../io/pace.ts';
import type { Entry, FileEntry, LinkEntry } from '../model/entries.ts';
import type { DiskPath, TreePath } from '../model/names.ts';
import {
  asideFile,
  diskPathAt,
  ensureStaged,
  ForeignContent,
  hasWholeSync,
  moveWithoutReplacing,
  placeEntry,
  requireDiskPath,
  type Site,
  stagedFile,
  syncFolders,
  syncWhole,
  touchedFolders,
} from './site.ts';
import { hasSameContent, isLeaf, type TransactionStep } from './steps.ts';
import type { Transition } from './transition.ts';

/**
 * The stamps of the files that this process moved aside, by slot, at the time of their check. If a stamp changes later,
 * another program has the file open and wrote to it. Null if only the content can show a change.
 */
export type CheckedStamps = Map<number, string | null>;

/** A transaction's steps, and where they are carried out. */
export interface Execution {
  readonly site: Site;
  readonly steps: readonly TransactionStep[];
  readonly transitions: readonly Transition[];
  /** Files that this process moved aside. Empty if another process did: a power cut may have damaged them since. */
  readonly checked: CheckedStamps;
  /** This process staged all files. Then they are not read before they are placed: every path is read back (D6). */
  readonly isStagedHere: boolean;
}

/**
 * Changes every path to its new state.
 * @throws ForeignContent at the first path with content by another program; FsError if a system call fails
 */
export async function applyForward(execution: Execution, pace: Pace): Promise<void> {
  const { site, steps, transitions } = execution;
  const [modes, others] = partition(steps, (step) => step.do === 'mode');
  for (const [index, step] of others.entries()) {
    if (pace.isDue()) await pace.yieldNow({ phase: 'apply', done: index, total: steps.length });
    await stepForward(execution, step);
  }
  // Sync while the owner may still open every folder.
  const isSyncedWhole = hasWholeSync(site);
  if (!isSyncedWhole) syncFolders(site, touchedFolders(transitions.map(({ path }) => path)));
  for (const step of modes) await stepForward(execution, step);
  if (isSyncedWhole) await syncWhole(site);
  await verifyPaths(site, transitions, pace);
}

/**
 * Reverts the steps, newest first. Foreign content is left where it is.
 * @returns the paths that hold foreign content now
 * @throws FsError if a system call fails; the journal is kept then
 */
export async function applyBackward(execution: Execution): Promise<readonly ForeignContent[]> {
  const { site, steps, transitions } = execution;
  const foreign: ForeignContent[] = [];
  const attempt = async (work: () => Promise<void> | void): Promise<void> => {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof ForeignContent)) throw error;
      if (!foreign.some(({ path }) => path === error.path)) foreign.push(error);
    }
  };
  const backwards = [...steps].reverse();
  for (const step of backwards) {
    await attempt(async () => {
      const disk = diskPathAt(site, step.path);
      await stepBack(execution, step, disk, foreign);
      if (disk !== null) site.walk.assertParentsUnchanged(step.path);
    });
  }
  syncFolders(site, touchedFolders(transitions.map(({ path }) => path)));
  for (const step of backwards) {
    if (step.do !== 'open' && step.do !== 'remove-folder') continue;
    await attempt(() => setMode(site, step.path, 'folder', step.mode));
  }
  return foreign;
}

/** Returns the paths that hold neither their old nor their new content. */
export function foreignPaths(site: Site, transitions: readonly Transition[]): readonly ForeignContent[] {
  const foreign: ForeignContent[] = [];
  for (const { path, from, to } of transitions) {
    let state: DiskState = { kind: 'absent' };
    try {
      const disk = diskPathAt(site, path);
      if (disk !== null) state = diskState(site.fs, disk);
    } catch (error) {
      if (!(error instanceof ForeignContent)) throw error;
      foreign.push(error);
    }
    if (state.kind === 'absent' || matchesEntry(state, from) || matchesEntry(state, to)) continue;
    // While a folder replaces a file or a file a folder, the path may show either kind.
    if (state.kind === 'folder' && (from?.kind === 'folder' || to?.kind === 'folder')) continue;
    if (hasSameContent({ from, to })) continue;
    foreign.push(new ForeignContent(path, describeState(state)));
  }
  return foreign;
}

function partition(
  steps: readonly TransactionStep[],
  first: (step: TransactionStep) => boolean,
): readonly [readonly TransactionStep[], readonly TransactionStep[]] {
  return [steps.filter(first), steps.filter((step) => !first(step))];
}

async function stepForward(execution: Execution, step: TransactionStep): Promise<void> {
  const { site } = execution;
  const disk = diskPathAt(site, step.path);
  await stepForwardAt(execution, step, disk);
  if (disk !== null) site.walk.assertParentsUnchanged(step.path);
}

async function stepForwardAt(execution: Execution, step: TransactionStep, disk: DiskPath | null): Promise<void> {
  const { site } = execution;
  const { fs, walk } = site;
  switch (step.do) {
    case 'open':
      setMode(site, step.path, 'folder', step.mode | 0o700);
      return;
    case 'aside':
      if (disk !== null) moveAside(execution, step, disk);
      return;
    case 'remove-folder':
      if (disk === null) return;
      walk.release(step.path);
      try {
        fs.removeFolder(disk);
      } catch (error) {
        if (isFsError(error, 'ENOENT')) return;
        if (isFsError(error, 'ENOTEMPTY', 'EEXIST'))
          throw new ForeignContent(step.path, 'a file was created in the folder');
        if (isFsError(error, 'ENOTDIR')) return; // already done: a file or link took its place
        throw error;
      }
      return;
    case 'make-folder': {
      const made = requireDiskPath(site, step.path);
      try {
        fs.makeFolder(made, 0o700);
        fs.chmod(made, 0o700); // regardless of the umask
      } catch (error) {
        if (!isFsError(error, 'EEXIST')) throw error;
        const state = diskState(fs, made);
        if (state.kind !== 'folder') throw new ForeignContent(step.path, describeState(state));
        setMode(site, step.path, 'folder', 0o700);
      }
      return;
    }
    case 'place': {
      const target = disk ?? requireDiskPath(site, step.path);
      // If it is already placed, its second name goes with the staging folder.
      if (matchesEntry(diskState(fs, target), step.entry)) return;
      if (step.entry.kind === 'link' || isStillStaged(execution, step.slot)) {
        placeEntry(site, target, step);
        return;
      }
      await ensureStaged(site, step.slot, step.entry);
      placeEntry(site, requireDiskPath(site, step.path), step);
      return;
    }
    case 'mode':
      assertNotShared(site, step);
      // A path that existed may be a mount point, which is on another file system than what syncWhole flushes.
      setMode(site, step.path, step.kind, step.mode, step.was === null && hasWholeSync(site));
  }
}

function isStillStaged({ site, isStagedHere }: Execution, slot: number): boolean {
  return isStagedHere && site.fs.lstat(stagedFile(site, slot)) !== null;
}

/**
 * Moves the file at a path aside and checks it there, where no other program finds it by name. A save at that very
 * moment is therefore noticed, and gets its name back.
 */
function moveAside(
  { site, transitions, checked }: Execution,
  step: Extract<TransactionStep, { do: 'aside' }>,
  disk: DiskPath,
): void {
  const { fs } = site;
  const { from, to } = transitions[step.slot]!;
  const before = diskState(fs, disk);
  if (before.kind === 'absent') return;
  if (to !== null && isAtEnd(site, before, to, from)) return; // already done
  if (!matchesEntry(before, step.entry)) throw new ForeignContent(step.path, describeState(before));
  const aside = asideFile(site, step.slot);
  try {
    fs.rename(disk, aside);
  } catch (error) {
    // The file was removed after the check. That is not a failure of the disk.
    if (isFsError(error, 'ENOENT') && diskState(fs, disk).kind === 'absent') return;
    throw error;
  }
  const moved = diskState(fs, aside);
  const asFound = matchesEntry(moved, step.entry) && (!site.hasModes || modeOf(moved) === modeOf(step.entry));
  if (!asFound) {
    putBack(site, step.path, step.slot);
    throw new ForeignContent(step.path, 'it was changed at the same moment');
  }
  if (moved.kind === 'file') checked.set(step.slot, moved.stamp);
}

/** Whether a state is one end of a transition and not the other. The two may differ in permissions alone. */
function isAtEnd(site: Site, state: DiskState, end: Entry, other: Entry | null): boolean {
  if (!matchesEntry(state, end)) return false;
  const isOther = site.hasModes && state.kind === 'file' && hasSameContent({ from: end, to: other });
  return !isOther || state.mode === modeOf(end as FileEntry);
}

function modeOf(state: DiskState | FileEntry | LinkEntry): number | null {
  return state.kind === 'file' ? state.mode : null;
}

/** Gives a moved-aside file its name back. If the name is taken by now, the file stays aside. */
function putBack(site: Site, path: TreePath, slot: number): boolean {
  const disk = diskPathAt(site, path);
  if (disk === null) return false;
  try {
    moveWithoutReplacing(site.fs, asideFile(site, slot), disk);
    return true;
  } catch (error) {
    if (isFsError(error, 'EEXIST')) return false;
    throw error;
  }
}

/** @throws ForeignContent if another program gave the file another name since, which would get the permissions, too */
function assertNotShared(site: Site, { path, kind, mode }: Extract<TransactionStep, { do: 'mode' }>): void {
  const disk = kind === 'file' ? diskPathAt(site, path) : null;
  const stat = disk === null ? null : site.fs.lstat(disk);
  if (stat === null || kindOf(stat) !== 'file' || stat.nlink < 2 || permissions(stat) === mode) return;
  throw new ForeignContent(path, 'the file got another name (a hard link)');
}

/**
 * Sets permissions durably: they belong to the path itself, not to an entry of its folder. A path of another kind is
 * skipped: it belongs to an earlier or a later step, which sets its own permissions.
 */
function setMode(site: Site, path: TreePath, kind: 'file' | 'folder', mode: number, isSyncedLater = false): void {
  const { fs } = site;
  const disk = diskPathAt(site, path);
  if (disk === null) return;
  const stat = fs.lstat(disk);
  if (stat === null || kindOf(stat) !== kind) return;
  if (isSyncedLater) {
    if (permissions(stat) !== mode) fs.chmod(disk, mode);
    return;
  }
  // Open it first: the new permissions may lock out even its owner.
  let handle = openIfAllowed(site, disk, kind);
  try {
    if (permissions(stat) !== mode) fs.chmod(disk, mode);
    handle ??= openIfAllowed(site, disk, kind);
    if (handle !== null && site.hasModes) fs.sync(handle);
  } catch (error) {
    // File systems without permission bits refuse this. There, only the content is guaranteed.
    if (!isFsError(error, 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'ENOENT')) throw error;
  } finally {
    if (handle !== null) fs.close(handle);
  }
}

function openIfAllowed({ fs }: Site, disk: DiskPath, kind: 'file' | 'folder'): Fd | null {
  try {
    return kind === 'folder' ? fs.openFolder(disk) : fs.openRead(disk);
  } catch (error) {
    if (isFsError(error, 'EACCES', 'EPERM', 'ENOENT')) return null;
    throw error;
  }
}

async function verifyPaths(site: Site, transitions: readonly Transition[], pace: Pace): Promise<void> {
  for (const [index, { path, to }] of transitions.entries()) {
    if (pace.isDue()) await pace.yieldNow({ phase: 'verify', done: index, total: transitions.length });
    const disk = diskPathAt(site, path);
    const state: DiskState = disk === null ? { kind: 'absent' } : diskState(site.fs, disk);
    if (disk !== null) site.walk.assertParentsUnchanged(path);
    if (!matchesEntry(state, to)) throw new ForeignContent(path, describeState(state));
  }
}

/** @param foreign receives the content that belongs to other programs and is left in place */
async function stepBack(
  execution: Execution,
  step: TransactionStep,
  disk: DiskPath | null,
  foreign: ForeignContent[],
): Promise<void> {
  const { site, transitions } = execution;
  const { fs, walk } = site;
  switch (step.do) {
    case 'open':
      return; // closed again once nothing more is put into it
    case 'mode':
      // Open the folder again: its contents are removed before it gets its own permissions back.
      setMode(
        site,
        step.path,
        step.kind,
        step.kind === 'folder' ? (step.was ?? step.mode) | 0o700 : (step.was as number),
      );
      return;
    case 'place': {
      if (disk === null) return;
      const state = diskState(fs, disk);
      const { from, to } = transitions[step.slot]!;
      if (state.kind === 'absent' || (isLeaf(from) && isAtEnd(site, state, from, to))) return;
      if (!matchesEntry(state, step.entry)) {
        foreign.push(new ForeignContent(step.path, describeState(state)));
        return;
      }
      withdrawPlaced(site, step);
      return;
    }
    case 'make-folder': {
      if (disk === null) return;
      walk.release(step.path);
      try {
        fs.removeFolder(disk);
      } catch (error) {
        if (isFsError(error, 'ENOTEMPTY', 'EEXIST'))
          foreign.push(new ForeignContent(step.path, 'a file was created in it'));
        else if (!isFsError(error, 'ENOENT', 'ENOTDIR')) throw error;
      }
      return;
    }
    case 'remove-folder': {
      if (disk === null) return;
      try {
        fs.makeFolder(disk, 0o700);
      } catch (error) {
        if (!isFsError(error, 'EEXIST')) throw error;
        return;
      }
      fs.chmod(disk, step.mode | 0o700);
      return;
    }
    case 'aside':
      await restoreAside(execution, step, foreign);
  }
}

/** Removes a placed file or link. If it turns out to be foreign, it gets its name back. */
function withdrawPlaced(site: Site, step: Extract<TransactionStep, { do: 'place' }>): void {
  const { fs } = site;
  const disk = diskPathAt(site, step.path);
  if (disk === null) return;
  const staged = stagedFile(site, step.slot);
  if (fs.lstat(staged) !== null) fs.unlink(staged); // the other name of the same file, or a copy
  fs.rename(disk, staged);
  if (matchesEntry(diskState(fs, staged), step.entry)) return;
  moveWithoutReplacing(fs, staged, disk);
}

async function restoreAside(
  { site, checked, transitions }: Execution,
  step: Extract<TransactionStep, { do: 'aside' }>,
  foreign: ForeignContent[],
): Promise<void> {
  const { fs } = site;
  const state = diskState(fs, requireDiskPath(site, step.path));
  if (isAtEnd(site, state, step.entry, transitions[step.slot]!.to)) return;
  if (state.kind !== 'absent') {
    if (!foreign.some(({ path }) => path === step.path))
      foreign.push(new ForeignContent(step.path, describeState(state)));
    return;
  }
  const moved = diskState(fs, asideFile(site, step.slot));
  if (matchesEntry(moved, step.entry) && putBack(site, step.path, step.slot)) return;
  // Another program wrote to it after the check, through an open handle. That is the file's content now.
  if (checked.has(step.slot) && moved.kind === 'file' && putBack(site, step.path, step.slot)) {
    foreign.push(new ForeignContent(step.path, describeState(moved)));
    return;
  }
  // A power cut lost the moved-aside file. Its content is in the store.
  if (step.entry.kind === 'file') {
    const staged = stagedFile(site, step.slot);
    if (fs.lstat(staged) !== null) fs.unlink(staged);
    await ensureStaged(site, step.slot, step.entry);
  }
  placeEntry(site, requireDiskPath(site, step.path), step);
}
