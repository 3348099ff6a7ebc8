/** An open workspace, as captures and operations use it. */

import type { LoadOwnEntries } from '../../io/own-entries.ts';
import type { Ports } from '../../io/ports.ts';
import type { CaptureRules } from '../../model/checkpoint.ts';
import type { WorkspaceId } from '../../model/ids.ts';
import type { DiskPath } from '../../model/names.ts';
import type { OpenStore, StoreLayout } from '../../store/layout.ts';
import type { ScanMemory } from '../../workspace/scan/scan-memory.ts';
import type { Timeline } from '../record/timeline.ts';

/** The store of another workspace whose folder is inside this one's, or around it. */
export interface OverlappingStore {
  readonly root: DiskPath;
  readonly layout: StoreLayout;
}

export interface Workspace {
  readonly ports: Ports;
  readonly id: WorkspaceId;
  readonly root: DiskPath;
  readonly store: OpenStore;
  readonly timeline: Timeline;
  readonly rules: CaptureRules;
  /** Whether checkpoints record the index of each repository. */
  readonly recordIndex: boolean;
  readonly globalIgnore: DiskPath | null;
  readonly memory: ScanMemory;
  /** The user's attributes files, for a first checkpoint that adopts from repositories; null: it does not adopt. */
  readonly gitAttributes: readonly DiskPath[] | null;
  /** Maximum size of the store in bytes; null: no limit. */
  readonly maxStoreBytes: number | null;
  /** Folders with programs, in the format of PATH. */
  readonly searchPath: string;
  /** Entries that Savepoint keeps in files of the user; null: it has none. */
  readonly ownEntries: LoadOwnEntries | null;
  /** Numbers up to this one are taken, regardless of the refs. */
  readonly lastNumber: number;
  /** Usually none. An agent that works in one of them may change files of this workspace. */
  overlapping(): readonly OverlappingStore[];
  /** Numbers of the checkpoints that the changes in copies are relative to. Without them, that work could not be applied. */
  basesOfCopies(): ReadonlySet<number>;
}
