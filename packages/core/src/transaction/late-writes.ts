/** Keeps and reports what other programs write to files that a transaction has already moved aside or withdrawn. */

import { diskState, matchesEntry, stampOf } from '../io/disk-state.ts';
import { durableWrite, readEntireFile, syncFolder } from '../io/durable-write.ts';
import { type Fs, FsError } from '../io/fs.ts';
import type { TransactionId } from '../model/ids.ts';
import { baseName, type DiskPath, diskChild, type TreePath } from '../model/names.ts';
import type { StoreLayout } from '../store/layout.ts';
import type { CheckedStamps } from './apply.ts';
import { asideFile, type Site, stagedFile } from './site.ts';
import { isLeaf, isModeChangeOnly } from './steps.ts';
import type { Journal } from './transition.ts';

export interface BackupFile {
  readonly path: TreePath;
  /** Where the bytes are. */
  readonly backup: DiskPath;
}

/** A file with content by another program. */
export interface ForeignFile {
  readonly transaction: TransactionId;
  readonly slot: number;
  readonly path: TreePath;
  /** Where it is now. */
  readonly file: DiskPath;
}

const MAX_BACKUP_BYTES = 2 ** 31;
/** Maximum bytes of the original name. The prefix must fit as well. */
const MAX_NAME_BYTES = 180;

/**
 * Saves moved-aside files that another program wrote to after the check, through an open handle. No program finds those
 * bytes by name any more, so they are copied before the file is removed. Each file is removed right after its check,
 * because anything written between the two is lost.
 * @param checked the stamp of each file at its check; a file without a stamp is compared by content
 */
export function saveLateWrites(
  fs: Fs,
  layout: StoreLayout,
  journal: Journal,
  site: Site,
  checked: CheckedStamps,
): readonly BackupFile[] {
  const saved: BackupFile[] = [];
  for (const [slot, { path, from }] of journal.transitions.entries()) {
    if (!isLeaf(from) || from.kind !== 'file') continue;
    const aside = asideFile(site, slot);
    const stat = fs.lstat(aside);
    if (stat === null) continue;
    const isAsChecked = checked.get(slot) === stampOf(stat);
    if (!isAsChecked && !matchesEntry(diskState(fs, aside), from)) {
      saved.push({
        path,
        backup: copyToBackups(fs, layout, { transaction: journal.transaction, slot, path, file: aside }),
      });
    }
    removeIfAllowed(fs, aside);
  }
  return saved;
}

/** The same for files that were placed and withdrawn: a program that opened one in between may still write to it. */
export function saveWithdrawnWrites(fs: Fs, layout: StoreLayout, journal: Journal, site: Site): readonly BackupFile[] {
  const saved: BackupFile[] = [];
  for (const [slot, transition] of journal.transitions.entries()) {
    const { path, from, to } = transition;
    if (to?.kind !== 'file' || isModeChangeOnly(transition)) continue;
    const staged = stagedFile(site, slot);
    const state = diskState(fs, staged);
    if (state.kind === 'absent') continue;
    // The old content may be here too, staged from the store for the rollback.
    if (!matchesEntry(state, to) && !matchesEntry(state, from)) {
      saved.push({
        path,
        backup: copyToBackups(fs, layout, { transaction: journal.transaction, slot, path, file: staged }),
      });
    }
    removeIfAllowed(fs, staged);
  }
  return saved;
}

/** Copies the file, whatever it contains, into the transaction's backup folder. */
export function copyToBackups(fs: Fs, layout: StoreLayout, { transaction, slot, path, file }: ForeignFile): DiskPath {
  const folder = diskChild(layout.backups, transaction);
  if (fs.lstat(folder) === null) {
    fs.makeFolder(folder, 0o700);
    syncFolder(fs, layout.backups);
  }
  // The slot distinguishes equal names from different folders.
  const backup = diskChild(folder, `${slot}-${baseName(path).slice(0, MAX_NAME_BYTES)}`);
  durableWrite(fs, backup, readEntireFile(fs, file, MAX_BACKUP_BYTES), 0o600);
  return backup;
}

/** A file that cannot be removed goes with its staging folder. */
function removeIfAllowed(fs: Fs, file: DiskPath): void {
  try {
    fs.unlink(file);
  } catch (error) {
    if (!(error instanceof FsError)) throw error;
  }
}
