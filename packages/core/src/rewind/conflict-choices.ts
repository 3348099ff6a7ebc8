/** Resolves the conflicts of an operation as the user decided: by side, by contents that a person merged, or not at all. */

import { showName } from '../content/show-name.ts';
import type { MergeSide } from '../content/three-way.ts';
import { type Entry, shownEntry } from '../model/entries.ts';
import { SavepointError } from '../model/errors.ts';
import { isWithin, nameToJson, parentPath, type TreePath } from '../model/names.ts';
import type {
  ChangeSet,
  DiscardedWork,
  PathChange,
  PathConflict,
  ThreeSides,
  UntouchedPath,
  WrittenLines,
} from '../operation/change-set.ts';
import type { CurrentState } from '../operation/operation.ts';
import { cachedFolderReader } from '../store/snapshot/snapshot.ts';
import { stateAt } from '../timeline/diff/snapshot-diff.ts';
import { withAuthors, withDiscardedNotes } from './conflict-texts.ts';
import type { LineAuthors } from './line-authors.ts';
import { mergeFiles } from './merge-entry.ts';

/** The content of a file that a person merged. */
export interface Resolution {
  readonly content: Uint8Array;
  /** The id of the current file that it was merged from. If the file is another one by now, it stays a conflict. */
  readonly ours?: string;
}

export interface ConflictChoices {
  /** The side that wins where lines do not merge, for each path and everything below it. `ours` is the current file. */
  readonly prefer: ReadonlyMap<TreePath, MergeSide>;
  /** Leave paths alone that do not merge. */
  readonly skipConflicts: boolean;
  /** Exact paths. Each must be in conflict. */
  readonly resolutions: ReadonlyMap<TreePath, Resolution>;
}

export const NO_CHOICES: ConflictChoices = { prefer: new Map(), skipConflicts: false, resolutions: new Map() };

/** How to go on after a conflict in files that both sides changed. */
export const WAYS_ON =
  'To continue: --skip-conflicts leaves these paths as they are and does the rest. --ours PATH keeps the current lines ' +
  'of a path, --theirs PATH takes the lines to bring back. --resolution takes contents that you merged by hand.';

const CONFLICT_HINT = `Nothing was changed. ${WAYS_ON}`;

/**
 * @throws SavepointError USAGE if a resolution is for a path that is not in conflict, CONFLICT if it is for another
 *   current file
 */
export async function resolveConflicts(
  plan: ChangeSet,
  current: CurrentState,
  choices: ConflictChoices,
  authors: LineAuthors,
): Promise<ChangeSet> {
  const { prefer, skipConflicts, resolutions } = choices;
  assertAllNeeded(plan, resolutions);
  const paths: PathChange[] = [...plan.paths];
  const kept: UntouchedPath[] = [...plan.kept];
  const conflicts: PathConflict[] = [];
  const discarded: DiscardedWork[] = [...(plan.discarded ?? [])];
  for (const conflict of await withAuthors(plan.conflicts, authors)) {
    const { path, sides } = conflict;
    const resolution = resolutions.get(path);
    const side = [...prefer].find(([each]) => isWithin(path, each))?.[1];
    const to =
      sides === undefined || !hasParent(current, paths, path)
        ? null
        : resolution !== undefined
          ? resolved(current, path, sides, resolution)
          : side === undefined
            ? null
            : preferred(current, sides, side);
    if (to !== null && sides !== undefined) {
      const { ignored } = stateAt(cachedFolderReader(current.objects), current.snapshot, path);
      if (to.entry === sides.ours) kept.push({ path, why: 'kept, as requested' });
      else paths.push({ path, from: sides.ours, to: to.entry, ignored, merged: to.merged });
      if (to.discarded !== undefined) discarded.push({ path, base: sides.base, lines: to.discarded });
    } else if (skipConflicts && sides !== undefined) kept.push({ path, why: `skipped: ${conflict.why}` });
    else conflicts.push(conflict);
  }
  paths.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
  const hint = plan.hint ?? (conflicts.some(({ sides }) => sides !== undefined) ? CONFLICT_HINT : null);
  return withDiscardedNotes({ ...plan, paths, kept, conflicts, discarded, hint }, authors);
}

interface Resolved {
  readonly entry: Entry | null;
  readonly merged: boolean;
  /** What is lost of the current file; null: its whole content. Absent: nothing. */
  readonly discarded?: WrittenLines | null;
}

function resolved(
  { objects }: CurrentState,
  path: TreePath,
  { base, ours, theirs }: ThreeSides,
  { content, ours: mergedFrom }: Resolution,
): Resolved | null {
  if (isFolder(ours) || isFolder(theirs)) return null;
  const id = ours === null || ours.kind === 'folder' ? null : ours.id;
  if (mergedFrom !== undefined && mergedFrom !== id) {
    throwConflict([
      { path, why: 'it changed after its resolution was made', sides: { base, ours, theirs, text: null, cut: false } },
    ]);
  }
  const file = [ours, theirs, base].find((entry) => entry?.kind === 'file');
  const mode = file?.kind === 'file' ? file.mode : 0o644;
  return { entry: { kind: 'file', id: objects.add('blob', content), mode }, merged: true };
}

/** @returns null if a side cannot be taken without a look at what is below the path */
function preferred({ objects }: CurrentState, { base, ours, theirs }: ThreeSides, side: MergeSide): Resolved | null {
  if (base?.kind === 'file' && ours?.kind === 'file' && theirs?.kind === 'file') {
    const { entry, sides: _, ...more } = mergeFiles(objects, { base, ours, theirs }, side);
    return entry === null ? null : { ...more, entry: entry.id === ours.id && entry.mode === ours.mode ? ours : entry };
  }
  if (side === 'ours') return { entry: ours, merged: false };
  if (isFolder(ours) && isFolder(theirs)) return { entry: theirs, merged: false };
  if (isFolder(ours) || isFolder(theirs)) return null;
  return { entry: theirs, merged: false, ...(ours === null ? {} : { discarded: null }) };
}

function isFolder(entry: Entry | null): boolean {
  return entry?.kind === 'folder';
}

/** Whether the folder of the path exists, or comes with the plan. */
function hasParent({ objects, snapshot }: CurrentState, paths: readonly PathChange[], path: TreePath): boolean {
  const parent = parentPath(path);
  if (parent === '') return true;
  const planned = paths.find((change) => change.path === parent);
  if (planned !== undefined) return isFolder(planned.to);
  return isFolder(stateAt(cachedFolderReader(objects), snapshot, parent).entry);
}

/**
 * What a person merged must not be dropped silently because there is no conflict.
 * @throws SavepointError USAGE
 */
function assertAllNeeded(plan: ChangeSet, resolutions: ConflictChoices['resolutions']): void {
  const inConflict = new Set(plan.conflicts.map(({ path }) => path));
  const needless = [...resolutions.keys()].filter((path) => !inConflict.has(path)).map(showName);
  if (needless.length === 0) return;
  const more = needless.length > 3 ? `, and ${needless.length - 3} more` : '';
  const named = `${needless.slice(0, 3).join(', ')}${more}`;
  throw new SavepointError(
    'USAGE',
    `There is a resolution for ${named}, but no conflict there.`,
    { argument: 'resolutions' },
    { hint: 'Nothing was changed. Leave the resolution out, or look at the conflicts again in a preview.' },
  );
}

function throwConflict(conflicts: readonly PathConflict[]): never {
  const [first] = conflicts as readonly [PathConflict, ...PathConflict[]];
  throw new SavepointError(
    'CONFLICT',
    `The resolution of ${showName(first.path)} does not apply: ${first.why}.`,
    {
      paths: conflicts.map(({ path, why, sides }) => ({
        path: nameToJson(path),
        why,
        ...(sides === undefined
          ? {}
          : {
              base: shownEntry(sides.base),
              ours: shownEntry(sides.ours),
              theirs: shownEntry(sides.theirs),
              text: null,
            }),
      })),
    },
    { hint: 'Nothing was changed. Look at the conflicts again in a preview.' },
  );
}
