import type { Gap, RootState } from '../../model/checkpoint.ts';
import type { TreePath } from '../../model/names.ts';

/**
 * What a scan reports about a folder and all below it, in addition to its trees. Lists are in the order of the walk.
 */
export class Findings {
  readonly counts = { files: 0, links: 0, folders: 0, bytes: 0, skipped: 0 };
  readonly roots: RootState[] = [];
  readonly partial: Gap[] = [];
  readonly leftOut: Gap[] = [];
  readonly unsettled: TreePath[] = [];
  readonly problems: string[] = [];
  /** Some result depends on which paths the repository tracks, or on what the last checkpoint has captured. */
  dependsOnTracked = false;

  count(kind: 'file' | 'link', bytes: number): void {
    if (kind === 'link') {
      this.counts.links += 1;
    } else {
      this.counts.files += 1;
      this.counts.bytes += bytes;
    }
  }

  /** Adds the findings of a subfolder, after the walk has returned from it. */
  add(below: Findings): void {
    const { counts } = this;
    counts.files += below.counts.files;
    counts.links += below.counts.links;
    counts.folders += below.counts.folders;
    counts.bytes += below.counts.bytes;
    counts.skipped += below.counts.skipped;
    this.dependsOnTracked ||= below.dependsOnTracked;
    append(this.roots, below.roots);
    append(this.partial, below.partial);
    append(this.leftOut, below.leftOut);
    append(this.unsettled, below.unsettled);
    append(this.problems, below.problems);
  }
}

/** `push(...)` would put every item on the stack. */
function append<Item>(to: Item[], from: readonly Item[]): void {
  for (const item of from) to.push(item);
}
