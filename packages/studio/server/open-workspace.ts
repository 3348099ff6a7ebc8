/** An open workspace: of a folder, or of a bundle under review. */
import type { OpenOptions, Savepoint } from '@savepoint/core';
import type { SerialQueue } from '@savepoint/core/tools';

/** Everything that opening a workspace needs, except its folder. `here` is about the folder of the server only. */
export type WorkspaceOptions = Omit<OpenOptions, 'dir' | 'watch'>;

export interface OpenWorkspace {
  readonly savepoint: Savepoint;
  /** Changes of one workspace are made one after the other. Reads do not wait. */
  readonly changes: SerialQueue;
  /** Only what changes nothing is answered. */
  readonly isBundle: boolean;
}
