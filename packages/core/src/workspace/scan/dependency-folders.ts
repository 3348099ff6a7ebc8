/**
 * What a scan captures in dependency, cache and build folders: tracked and required paths. One skip covers everything
 * else in such a folder, so tracked paths that do not exist are recorded by name.
 */

import type { FolderListing } from '../../io/fs.ts';
import type { Ports } from '../../io/ports.ts';
import type { Skip } from '../../model/entries.ts';
import { type DiskPath, diskChild, type Name, type TreePath } from '../../model/names.ts';
import type { PathSet } from '../../model/path-set.ts';
import { dependencySkip } from '../rules/capture-rules.ts';
import type { ChosenPaths } from '../rules/chosen-paths.ts';
import type { Findings } from './findings.ts';
import type { FolderTask } from './folder-task.ts';
import { lstatOf } from './fs-reads.ts';
import type { LastSnapshot } from './last-snapshot.ts';
import type { WalkPosition } from './position.ts';

interface DependencyInput {
  readonly ports: Ports;
  /** Captured whatever the rules say. */
  readonly requiredPaths: PathSet;
  readonly lastSnapshot: LastSnapshot;
}

export class DependencyFolders {
  constructor(
    private readonly input: DependencyInput,
    private readonly chosenPaths: ChosenPaths,
    private readonly chosenRoots: PathSet,
  ) {}

  /** A dependency folder can have more names than everything else, so it is not even listed if its name is enough. */
  skipByName({ path, disk, above, covered, dependencyAbove }: FolderTask, findings: Findings): Skip | null {
    if (dependencyAbove !== null || this.mustEnter(path) || this.chosenPaths.includes(path, true)) return null;
    const skip = dependencySkip(this.input.ports.fs, path, disk, null, covered);
    if (skip === null) return null;
    findings.dependsOnTracked = true;
    // A repository is a root, whatever its name.
    return this.mayHaveCaptured(above, path) || this.isRepository(disk) ? null : skip;
  }

  /** Returns the skip for everything in the folder that is neither tracked nor required; null if it is captured. */
  skipIn({ path, disk, dependencyAbove }: FolderTask, names: readonly Name[], covered: boolean): Skip | null {
    const isWanted =
      this.chosenRoots.has(path) || this.input.requiredPaths.covers(path) || this.chosenPaths.includes(path, true);
    return isWanted ? null : (dependencyAbove ?? dependencySkip(this.input.ports.fs, path, disk, names, covered));
  }

  /** Whether the folder must be entered, whatever its name. */
  mustEnter(folder: TreePath): boolean {
    return this.input.requiredPaths.overlaps(folder) || this.chosenRoots.hasAtOrBelow(folder);
  }

  /** Whether something in the dependency folder is to be captured. */
  hasWanted({ tracked }: WalkPosition, folder: TreePath): boolean {
    return tracked.hasBelow(folder) || this.mustEnter(folder);
  }

  /** Also true if the last checkpoint captured something in it, which may be gone and no longer tracked. */
  mayHaveCaptured(position: WalkPosition, folder: TreePath): boolean {
    return this.hasWanted(position, folder) || this.input.lastSnapshot.hasFolder(folder);
  }

  /**
   * Whether a path in a dependency folder counts as tracked. It may be of another kind than in the index: a file in place
   * of a folder, or the reverse. If the index is unknown, what the last checkpoint captured counts as tracked.
   */
  isTracked({ tracked }: WalkPosition, path: TreePath, isFolder: boolean): boolean {
    if (tracked.hasBelow(path) || tracked.hasEntry(path)) return true;
    return !isFolder && tracked.has(path) && this.input.lastSnapshot.hasCaptured(path);
  }

  /**
   * Returns the tracked, required and previously captured names that do not exist. They may differ from the names on the
   * disk in case or normal form, so the file system decides.
   */
  absentNames(
    { path, disk }: Pick<FolderTask, 'path' | 'disk'>,
    { tracked }: WalkPosition,
    { names }: FolderListing,
  ): ReadonlySet<Name> {
    const { ports, requiredPaths, lastSnapshot } = this.input;
    const found = new Set(names);
    const wanted = [tracked.namesIn(path), requiredPaths.namesIn(path), lastSnapshot.namesIn(path)];
    const missing = wanted.flatMap((group) => [...group].filter((name) => !found.has(name)));
    return new Set(missing.filter((name) => lstatOf(ports.fs, diskChild(disk, name)) === null));
  }

  isRepository(disk: DiskPath): boolean {
    return lstatOf(this.input.ports.fs, `${disk}/.git` as DiskPath) !== null;
  }
}
