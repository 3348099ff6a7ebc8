/** Describes what an operation will do, path by path, before it does anything. */

import type { LineSpan } from '../content/merge-region.ts';
import type { HeadMove } from '../git/head-moves.ts';
import type { Entry, FileEntry, Skip } from '../model/entries.ts';
import type { ObjectId } from '../model/ids.ts';
import type { TreePath } from '../model/names.ts';
import type { CheckpointInfo } from '../timeline/capture/compose.ts';
import type { Move } from '../timeline/diff/renames.ts';
import type { Transition } from '../transaction/transition.ts';

/** The change of one path. */
export interface PathChange extends Transition {
  /** Whether an ignore rule covers it. The snapshot after the operation records that. */
  readonly ignored: boolean;
  /** Whether both sides changed it and the result contains both changes. */
  readonly merged: boolean;
}

/** A path that is left unchanged although the target differs. */
export interface UntouchedPath {
  readonly path: TreePath;
  readonly why: string;
}

/**
 * A path that blocks the operation, with a reason for display. In `conflicts`, content would be lost. In `refused`, content
 * cannot be saved first.
 */
export interface PathConflict {
  readonly path: TreePath;
  readonly why: string;
  /** If both sides changed it: the common state, and what each side made of it. */
  readonly sides?: ThreeSides;
  /** If it can be merged by line: the lines that do not merge. */
  readonly lines?: ConflictingLines;
}

/** The lines of a file that were changed since, and that a change does not merge with. */
export interface ConflictingLines extends WrittenLines {
  /** Whether they are lines that the operation changes. Otherwise they are next to them. */
  readonly isSameLines: boolean;
}

/** Lines of one content of a file. */
export interface WrittenLines {
  readonly entry: FileEntry;
  /** Empty if lines were only deleted. */
  readonly spans: readonly LineSpan[];
}

/** What an operation discards, as the caller decided for its side of a conflict. */
export interface DiscardedWork {
  /** The current path of the file. */
  readonly path: TreePath;
  readonly base: Entry | null;
  /** Null: the whole content, because it cannot be merged by line. */
  readonly lines: WrittenLines | null;
}

export interface ThreeSides {
  readonly base: Entry | null;
  /** The current state. */
  readonly ours: Entry | null;
  /** The state that the operation would write. */
  readonly theirs: Entry | null;
  /** The lines of all three sides that do not merge, between markers; null if they are not text. */
  readonly text: Buffer | null;
  /** Whether `text` is only the beginning. */
  readonly cut: boolean;
}

/** What an operation will do to the files, path by path. */
export interface ChangeSet {
  readonly paths: readonly PathChange[];
  readonly kept: readonly UntouchedPath[];
  readonly conflicts: readonly PathConflict[];
  /** Paths that the capture skipped and the operation would overwrite: capture them, then plan again. */
  readonly toCapture: readonly TreePath[];
  /** Paths whose current content cannot be saved first, so they are refused. */
  readonly refused: readonly PathConflict[];
  /** Files that the operation moves, so that the moves need not be guessed. */
  readonly moves: readonly Move[];
  /** Contents that the plan has in memory, removed and written ones. The store has all of them, or is given them. */
  readonly contents: ReadonlyMap<ObjectId, Buffer>;
  /** What the operation discards where both sides changed a file; absent: nothing. */
  readonly discarded?: readonly DiscardedWork[];
  /** What else to know about a path, for display; absent: nothing. */
  readonly notes?: readonly UntouchedPath[];
  /** Replaces the operation's own description, if only the plan knows what the operation does. */
  readonly description?: string;
  /** For a rollback: the changes that it reverts. */
  readonly rolledBack?: CheckpointInfo['rolledBack'];
  /** For a rollback of lines: the changes of which it reverts only some lines. */
  readonly rolledBackInPart?: CheckpointInfo['rolledBackInPart'];
  /** Repositories whose branch, HEAD and index move as well; absent: none. */
  readonly heads?: readonly HeadMove[];
  /** Repositories that cannot be moved as requested. If there are any, nothing is done at all. */
  readonly headsRefused?: readonly UntouchedPath[];
  /** What to do about a conflict; null: the hint that fits most operations. */
  readonly hint: string | null;
}

/** A change set under construction. */
export class ChangeSetDraft {
  readonly paths: PathChange[] = [];
  readonly kept: UntouchedPath[] = [];
  readonly conflicts: PathConflict[] = [];
  readonly toCapture: TreePath[] = [];
  readonly refused: PathConflict[] = [];
  readonly moves: Move[] = [];
  readonly discarded: DiscardedWork[] = [];
  readonly contents = new Map<ObjectId, Buffer>();
  hint: string | null = null;

  change(path: TreePath, from: Entry | null, to: Entry | null, ignored: boolean, merged = false): void {
    this.paths.push({ path, from, to, ignored, merged });
  }

  finish(): ChangeSet {
    const paths = [...this.paths].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
    return { ...this, paths };
  }
}

/** Skip reasons that a capture can overrule, so that the operation can save what it overwrites. */
const CAPTURABLE: ReadonlySet<string> = new Set(['too-large', 'ignored', 'dependency-folder', 'excluded']);

/** Adds a path that the operation would overwrite and that the capture skipped. */
export function addUncaptured(draft: ChangeSetDraft, path: TreePath, skip: Skip | null): void {
  if (skip !== null && CAPTURABLE.has(skip.reason)) draft.toCapture.push(path);
  else draft.refused.push({ path, why: `its current content cannot be backed up (${skip?.code ?? skip?.reason})` });
}
