/**
 * Reads commits and trees of a user's repository without git, including objects borrowed through alternates.
 * Verifies the hash of every object. Reports objects that are missing (shallow or partial clone) or unreadable.
 */
import type { Ports } from '../io/ports.ts';
import { SavepointError } from '../model/errors.ts';
import { isObjectId, type ObjectId } from '../model/ids.ts';
import { type DiskPath, diskChild, withoutSuffix } from '../model/names.ts';
import type { ObjectReader, ObjectType } from '../store/objects/object-reader.ts';
import { ObjectStore } from '../store/objects/object-store.ts';
import { decodeTree, type ForeignTreeEntry } from '../store/objects/tree.ts';
import { readGitFile, trimTrailing, unusableGitFile } from './file.ts';
import type { GitState } from './repository.ts';

/** Hostile repositories contain objects that inflate without end. */
const COMMIT_BYTES = 16 * 1024 * 1024;
const TREE_BYTES = 64 * 1024 * 1024;
const ALTERNATES_BYTES = 64 * 1024;
/** git's own limit on nested alternates. */
const ALTERNATES_DEPTH = 5;
const MAX_STORES = 32;

export class GitObjects {
  readonly #stores: readonly ObjectStore[];
  readonly #readers: readonly ObjectReader[];

  /**
   * @param kept has objects that the repository may have lost; not closed
   * @throws UnusableGitFile, FsError, SavepointError STORE_DAMAGED if the objects cannot be read at all
   */
  constructor(ports: Ports, { commonDir, objectFormat }: GitState, kept: ObjectReader | null = null) {
    if (objectFormat !== 'sha1') {
      throw unusableGitFile(commonDir, 'unsupported', `object format ${objectFormat} is not supported`);
    }
    this.#stores = [...objectFolders(ports, diskChild(commonDir, 'objects'))].map((folder) =>
      ObjectStore.open(ports, withoutSuffix(folder, '/objects')),
    );
    this.#readers = kept === null ? this.#stores : [...this.#stores, kept];
  }

  close(): void {
    for (const store of this.#stores) store.close();
  }

  /** @throws SavepointError STORE_DAMAGED, FsError */
  treeOf(commit: string): ObjectId {
    const text = this.#read(commit, 'commit', COMMIT_BYTES).toString('latin1', 0, 64);
    const tree = /^tree ([0-9a-f]{40})\n/.exec(text)?.[1];
    if (tree === undefined || !isObjectId(tree)) throw unreadableObject(commit, 'is not a valid commit');
    return tree;
  }

  /** @throws SavepointError STORE_DAMAGED, FsError */
  tree(id: string): readonly ForeignTreeEntry[] {
    const found = this.#findStore(id);
    return decodeTree(this.#read(id, 'tree', TREE_BYTES), { foreign: true, id: found.id });
  }

  has(id: string): boolean {
    return isObjectId(id) && this.#readers.some((store) => store.has(id));
  }

  /** Returns the first object store that has the object. @throws SavepointError STORE_DAMAGED if none has it */
  readerFor(id: string): ObjectReader {
    return this.#findStore(id).store;
  }

  #findStore(id: string): { readonly store: ObjectReader; readonly id: ObjectId } {
    const store = isObjectId(id) ? this.#readers.find((one) => one.has(id)) : undefined;
    if (store === undefined || !isObjectId(id)) throw unreadableObject(id, 'is not in the repository');
    return { store, id };
  }

  #read(given: string, type: ObjectType, most: number): Buffer {
    const { store, id } = this.#findStore(given);
    const info = store.info(id);
    if (info === null || info.type !== type) throw unreadableObject(id, `is no ${type}`);
    if (info.size > most) throw unreadableObject(id, `has ${info.size} bytes; the limit is ${most}`);
    return store.read(id).data;
  }
}

/** The repository's own objects first, then those of its alternates. */
function objectFolders({ fs }: Ports, own: DiskPath): ReadonlySet<DiskPath> {
  const found = new Set<DiskPath>([own]);
  const visit = (folder: DiskPath, depth: number): void => {
    const text = readGitFile(fs, diskChild(folder, 'info/alternates'), ALTERNATES_BYTES)?.toString('latin1') ?? '';
    for (const line of text.split('\n')) {
      if (line === '' || line.startsWith('#') || line.startsWith('"') || line.includes('\0')) continue;
      const path = trimTrailing(line.startsWith('/') ? line : `${folder}/${line}`, '/') as DiskPath;
      if (fs.lstat(path) === null) continue;
      const real = fs.realpath(path);
      if (found.has(real) || found.size >= MAX_STORES || !real.endsWith('/objects')) continue;
      found.add(real);
      if (depth < ALTERNATES_DEPTH) visit(real, depth + 1);
    }
  };
  visit(own, 1);
  return found;
}

function unreadableObject(object: string, what: string): SavepointError {
  return new SavepointError('STORE_DAMAGED', `Object ${object} ${what}.`, { object });
}
