/** Batches that are limited, and that take over what is in packs of another repository. */
import type { Fd } from '../../io/fs.ts';
import type { ObjectId } from '../../model/ids.ts';
import type { ObjectBatch } from './object-reader.ts';
import type { PackFile } from './packs/pack-file.ts';
import type { PackIndex } from './packs/pack-index.ts';

export interface BatchLimit {
  /** How much may be written, in bytes of packs. */
  readonly bytes: number;
  /** What is thrown by what would bring more. @param bytes that there are then */
  readonly full: (bytes: number) => Error;
}

export interface AdoptingBatch extends ObjectBatch {
  /** Bytes that may still be brought. */
  readonly bytesLeft: number;

  /**
   * Trees of which `brings` says that they will be brought over are not written when they are added; they can be read when
   * they were, and `finish` refuses when one was not. What they hold is not compared: their ids were made from it.
   */
  expectTrees(brings: (tree: ObjectId) => boolean): void;

  /**
   * Takes a whole pack as it is. Its objects are there from now on, and nothing of what they hold was looked at.
   * @param from the pack, open; it may have lost its name
   * @returns false where the store has a pack of that name, and then nothing was taken
   * @throws FormatProblem when it is no sound pack, FsError when it cannot be copied
   */
  adoptPack(from: Fd, index: PackIndex, method: 'clone' | 'copy'): Promise<boolean>;

  /**
   * Copies objects that are not there yet, each verified on the way.
   * @throws SavepointError STORE_DAMAGED when one of them is hurt
   */
  copyObjects(pack: PackFile, places: Iterable<number>, step: () => Promise<void>): Promise<void>;
}
