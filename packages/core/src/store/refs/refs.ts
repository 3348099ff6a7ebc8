/**
 * The refs of a store: git's loose files and `packed-refs`, so that git sees what Savepoint sees. Invariants:
 *
 * F1 A loose ref takes precedence over a packed one of the same name.
 * F2 Creating a ref gives a name to a complete, durable file and never replaces one (refs/loose-refs.ts).
 * F3 Deleting removes a ref from `packed-refs`, durably, before its file: in the other order, a crash would restore an
 *    older value. Both happen under git's own lock on `packed-refs`, which excludes a concurrent `git pack-refs`.
 * F4 Packing writes `packed-refs` durably before any file is removed.
 * F5 A lookup reads the loose file first and `packed-refs` second: a ref that is being packed is always in one of them.
 * F6 Moving many refs atomically packs them first: loose files take precedence and cannot be replaced together.
 */
import { containingFolder, durableWrite, isTemporaryName, syncFolder } from '../../io/durable-write.ts';
import { type Fs, FsError, isFsError, kindOf } from '../../io/fs.ts';
import type { Ports } from '../../io/ports.ts';
import type { ObjectId } from '../../model/ids.ts';
import { type DiskPath, diskChild } from '../../model/names.ts';
import type { LastWriterMark } from '../last-writer-mark.ts';
import { damaged, FormatProblem, isDamage } from '../objects/damage.ts';
import {
  createLooseRef,
  isTemporaryRef,
  type LooseRef,
  placeLooseRef,
  readLooseRef,
  removeRefFile,
  replaceLooseRef,
} from './loose-refs.ts';
import { isOurLock, packedLockPath, withPackedLock } from './packed-lock.ts';
import {
  clashes,
  encodePackedRefs,
  NO_PACKED_REFS,
  type PackedRefs,
  packedDamage,
  parsePackedRefs,
  readPackedRefs,
  withoutRefs,
} from './packed-refs.ts';
import { PreparedRefs } from './prepared-refs.ts';
import { type Ref, type RefListing, withRef } from './ref-listing.ts';
import { assertRefName, assertTarget, isRefName, refusedName } from './ref-name.ts';

/** All refs of Savepoint, and no others that git creates, are named like this. */
const NUMBERED = /^refs\/savepoint\/\w+\/[1-9]\d*$/;
const FILE_MODE = 0o600;
/** git's own limit on chains of symbolic refs. */
const MAX_SYMBOLIC_DEPTH = 5;
/** An older lock of git was left by a git process that died. */
const STALE_LOCK_MS = 24 * 60 * 60 * 1000;

export class Refs {
  readonly #fs: Fs;
  readonly #packedPath: DiskPath;
  /** Listings by prefix, valid while nothing changes; see `#stampOf`. */
  readonly #cache = new Map<string, { readonly stamp: string; readonly refs: RefListing }>();
  #packed: { readonly bytes: Buffer; readonly refs: PackedRefs } | null = null;

  constructor(
    private readonly ports: Ports,
    /** The bare repository. */
    private readonly folder: DiskPath,
    /** Detects changes: other processes change refs only after taking the marker. */
    private readonly lastWriter: Pick<LastWriterMark, 'isOurs'> | null = null,
  ) {
    this.#fs = ports.fs;
    this.#packedPath = diskChild(folder, 'packed-refs');
  }

  /**
   * Lists all refs whose name begins with `prefix` (`refs/…`), sorted by name.
   * @throws SavepointError STORE_DAMAGED if one of them cannot be read; `listWithDamage` returns the others
   */
  list(prefix: string): readonly Ref[] {
    const found = this.listWithDamage(prefix);
    if (found.packed !== null) throw packedDamage(found.packed);
    for (const { file, problem } of found.damaged) throw damaged(`A ref ${problem}`, { file });
    return found.refs;
  }

  /** Like `list`, but also returns damaged refs. */
  listWithDamage(prefix: string): RefListing {
    const stamp = this.#stampOf(prefix);
    const known = this.#cache.get(prefix);
    if (known !== undefined && known.stamp === stamp && this.lastWriter?.isOurs() === true) return known.refs;
    const refs = this.#readRefs(prefix);
    const isIntact = refs.damaged.length === 0 && refs.packed === null;
    if (this.lastWriter !== null && isIntact) this.#cache.set(prefix, { stamp, refs });
    return refs;
  }

  /**
   * Timestamps are coarse, so the stamp only detects what a user does with git. The marker detects other Savepoint
   * processes, and our own methods update the cache.
   */
  #stampOf(prefix: string): string {
    const folder = this.#fs.lstat(this.#pathOf(prefix.slice(0, prefix.lastIndexOf('/'))));
    const packed = this.#fs.lstat(this.#packedPath);
    return `${folder?.ino}:${folder?.mtimeMs}:${packed?.ino}:${packed?.mtimeMs}:${packed?.size}`;
  }

  #readRefs(prefix: string): RefListing {
    const files = new Map<string, LooseRef>();
    const damagedRefs = new Map<string, string>();
    const folders: string[] = [];
    for (const name of this.#looseNames(prefix, folders)) {
      try {
        const ref = readLooseRef(this.#fs, this.#pathOf(name));
        if (ref !== null) files.set(name, ref);
      } catch (error) {
        if (!(error instanceof FormatProblem)) throw error;
        damagedRefs.set(name, error.message);
      }
    }
    const ids = new Map<string, ObjectId>();
    const packed = this.#readPacked();
    for (const [name, id] of packed.ids) {
      if (name.startsWith(prefix) && !damagedRefs.has(name)) ids.set(name, id);
    }
    for (const folder of folders) {
      for (const name of damagedRefs.keys()) if (name.startsWith(`${folder}/`)) damagedRefs.delete(name);
      if (!ids.has(folder)) damagedRefs.set(folder, 'is a folder and not a ref');
    }
    for (const [name, ref] of files) {
      try {
        const id = 'id' in ref ? ref.id : this.read(ref.target);
        if (id !== null) ids.set(name, id);
        else if (NUMBERED.test(name)) damagedRefs.set(name, 'is a symbolic ref to nothing');
      } catch (error) {
        if (!(error instanceof FormatProblem || isDamage(error))) throw error;
        damagedRefs.set(name, error.message);
      }
    }
    return {
      refs: [...ids].map(([name, id]) => ({ name, id })).sort((a, b) => (a.name < b.name ? -1 : 1)),
      damaged: [...damagedRefs].map(([name, problem]) => ({ name, file: this.#pathOf(name), problem })),
      packed: packed.problem === null ? null : { name: 'packed-refs', file: this.#packedPath, problem: packed.problem },
    };
  }

  /**
   * Returns the id of a ref; null if it does not exist. Follows symbolic refs.
   * @throws SavepointError STORE_DAMAGED
   */
  read(name: string): ObjectId | null {
    let at = name;
    for (let step = 0; step < MAX_SYMBOLIC_DEPTH; step++) {
      assertRefName(at);
      const file = this.#pathOf(at);
      const ref = guarded(file, () => readLooseRef(this.#fs, file));
      if (ref === null) return this.#intactPacked().ids.get(at) ?? null; // F5
      if ('id' in ref) return ref.id;
      at = ref.target;
    }
    throw damaged('A symbolic ref points through too many others', { file: this.#pathOf(name) });
  }

  /** Writes the files of refs for `create`. The caller syncs them, and discards what it does not use. */
  prepare(refs: readonly Ref[]): PreparedRefs {
    const known = new Map(refs.flatMap(({ name }) => [...this.#validCaches(name)]));
    const prepared = PreparedRefs.of(this.ports, this.folder, refs);
    // The new files changed the folder, and no ref.
    for (const [prefix, listed] of known) this.#setCache(prefix, listed);
    return prepared;
  }

  /**
   * Creates a ref and never replaces one. Durable on return.
   * @param prepared may have the ref's file, with the same id
   * @throws FsError EEXIST if the ref exists, or one whose name is a parent folder of this name or below it
   */
  create(name: string, id: ObjectId, prepared: PreparedRefs | null = null): void {
    assertRefName(name);
    const known = this.#validCaches(name);
    this.#cache.clear();
    this.#create(name, id, prepared);
    for (const [prefix, { refs }] of known) {
      this.#setCache(prefix, { refs: withRef(refs, { name, id }), damaged: [], packed: null });
    }
  }

  #setCache(prefix: string, refs: RefListing): void {
    this.#cache.set(prefix, { stamp: this.#stampOf(prefix), refs });
  }

  /** Returns the cached listings that include the name and are still valid, by prefix. */
  #validCaches(name: string): ReadonlyMap<string, RefListing> {
    const valid = new Map<string, RefListing>();
    if (this.lastWriter?.isOurs() !== true) return valid;
    for (const [prefix, { stamp, refs }] of this.#cache) {
      if (name.startsWith(prefix) && stamp === this.#stampOf(prefix)) valid.set(prefix, refs);
    }
    return valid;
  }

  #create(name: string, id: ObjectId, prepared: PreparedRefs | null): void {
    assertTarget(id);
    const path = this.#pathOf(name);
    if (clashes(this.#readPacked(), name)) throw new FsError('EEXIST', 'openNew', path);
    const file = prepared?.take(name) ?? null;
    if (file === null) createLooseRef(this.#fs, this.ports.random, path, this.folder, id);
    else placeLooseRef(this.#fs, file);
    // A concurrent `git pack-refs` may have packed an existing ref of this name just before we created our file.
    if (clashes(this.#readPacked(), name)) {
      removeRefFile(this.#fs, path);
      syncFolder(this.#fs, containingFolder(path));
      throw new FsError('EEXIST', 'openNew', path);
    }
  }

  /**
   * Creates many refs, all or none of them. Durable on return. The caller holds the store's lock.
   * @throws FsError EEXIST if one of them exists already, or while git holds the lock on the packed refs
   */
  createAll(refs: ReadonlyMap<string, ObjectId>): void {
    if (refs.size === 0) return;
    this.#cache.clear();
    withPackedLock(this.ports, this.folder, () => {
      const ids = this.#withNew(this.#intactPacked().ids, refs);
      durableWrite(this.#fs, this.#packedPath, encodePackedRefs(ids), FILE_MODE);
    });
  }

  #withNew(packed: Iterable<readonly [string, ObjectId]>, refs: ReadonlyMap<string, ObjectId>): Map<string, ObjectId> {
    const ids = new Map(packed);
    for (const [name, id] of refs) {
      assertRefName(name);
      assertTarget(id);
      // F1: a loose ref would take precedence over ours.
      if (ids.has(name) || this.#looseOrNull(name) !== null) throw new FsError('EEXIST', 'openNew', this.#pathOf(name));
      ids.set(name, id);
    }
    return ids;
  }

  /**
   * Deletes those of `names` that exist. Durable on return; after a crash, any of them may still exist. The caller
   * holds the store's lock.
   * @throws FsError EEXIST while git holds the lock on the packed refs
   * @throws SavepointError STORE_DAMAGED if a damaged `packed-refs` has one of them, or may have it
   */
  delete(names: readonly string[]): void {
    if (names.length === 0) return;
    for (const name of names) assertRefName(name);
    this.#cache.clear();
    withPackedLock(this.ports, this.folder, () => {
      const packed = this.#readPacked();
      const isPacked = names.some((name) => packed.ids.has(name));
      const mayBeHidden = names.some((name) => this.#fs.lstat(this.#pathOf(name)) === null);
      if (packed.problem !== null && (isPacked || mayBeHidden)) {
        throw packedDamage({ file: this.#packedPath, problem: packed.problem });
      }
      if (isPacked) {
        durableWrite(this.#fs, this.#packedPath, withoutRefs(packed, new Set(names)), FILE_MODE); // F3
      }
      this.#unlinkAll(names);
    });
  }

  /**
   * Moves all refs into `packed-refs`, so that readers need one file instead of one per ref. Symbolic and damaged refs
   * remain unchanged. The caller holds the store's lock.
   * @throws FsError EEXIST while git holds the lock on the packed refs
   */
  pack(): void {
    this.#cache.clear();
    withPackedLock(this.ports, this.folder, () => this.#pack());
  }

  /**
   * Atomically redirects every ref that points to an old id to its new id, and creates others. The caller holds the lock.
   * @param moved new ids by old id; the new objects are durable @param created as for `createAll`
   * @throws FsError EEXIST while git holds the lock on the packed refs
   */
  moveAll(moved: ReadonlyMap<ObjectId, ObjectId>, created: ReadonlyMap<string, ObjectId> = new Map()): void {
    this.#cache.clear();
    withPackedLock(this.ports, this.folder, () => {
      this.#pack(); // F6
      for (const name of this.#looseNames('refs/')) {
        const ref = this.#looseOrNull(name);
        if (ref !== null && 'id' in ref && moved.has(ref.id)) throw new FsError('EEXIST', 'rename', this.#pathOf(name));
      }
      const ids = [...this.#intactPacked().ids].map(([name, id]) => [name, moved.get(id) ?? id] as const);
      durableWrite(this.#fs, this.#packedPath, encodePackedRefs(this.#withNew(ids, created)), FILE_MODE);
    });
  }

  /**
   * Replaces a damaged `packed-refs`; no git writes one that it cannot read. Durable on return. The caller holds the
   * store's lock.
   */
  replacePacked(ids: ReadonlyMap<string, ObjectId>): void {
    this.#cache.clear();
    durableWrite(this.#fs, this.#packedPath, encodePackedRefs(ids), FILE_MODE);
  }

  /** Replaces the damaged file of a ref. Durable on return. The caller holds the store's lock. */
  replaceDamaged(name: string, id: ObjectId): void {
    assertRefName(name);
    this.#cache.clear();
    replaceLooseRef(this.#fs, this.ports.random, this.#pathOf(name), this.folder, id);
  }

  #pack(): void {
    const ids = new Map(this.#intactPacked().ids);
    const packed: string[] = [];
    for (const name of this.#looseNames('refs/')) {
      const ref = this.#looseOrNull(name);
      if (ref === null || !('id' in ref)) continue;
      ids.set(name, ref.id);
      packed.push(name);
    }
    if (packed.length === 0) return;
    durableWrite(this.#fs, this.#packedPath, encodePackedRefs(ids), FILE_MODE); // F4
    this.#unlinkAll(
      packed.filter((name) => {
        const ref = this.#looseOrNull(name);
        return ref !== null && 'id' in ref && ref.id === ids.get(name);
      }),
    );
  }

  /**
   * Removes what interrupted writers left, and makes their completed work durable. Call it at clean-up, and when
   * recovering a dead process's work, before its refs are trusted. The caller holds the store's lock.
   * @returns the number of removed files
   */
  collectDebris(): number {
    this.#cache.clear(); // Another process may have created refs, and times are too coarse to show it.
    let removed = 0;
    const now = this.ports.clock.now();
    const isOld = (path: DiskPath): boolean => {
      const stat = this.#fs.lstat(path);
      return stat !== null && Math.abs(now - stat.mtimeMs) > STALE_LOCK_MS;
    };
    // The work of a dead process may not be durable yet, but recovery relies on what it reads.
    const sync = (folder: DiskPath): void => syncFolder(this.#fs, folder);
    sync(this.folder);
    for (const { path, name, isFolder } of [...this.#walk('refs', sync)]) {
      if (isFolder) continue;
      if (!isTemporaryRef(name) && !(name.endsWith('.lock') && isOld(path))) continue;
      if (removeRefFile(this.#fs, path)) removed++;
    }
    for (const name of this.#fs.list(this.folder).filter((each) => each.startsWith('packed-refs.'))) {
      if ((isTemporaryRef(name) || isTemporaryName(name)) && removeRefFile(this.#fs, this.#pathOf(name))) removed++;
    }
    const lock = packedLockPath(this.folder);
    if ((isOurLock(this.#fs, lock) || isOld(lock)) && removeRefFile(this.#fs, lock)) removed++;
    const ofGit = diskChild(this.folder, 'packed-refs.new');
    if (isOld(ofGit) && removeRefFile(this.#fs, ofGit)) removed++;
    return removed;
  }

  #pathOf(name: string): DiskPath {
    return diskChild(this.folder, name);
  }

  /** Reads the file every time, because other processes write it. Parses it only if it changed. */
  #readPacked(): PackedRefs {
    const bytes = readPackedRefs(this.#fs, this.#packedPath);
    if (bytes === null) return NO_PACKED_REFS;
    if (typeof bytes === 'string') return { ...NO_PACKED_REFS, problem: bytes };
    if (this.#packed === null || !bytes.equals(this.#packed.bytes)) {
      this.#packed = { bytes, refs: parsePackedRefs(bytes) };
    }
    return this.#packed.refs;
  }

  /** @throws SavepointError STORE_DAMAGED */
  #intactPacked(): PackedRefs {
    const packed = this.#readPacked();
    if (packed.problem !== null) throw packedDamage({ file: this.#packedPath, problem: packed.problem });
    return packed;
  }

  #looseOrNull(name: string): LooseRef | null {
    try {
      return readLooseRef(this.#fs, this.#pathOf(name));
    } catch (error) {
      if (error instanceof FormatProblem) return null;
      throw error;
    }
  }

  /** @param folders receives the names of folders that look like a numbered ref; git leaves none */
  *#looseNames(prefix: string, folders: string[] = []): Generator<string> {
    const cut = prefix.lastIndexOf('/');
    if (!prefix.startsWith('refs/') || !isRefName(`${prefix.slice(0, cut)}/x`)) {
      throw refusedName(prefix);
    }
    for (const { ref, isFolder } of this.#walk(prefix.slice(0, cut))) {
      if (!ref.startsWith(prefix) || !isRefName(ref)) continue;
      if (!isFolder) yield ref;
      else if (NUMBERED.test(ref)) folders.push(ref);
    }
  }

  /** Yields every file and folder below a folder of refs. @param before called with each folder before it is listed */
  *#walk(
    folder: string,
    before?: (folder: DiskPath) => void,
  ): Generator<{
    readonly path: DiskPath;
    readonly name: string;
    readonly ref: string;
    readonly isFolder: boolean;
  }> {
    let names: readonly string[];
    try {
      before?.(this.#pathOf(folder));
      names = this.#fs.list(this.#pathOf(folder)).sort();
    } catch (error) {
      if (isFsError(error, 'ENOENT', 'ENOTDIR')) return;
      throw error;
    }
    for (const name of names) {
      const ref = `${folder}/${name}`;
      const path = this.#pathOf(ref);
      const stat = this.#fs.lstat(path);
      if (stat === null) continue;
      const isFolder = kindOf(stat) === 'folder';
      yield { path, name, ref, isFolder };
      if (isFolder && (before !== undefined || isRefName(ref))) yield* this.#walk(ref, before);
    }
  }

  /** Also syncs folders whose file was already gone: the process that removed it may have died before syncing. */
  #unlinkAll(names: readonly string[]): void {
    const folders = new Set<DiskPath>();
    for (const name of names) {
      removeRefFile(this.#fs, this.#pathOf(name));
      folders.add(containingFolder(this.#pathOf(name)));
    }
    for (const folder of folders) {
      try {
        syncFolder(this.#fs, folder);
      } catch (error) {
        if (!isFsError(error, 'ENOENT', 'ENOTDIR')) throw error;
      }
    }
  }
}

function guarded<T>(file: DiskPath, action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (error instanceof FormatProblem) throw damaged(`A file of refs ${error.message}`, { file }, error);
    throw error;
  }
}
