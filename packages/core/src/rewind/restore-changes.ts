/** Restore: makes the chosen paths equal to a checkpoint. */

import type { Pace } from '../io/pace.ts';
import type { Checkpoint, RootState } from '../model/checkpoint.ts';
import type { Entry, Snapshot } from '../model/entries.ts';
import { baseName, IGNORE_FILE, isWithin, parentPath, type TreePath } from '../model/names.ts';
import { addUncaptured, type ChangeSet, ChangeSetDraft } from '../operation/change-set.ts';
import type { ObjectReader } from '../store/objects/object-reader.ts';
import type { OwnPaths } from '../store/own-paths.ts';
import { cachedFolderReader, type FolderReader, folderAt, readBlob, readFolder } from '../store/snapshot/snapshot.ts';
import { differences, type PathDifference, stateAt } from '../timeline/diff/snapshot-diff.ts';
import { IgnoreChain, type IgnoreFile } from '../workspace/rules/ignore-rules.ts';
import { type InverseInput, inverseChanges } from './inverse-changes.ts';
import { keepOfAnotherRoot, planRemovals, type Removal } from './removal.ts';
import { OF_ANOTHER_ROOT } from './roots.ts';

export interface RestoreInput {
  readonly objects: ObjectReader;
  /** The current workspace. */
  readonly now: Snapshot;
  readonly own: OwnPaths;
  readonly rootsNow: readonly RootState[];
  readonly target: Checkpoint;
  /** Only these paths and everything below them. */
  readonly scope: readonly TreePath[];
  /** Roots inside the scope that are not part of it. */
  readonly except: readonly TreePath[];
  /** The user's global ignore file. */
  readonly global: IgnoreFile;
}

/**
 * Restores only what differs from `last`. Changes made since `last` are kept, and merged if both sides changed a file.
 */
export async function planMergingRestore(
  input: Omit<RestoreInput, 'objects'> & Pick<InverseInput, 'objects' | 'entries'> & { readonly last: Snapshot },
  pace: Pace,
): Promise<ChangeSet> {
  return inverseChanges(
    {
      objects: input.objects,
      before: input.target.snapshot,
      after: input.last,
      now: input.now,
      own: input.own,
      entries: input.entries,
      isOneOperation: false,
      reasonToKeep: reasonToKeepOf(input),
      within: input.scope,
      except: input.except,
    },
    pace,
  );
}

export async function restoreChanges(input: RestoreInput, pace: Pace): Promise<ChangeSet> {
  const { objects, now, target } = input;
  const draft = new ChangeSetDraft();
  const removals: Removal[] = [];
  const protection = new Protection(input);
  const read = cachedFolderReader(objects);
  for (const difference of differences(objects, now, target.snapshot)) {
    if (pace.isDue()) await pace.yieldNow();
    const { path, before, after } = difference;
    if (!input.scope.some((folder) => isWithin(path, folder))) {
      addParentFolder(read, input, difference, draft);
      continue;
    }
    if (input.except.some((root) => isWithin(path, root))) {
      if (before.entry !== null && after.entry === null) keepOfAnotherRoot(path, before.entry, removals);
      continue;
    }
    if (after.skip !== null) {
      draft.kept.push({ path, why: `${target.id} did not capture it (${after.skip.reason})` });
    } else if (before.skip !== null) {
      addUncaptured(draft, path, before.skip);
    } else if (before.entry !== null && isRemoval(before.entry, after.entry)) {
      const keep = after.entry === null ? protection.reasonToKeep(difference) : null;
      removals.push({ path, entry: before.entry, to: after.entry, ignored: after.ignored, reasonToKeep: keep });
    } else {
      draft.change(path, before.entry, after.entry, after.ignored);
    }
  }
  planRemovals(objects, now, input.own, removals, draft);
  return draft.finish();
}

/** Returns why a path that a restore would remove must stay, or null. */
export function reasonToKeepOf(input: RestoreInput): (difference: PathDifference) => string | null {
  const protection = new Protection(input);
  return (difference) => protection.reasonToKeep(difference);
}

/**
 * Adds the parent folders of the chosen paths, which the user did not name. An existing path that is not a folder was
 * not named either, so the restore refuses to replace it.
 */
function addParentFolder(
  read: FolderReader,
  input: RestoreInput,
  { path, before, after }: PathDifference,
  draft: ChangeSetDraft,
): void {
  if (after.entry?.kind !== 'folder' || before.entry?.kind === 'folder') return;
  const needed = input.scope.some(
    (chosen) => isWithin(chosen, path) && stateAt(read, input.target.snapshot, chosen).entry !== null,
  );
  if (!needed) return;
  if (before.entry === null && before.skip === null) draft.change(path, null, after.entry, after.ignored);
  else draft.refused.push({ path, why: `a ${before.entry?.kind ?? 'path'} is now where its folder was` });
}

/** The file or the folder itself is removed, not just rewritten. */
function isRemoval(before: Entry, after: Entry | null): boolean {
  return after === null || (before.kind === 'folder' && after.kind !== 'folder');
}

/** Paths that a restore never removes, even if the checkpoint does not have them. */
class Protection {
  readonly #newRepositories: readonly TreePath[];
  readonly #chains = new Map<TreePath, IgnoreChain>();

  constructor(private readonly input: RestoreInput) {
    const { objects, rootsNow, target } = input;
    this.#newRepositories = rootsNow
      .filter(
        ({ kind, path }) => kind === 'repository' && path !== '' && folderAt(objects, target.snapshot, path) === null,
      )
      .map(({ path }) => path);
  }

  reasonToKeep({ path, before }: PathDifference): string | null {
    if (this.input.except.some((root) => isWithin(path, root))) return OF_ANOTHER_ROOT;
    const repository = this.#newRepositories.find((root) => isWithin(path, root));
    if (repository !== undefined) return `it is in a repository that ${this.input.target.id} does not have`;
    if (before.ignored) return 'it is ignored';
    const ignoredThen = this.#chain(parentPath(path)).isIgnored(baseName(path), before.entry?.kind === 'folder');
    return ignoredThen ? `it is ignored in ${this.input.target.id}` : null;
  }

  /**
   * Uses the ignore rules in the checkpoint. What they protected then stays protected, even if the rules changed since.
   */
  #chain(folder: TreePath): IgnoreChain {
    const known = this.#chains.get(folder);
    if (known !== undefined) return known;
    const rules = this.#rules(folder);
    const isRoot = folder === '' || this.input.target.roots.some(({ path }) => path === folder);
    const chain = isRoot
      ? IgnoreChain.start({ ignoreCase: false, global: this.input.global, exclude: null, top: rules })
      : this.#chain(parentPath(folder)).enter(baseName(folder), rules);
    this.#chains.set(folder, chain);
    return chain;
  }

  #rules(path: TreePath): IgnoreFile {
    const { objects, target } = this.input;
    const folder = folderAt(objects, target.snapshot, path);
    const file = folder === null ? undefined : readFolder(objects, folder).entries.get(IGNORE_FILE);
    return file?.kind === 'file' ? readBlob(objects, file.id) : null;
  }
}
