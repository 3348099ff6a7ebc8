/**
 * The packs of a user's repository as of one scan, and the objects selected from them. Savepoint never writes there.
 * The repository may rewrite its packs at any time. So a pack stays open from its first selected object on, and can
 * still be read after it is unlinked.
 */
import { type Fd, type Fs, isFsError } from '../../../io/fs.ts';
import type { ObjectId } from '../../../model/ids.ts';
import { type DiskPath, diskChild } from '../../../model/names.ts';
import { FileHandleCache, readFully } from '../file-handle-cache.ts';
import { KEY_BYTES, writeKey } from '../object-hash.ts';
import type { PackFile } from './pack-file.ts';
import { decodeEntryHeader, MAX_ENTRY_HEADER_BYTES } from './pack-format.ts';
import { PackSet } from './pack-set.ts';

/** Limit for all indexes together, in bytes: every process that opens a store with an adopted pack reads its index. */
const INDEXES_BYTES = 128 * 1024 * 1024;
/** Keeps open files well below the lowest limit of a process, which is 256. */
const MAX_PACKS = 32;

export interface SelectedPack {
  readonly pack: PackFile;
  readonly file: Fd;
  /** Number of selected objects. */
  readonly count: number;
  /** Positions in the index, in the order of the pack. */
  readonly places: () => Uint32Array;
  /** Uncompressed size of the selected blobs. */
  readonly bytes: number;
}

interface PackSelection {
  readonly file: Fd;
  readonly window: ReadAheadBuffer;
  readonly isSelected: Uint8Array;
  bytes: number;
}

const MIN_WINDOW_BYTES = 4 * 1024;
const MAX_WINDOW_BYTES = 256 * 1024;

/**
 * A read-ahead buffer for a file. Paths and pack entries have a similar order, so the next read mostly hits the buffer.
 */
class ReadAheadBuffer {
  #bytes: Buffer = Buffer.alloc(0);
  #start = 0;
  #size = MIN_WINDOW_BYTES;

  constructor(
    private readonly fs: Fs,
    private readonly file: Fd,
  ) {}

  /** Returns fewer than `length` bytes only at the end of the file. */
  at(position: number, length: number): Buffer {
    const end = this.#start + this.#bytes.length;
    if (position < this.#start || position + length > end) {
      const isSequential = position >= this.#start && position < end + this.#size;
      this.#size = isSequential ? Math.min(MAX_WINDOW_BYTES, this.#size * 2) : MIN_WINDOW_BYTES;
      const into = Buffer.allocUnsafe(this.#size);
      this.#bytes = into.subarray(0, readFully(this.fs, this.file, into, into.length, position));
      this.#start = position;
    }
    return this.#bytes.subarray(position - this.#start, position - this.#start + length);
  }
}

export class ForeignPacks {
  readonly #packs: PackSet;
  readonly #selections = new Map<PackFile, PackSelection>();
  readonly #key = Buffer.alloc(KEY_BYTES);

  private constructor(
    private readonly fs: Fs,
    private readonly handles: FileHandleCache,
    packs: PackSet,
  ) {
    this.#packs = packs;
  }

  /** @returns null if there are none, or too many @throws FsError, SavepointError STORE_DAMAGED */
  static open(fs: Fs, objects: DiskPath): ForeignPacks | null {
    const folder = diskChild(objects, 'pack');
    const indexes = listOrEmpty(fs, folder).filter((name) => name.endsWith('.idx'));
    let bytes = 0;
    for (const name of indexes) bytes += fs.lstat(diskChild(folder, name))?.size ?? 0;
    if (indexes.length === 0 || indexes.length > MAX_PACKS || bytes > INDEXES_BYTES) return null;
    // A handle that is closed cannot be opened again once git has repacked.
    const handles = new FileHandleCache(fs, 2 * MAX_PACKS);
    const packs = new PackSet(fs, handles, folder);
    packs.reload();
    return new ForeignPacks(fs, handles, packs);
  }

  /**
   * Selects a blob. Returns false if there is no blob with that id and size, according to the entry headers.
   * @throws FsError, SavepointError STORE_DAMAGED if it cannot be read
   */
  selectBlob(id: ObjectId, size: number): boolean {
    const found = this.#packs.find(writeKey(this.#key, id));
    if (found === null) return false;
    const { pack, place } = found;
    const selection = this.#selectionOf(pack);
    const offset = pack.index.offsetAt(place);
    const head = decodeEntryHeader(selection.window.at(offset, MAX_ENTRY_HEADER_BYTES));
    const info = head.kind === 'whole' ? head : pack.info(place);
    if (info.type !== 'blob' || info.size !== size) return false;
    if (selection.isSelected[place] === 0) selection.bytes += size;
    selection.isSelected[place] = 1;
    return true;
  }

  /**
   * Selects a tree; returns false if it does not exist. Its content is not read: the caller computed the id from that
   * content.
   * @throws FsError if the pack cannot be opened
   */
  selectTree(id: ObjectId): boolean {
    const found = this.#packs.find(writeKey(this.#key, id));
    if (found === null) return false;
    this.#selectionOf(found.pack).isSelected[found.place] = 1;
    return true;
  }

  *selected(): Generator<SelectedPack> {
    for (const [pack, { file, isSelected, bytes }] of this.#selections) {
      const count = isSelected.reduce((sum, one) => sum + one, 0);
      const places = (): Uint32Array =>
        pack.index.inPackOrder(Uint32Array.from(isSelected.keys()).filter((place) => isSelected[place] === 1));
      if (count > 0) yield { pack, file, count, places, bytes };
    }
  }

  close(): void {
    for (const { file } of this.#selections.values()) this.fs.close(file);
    this.#selections.clear();
    this.handles.closeAll();
  }

  #selectionOf(pack: PackFile): PackSelection {
    let selection = this.#selections.get(pack);
    if (selection === undefined) {
      const file = this.fs.openRead(pack.path);
      const window = new ReadAheadBuffer(this.fs, file);
      selection = { file, window, isSelected: new Uint8Array(pack.index.count), bytes: 0 };
      this.#selections.set(pack, selection);
    }
    return selection;
  }
}

function listOrEmpty(fs: Fs, folder: DiskPath): readonly string[] {
  try {
    return fs.list(folder);
  } catch (error) {
    if (isFsError(error, 'ENOENT', 'ENOTDIR')) return [];
    throw error;
  }
}
