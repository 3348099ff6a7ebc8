import type { Gap, RootState } from '../../model/checkpoint.ts';
import type { TreePath } from '../../model/names.ts';

/** Lists of what a scan found. */
interface FoundLists {
  readonly roots: RootState[];
  readonly partial: Gap[];
  readonly leftOut: Gap[];
  readonly unsettled: TreePath[];
  readonly problems: string[];
}

const NOTHING: { readonly [List in keyof FoundLists]: Readonly<FoundLists[List]> } = {
  roots: [],
  partial: [],
  leftOut: [],
  unsettled: [],
  problems: [],
};

/**
 * What a scan reports about a folder and all below it, in addition to its trees. Lists are in the order of the walk.
 */
export class Findings {
  readonly counts = { files: 0, links: 0, folders: 0, bytes: 0, skipped: 0 };
  /** Some result depends on which paths the repository tracks, or on what the last checkpoint has captured. */
  dependsOnTracked = false;
  /** Null as long as all are empty, as in most folders: a process may remember the findings of many thousands. */
  #lists: FoundLists | null = null;

  get lists(): typeof NOTHING {
    return this.#lists ?? NOTHING;
  }

  count(kind: 'file' | 'link', bytes: number): void {
    if (kind === 'link') {
      this.counts.links += 1;
    } else {
      this.counts.files += 1;
      this.counts.bytes += bytes;
    }
  }

  put<List extends keyof FoundLists>(list: List, item: FoundLists[List][number]): void {
    this.#lists ??= { roots: [], partial: [], leftOut: [], unsettled: [], problems: [] };
    (this.#lists[list] as (typeof item)[]).push(item);
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
    if (below.#lists === null) return;
    for (const root of below.#lists.roots) this.put('roots', root);
    for (const gap of below.#lists.partial) this.put('partial', gap);
    for (const gap of below.#lists.leftOut) this.put('leftOut', gap);
    for (const path of below.#lists.unsettled) this.put('unsettled', path);
    for (const problem of below.#lists.problems) this.put('problems', problem);
  }
}
