export type Ino = number;

interface InodeFields {
  readonly ino: Ino;
  readonly dev: number;
  /** Permission bits only; the type is in `kind`. */
  readonly mode: number;
  readonly mtime: number;
  readonly ctime: number;
  readonly birthtime: number;
  /** Number of entries that refer to this inode. A folder with none has been removed. */
  readonly names: number;
}

export interface FileInode extends InodeFields {
  readonly kind: 'file';
  /** The buffer may be longer than the content, which is the first `size` bytes. */
  readonly bytes: Buffer;
  readonly size: number;
}

export interface FolderInode extends InodeFields {
  readonly kind: 'folder';
  readonly entries: ReadonlyMap<string, InodeEntry>;
}

export interface LinkInode extends InodeFields {
  readonly kind: 'link';
  readonly target: string;
}

export interface SpecialInode extends InodeFields {
  readonly kind: 'special';
}

export type Inode = FileInode | FolderInode | LinkInode | SpecialInode;

export interface InodeEntry {
  readonly name: string;
  readonly ino: Ino;
}

/**
 * Sets one entry of one folder, or removes it if `ino` is null. The key is the name, folded if the disk folds names.
 */
export interface EntryChange {
  readonly folder: Ino;
  readonly key: string;
  readonly name: string;
  readonly ino: Ino | null;
}

/** The effect of a call that can become durable. It is atomic, except that a data write may be torn. */
export type DiskOperation =
  | { readonly kind: 'data'; readonly ino: Ino; readonly position: number; readonly bytes: Buffer; readonly at: number }
  | { readonly kind: 'mode'; readonly ino: Ino; readonly mode: number; readonly at: number }
  | { readonly kind: 'mtime'; readonly ino: Ino; readonly mtime: number; readonly at: number }
  | {
      readonly kind: 'entries';
      /** Changes in one folder that happen together. A rename within a folder is two changes. */
      readonly changes: readonly EntryChange[];
      readonly at: number;
      /** A folder has only one parent. If its new entry is on the disk, this removal of its old entry is, too. */
      readonly follows?: EntryChange;
    };

/** Returns the inode that must be synced to make an operation durable. */
export function ownerOf(operation: DiskOperation): Ino {
  if (operation.kind !== 'entries') return operation.ino;
  const [change] = operation.changes;
  if (change === undefined) throw new Error('an operation on no entries');
  return change.folder;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

const MAX_LAYERS = 8;

/**
 * The inodes of a disk in one state. Copies are cheap: a copy shares all inodes with the original, and each inode is
 * copied when it is changed (copy-on-write).
 */
export class Inodes {
  #below: Inodes | null;
  /** Inodes that only this state has. Their entries or bytes may still be shared. */
  #own = new Map<Ino, Inode>();
  readonly #ownContent = new Set<Ino>();
  #depth: number;

  constructor(below: Inodes | null = null) {
    this.#below = below;
    this.#depth = below === null ? 0 : below.#depth + 1;
  }

  get(ino: Ino): Inode {
    const found = this.find(ino);
    if (found === undefined) throw new Error(`the simulated disk has lost inode ${ino}`);
    return found;
  }

  find(ino: Ino): Inode | undefined {
    for (let layer: Inodes | null = this; layer !== null; layer = layer.#below) {
      const found = layer.#own.get(ino);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  folder(ino: Ino): FolderInode {
    const inode = this.get(ino);
    if (inode.kind !== 'folder') throw new Error(`inode ${ino} of the simulated disk is not a folder`);
    return inode;
  }

  *folders(): Generator<FolderInode> {
    const seen = new Set<Ino>();
    for (let layer: Inodes | null = this; layer !== null; layer = layer.#below) {
      for (const [ino, inode] of layer.#own) {
        if (seen.has(ino)) continue;
        seen.add(ino);
        if (inode.kind === 'folder') yield inode;
      }
    }
  }

  add(inode: Inode): void {
    this.#own.set(inode.ino, { ...inode });
  }

  /** Both copies continue from the same state. Neither sees the changes of the other. */
  copy(): Inodes {
    if (this.#own.size > 0) {
      const shared = new Inodes(this.#below);
      shared.#own = this.#own;
      this.#below = shared.#depth < MAX_LAYERS ? shared : shared.#flat();
      this.#own = new Map();
      this.#ownContent.clear();
      this.#depth = this.#below.#depth + 1;
    }
    return new Inodes(this.#below);
  }

  #flat(): Inodes {
    const layers: Inodes[] = [];
    for (let layer: Inodes | null = this; layer !== null; layer = layer.#below) layers.push(layer);
    const flat = new Inodes();
    for (const layer of layers.reverse()) for (const [ino, inode] of layer.#own) flat.#own.set(ino, inode);
    return flat;
  }

  apply(operation: DiskOperation, torn: TornWrite | null = null): void {
    switch (operation.kind) {
      case 'data':
        this.#writeData(
          operation.ino,
          operation.position,
          torn === null ? operation.bytes : tear(operation.bytes, torn),
        );
        this.#update(operation.ino, { mtime: operation.at, ctime: operation.at });
        break;
      case 'mode':
        this.#update(operation.ino, { mode: operation.mode, ctime: operation.at });
        break;
      case 'mtime':
        this.#update(operation.ino, { mtime: operation.mtime, ctime: operation.at });
        break;
      case 'entries':
        for (const change of operation.changes) this.#changeEntry(change, operation.at);
    }
  }

  /**
   * Recomputes link counts from what is reachable from the root. The engine sees the number of names of a file, so
   * names in unreachable folders must not count.
   */
  dropUnreachable(root: Ino): void {
    const names = new Map<Ino, number>([[root, 1]]);
    const todo = [root];
    for (let ino = todo.pop(); ino !== undefined; ino = todo.pop()) {
      for (const entry of this.folder(ino).entries.values()) {
        const known = names.get(entry.ino) ?? 0;
        names.set(entry.ino, known + 1);
        if (known === 0 && this.get(entry.ino).kind === 'folder') todo.push(entry.ino);
      }
    }
    for (const [ino, count] of names) {
      if (this.get(ino).names !== count) this.#update(ino, { names: count });
    }
  }

  has(change: EntryChange): boolean {
    return (this.folder(change.folder).entries.get(change.key)?.ino ?? null) === change.ino;
  }

  #changeEntry(change: EntryChange, at: number): void {
    const folder = this.folder(change.folder);
    const before = folder.entries.get(change.key);
    const shared = !this.#ownContent.has(folder.ino);
    const entries = shared ? new Map(folder.entries) : (folder.entries as Map<string, InodeEntry>);
    if (change.ino === null) entries.delete(change.key);
    else entries.set(change.key, { name: change.name, ino: change.ino });
    this.#ownContent.add(folder.ino);
    this.#update(folder.ino, { entries, mtime: at, ctime: at });
    if (before?.ino === change.ino) return;
    if (before !== undefined) this.#count(before.ino, -1, at);
    if (change.ino !== null) this.#count(change.ino, 1, at);
  }

  #count(ino: Ino, by: number, at: number): void {
    this.#update(ino, { names: this.get(ino).names + by, ctime: at });
  }

  #writeData(ino: Ino, position: number, bytes: Buffer): void {
    const file = this.get(ino);
    if (file.kind !== 'file') throw new Error(`inode ${ino} of the simulated disk is not a file`);
    const size = Math.max(file.size, position + bytes.length);
    let content = file.bytes;
    if (size > content.length) {
      content = Buffer.alloc(file.size === 0 ? size : Math.max(size, file.size * 2));
      file.bytes.copy(content, 0, 0, file.size);
    } else if (!this.#ownContent.has(ino)) {
      content = Buffer.from(file.bytes);
    }
    bytes.copy(content, position);
    this.#ownContent.add(ino);
    this.#update(ino, { bytes: content, size });
  }

  #update(ino: Ino, changes: Partial<FileInode> | Partial<FolderInode>): void {
    const own = this.#own.get(ino);
    if (own === undefined) this.#own.set(ino, { ...this.get(ino), ...changes } as Inode);
    else Object.assign(own as Mutable<Inode>, changes);
  }
}

/** How much of a write is on the disk: its first bytes, or its length only (blocks that were never written). */
export type TornWrite = { readonly kept: number } | 'zeros';

function tear(bytes: Buffer, torn: TornWrite): Buffer {
  return torn === 'zeros' ? Buffer.alloc(bytes.length) : bytes.subarray(0, torn.kept);
}
