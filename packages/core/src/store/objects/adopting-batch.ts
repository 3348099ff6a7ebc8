/** Batches that have a size limit and can adopt objects from another repository's packs. */
import type { ObjectId } from '../../model/ids.ts';
import type { ObjectBatch } from './object-reader.ts';
import type { AdoptMethod, OpenPack } from './packs/link-pack.ts';
import type { PackFile } from './packs/pack-file.ts';

export interface BatchLimit {
  /** Limit for the packs that the batch writes, in bytes. */
  readonly bytes: number;
  /** Creates the error to throw when the limit is exceeded. @param bytes the size of the packs at that point */
  readonly full: (bytes: number) => Error;
}

export interface AdoptingBatch extends ObjectBatch {
  /** Bytes that may still be written. */
  readonly bytesLeft: number;

  /**
   * Registers trees that will be adopted. `add` does not write a tree for which `brings` returns true. Such a tree can
   * be read once it has been adopted; `finish` throws if one has not. Its content is not compared, because its id was
   * computed from that content.
   */
  expectTrees(brings: (tree: ObjectId) => boolean): void;

  /**
   * Adopts a whole pack unchanged. Its objects exist from then on, but their contents are not verified.
   * @returns false if the store already has a pack of that name, in which case nothing was adopted
   * @throws FormatProblem if it is not a valid pack, FsError if it cannot be copied or linked
   */
  adoptPack(pack: OpenPack, method: AdoptMethod): Promise<boolean>;

  /**
   * Copies the objects that do not exist yet, verifying each one.
   * @throws SavepointError STORE_DAMAGED if one of them is damaged
   */
  copyObjects(pack: PackFile, places: Iterable<number>, step: () => Promise<void>): Promise<void>;
}
