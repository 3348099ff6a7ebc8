import type { CodeGraph } from '../../code/graph/graph.ts';
import type { WorkspaceId } from '../../model/ids.ts';
import type { SnapshotTree } from './snapshot-tree.ts';

/** The graph of a state. */
export interface KnownGraph {
  readonly workspace: WorkspaceId;
  readonly tree: SnapshotTree;
  readonly graph: CodeGraph;
}

/** Keeps the graph of the last base: the next analysis often has the same one, or one that differs little. */
export class LastGraph {
  #known: KnownGraph | null = null;

  of(workspace: WorkspaceId): KnownGraph | null {
    return this.#known?.workspace === workspace ? this.#known : null;
  }

  keep(known: KnownGraph): void {
    this.#known = known;
  }
}
