/**
 * Packs of somebody's repository, as they were at one look, and which of their objects are wanted. Nothing is ever
 * written there. The repository may rewrite its packs at any time: those that are wanted are held open from the first
 * object on, so that they can still be read when they have lost their names.
 */
import { type Fd, type Fs, isFsError } from '../../io/fs.ts';
import type { ObjectId } from '../../model/ids.ts';
import type { DiskPath } from '../../model/names.ts';
import { Handles } from './handles.ts';
import { KEY_BYTES, keyInto } from './object-hash.ts';
import type { PackFile } from './pack-file.ts';
import { PackSet } from './pack-set.ts';

/** All indexes together, bytes: they are held in memory, and read by whoever opens a store that took a pack. */
const INDEXES_BYTES = 128 * 1024 * 1024;
/** A process has 256 handles where the least are allowed. */
const MOST_PACKS = 32;

export interface WantedPack {
  readonly pack: PackFile;
  readonly file: Fd;
  /** Places in the index. */
  readonly places: readonly number[];
  /** Bytes of the objects, uncompressed. */
  readonly bytes: number;
}

interface Wanted {
  readonly file: Fd;
  readonly isWanted: Uint8Array;
  bytes: number;
}

export class ForeignPacks {
  readonly #packs: PackSet;
  readonly #wanted = new Map<PackFile, Wanted>();
  readonly #key = Buffer.alloc(KEY_BYTES);

  private constructor(
    private readonly fs: Fs,
    private readonly handles: Handles,
    packs: PackSet,
  ) {
    this.#packs = packs;
  }

  /** @returns null where there are none, or too many @throws FsError, SavepointError STORE_DAMAGED */
  static open(fs: Fs, objects: DiskPath): ForeignPacks | null {
    const folder = `${objects}/pack` as DiskPath;
    const indexes = namesIn(fs, folder).filter((name) => name.endsWith('.idx'));
    let bytes = 0;
    for (const name of indexes) bytes += fs.lstat(`${folder}/${name}` as DiskPath)?.size ?? 0;
    if (indexes.length === 0 || indexes.length > MOST_PACKS || bytes > INDEXES_BYTES) return null;
    const handles = new Handles(fs);
    const packs = new PackSet(fs, handles, folder);
    packs.reload();
    return new ForeignPacks(fs, handles, packs);
  }

  /**
   * Whether there is a blob of that size, as far as heads say it, and it is wanted from now on.
   * @throws FsError, SavepointError STORE_DAMAGED when it cannot be read
   */
  want(id: ObjectId, size: number): boolean {
    const found = this.#packs.find(keyInto(this.#key, id));
    if (found === null) return false;
    const { pack, place } = found;
    const info = pack.info(place);
    if (info.type !== 'blob' || info.size !== size) return false;
    const wanted = this.#of(pack);
    if (wanted.isWanted[place] === 0) wanted.bytes += size;
    wanted.isWanted[place] = 1;
    return true;
  }

  *wanted(): Generator<WantedPack> {
    for (const [pack, { file, isWanted, bytes }] of this.#wanted) {
      const places = [...pack.index.placesInPackOrder()].filter((place) => isWanted[place] === 1);
      yield { pack, file, places, bytes };
    }
  }

  close(): void {
    for (const { file } of this.#wanted.values()) this.fs.close(file);
    this.#wanted.clear();
    this.handles.dropAll();
  }

  #of(pack: PackFile): Wanted {
    let wanted = this.#wanted.get(pack);
    if (wanted === undefined) {
      wanted = { file: this.fs.openRead(pack.path), isWanted: new Uint8Array(pack.index.count), bytes: 0 };
      this.#wanted.set(pack, wanted);
    }
    return wanted;
  }
}

function namesIn(fs: Fs, folder: DiskPath): readonly string[] {
  try {
    return fs.list(folder);
  } catch (error) {
    if (isFsError(error, 'ENOENT', 'ENOTDIR')) return [];
    throw error;
  }
}
