/** What a scan knows of a folder whose trees are in the store. A process may remember many thousands of them. */

import type { FolderRef } from '../../store/snapshot/snapshot.ts';
import type { KnownFolder } from './known-folder.ts';

export class WrittenFolder {
  /** Null if the record has the ids, where they take less memory. */
  readonly #ref: FolderRef | null;

  /**
   * @param ref the trees; those of the record if it determines any
   * @param isUnchanged the trees are the ones that were already known
   */
  constructor(
    ref: FolderRef,
    readonly known: KnownFolder,
    readonly isUnchanged: boolean,
  ) {
    this.#ref = known.hasTrees ? null : ref;
  }

  get ref(): FolderRef {
    return this.#ref ?? this.known.ref!;
  }

  unchanged(): WrittenFolder {
    return new WrittenFolder(this.ref, this.known, true);
  }

  /** @param known another record of the folder, with the same trees or none */
  withRecord(known: KnownFolder): WrittenFolder {
    return new WrittenFolder(this.ref, known, this.isUnchanged);
  }
}
