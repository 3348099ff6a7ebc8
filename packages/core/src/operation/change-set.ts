/** What an act will do, path by path, before it does anything. */

import type { HeadMove } from '../git/head-moves.ts';
import type { Entry, Skip } from '../model/entries.ts';
import type { ObjectId } from '../model/ids.ts';
import type { TreePath } from '../model/names.ts';
import type { CheckpointInfo } from '../timeline/capture/capture.ts';
import type { Move } from '../timeline/diff/renames.ts';
import type { Transition } from '../transaction/transition.ts';

/** What happens to one path. */
export interface PathChange extends Transition {
  /** An ignore rule covers it: recorded with the snapshot after. */
  readonly ignored: boolean;
  /** Both sides had changed it, and the result holds both. */
  readonly merged: boolean;
}

/** A path that is left as it is although the target says otherwise. */
export interface UntouchedPath {
  readonly path: TreePath;
  readonly why: string;
}

/** A path that stands in the way. `merge` and `lost` name bytes that would be lost; `unsaved` cannot be saved first. */
export interface PathConflict {
  readonly path: TreePath;
  readonly why: string;
  /** Where both changed it: what they started from and what each made of it. */
  readonly sides?: ThreeSides;
}

export interface ThreeSides {
  readonly base: Entry | null;
  /** As it is now. */
  readonly ours: Entry | null;
  /** As the act would have it. */
  readonly theirs: Entry | null;
  /** The lines that do not merge, of all three sides, between markers; null where they are no text. */
  readonly text: Buffer | null;
  /** `text` is only the start. */
  readonly cut: boolean;
}

/** What an operation will do to the files, path by path. */
export interface ChangeSet {
  readonly paths: readonly PathChange[];
  readonly kept: readonly UntouchedPath[];
  readonly conflicts: readonly PathConflict[];
  /** Paths that the capture left out and that the act would overwrite: capture them, then plan again. */
  readonly toCapture: readonly TreePath[];
  /** Paths that cannot be saved first, so they are refused. */
  readonly refused: readonly PathConflict[];
  /** Files that it moves, so that nobody has to guess. */
  readonly moves: readonly Move[];
  /** Contents that the plan has in memory, of what goes and of what comes. The store has, or is given, all of them. */
  readonly contents: ReadonlyMap<ObjectId, Buffer>;
  /** Where only the plan knows what the act does: in place of what the act says of itself. */
  readonly description?: string;
  /** For a roll-back: what it takes back. */
  readonly rolledBack?: CheckpointInfo['rolledBack'];
  /** Repositories whose branch, HEAD and index move as well; absent: none. */
  readonly heads?: readonly HeadMove[];
  /** Repositories that cannot be moved as asked: then nothing is done at all. */
  readonly headsRefused?: readonly UntouchedPath[];
  /** What to do where it is in conflict; null for what helps with most acts. */
  readonly hint: string | null;
}

/** A plan while it is made. */
export class ChangeSetDraft {
  readonly paths: PathChange[] = [];
  readonly kept: UntouchedPath[] = [];
  readonly conflicts: PathConflict[] = [];
  readonly toCapture: TreePath[] = [];
  readonly refused: PathConflict[] = [];
  readonly moves: Move[] = [];
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

/** Skips that a capture can be told to overrule, so that the act can save what it overwrites. */
const CAPTURABLE: ReadonlySet<string> = new Set(['too-large', 'ignored', 'dependency-folder', 'excluded']);

/** A path that the act would overwrite, and that the capture left out. */
export function addUncaptured(draft: ChangeSetDraft, path: TreePath, skip: Skip | null): void {
  if (skip !== null && CAPTURABLE.has(skip.reason)) draft.toCapture.push(path);
  else draft.refused.push({ path, why: `its current content cannot be backed up (${skip?.code ?? skip?.reason})` });
}
