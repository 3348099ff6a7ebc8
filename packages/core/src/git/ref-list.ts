/** Lists all refs of a repository that are kept in files, without git. */
import { type Fs, isFsError, kindOf } from '../io/fs.ts';
import { type DiskPath, diskChild } from '../model/names.ts';
import { problemOf, readGitFile } from './file.ts';
import type { ObjectFormat } from './repository.ts';

export interface RefList {
  /** Object ids in hex by full name. `HEAD` is there if it is detached; that of worktree `w` is `worktrees/w/HEAD`. */
  readonly ids: ReadonlyMap<string, string>;
  /** Why a file could not be read, for display, by its name in the folder of the repository. */
  readonly unreadable: ReadonlyMap<string, string>;
}

const REF_BYTES = 8 * 1024;
const PACKED_BYTES = 256 * 1024 * 1024;
const DEPTH = 64;

/** Refs in a reftable are not listed; `reftableOf` tells whether there is one. */
export function listRefs(fs: Fs, gitDir: DiskPath, commonDir: DiskPath, format: ObjectFormat): RefList {
  const reading = new Reading(fs, format === 'sha256' ? 64 : 40);
  reading.packed(diskChild(commonDir, 'packed-refs'));
  reading.folder(diskChild(commonDir, 'refs'), 'refs', 0);
  if (gitDir !== commonDir) reading.folder(diskChild(gitDir, 'refs'), 'refs', 0);
  reading.ref(diskChild(gitDir, 'HEAD'), 'HEAD');
  const worktrees = diskChild(commonDir, 'worktrees');
  for (const name of reading.namesIn(worktrees, 'worktrees')) {
    reading.ref(diskChild(diskChild(worktrees, name), 'HEAD'), `worktrees/${name}/HEAD`);
    reading.folder(diskChild(diskChild(worktrees, name), 'refs'), `worktrees/${name}/refs`, 0);
  }
  return reading;
}

/** Returns the list of the tables, which changes with each change of a ref. Null: the refs are in files. */
export function reftableOf(fs: Fs, folder: DiskPath): string | null {
  const list = readGitFile(fs, diskChild(diskChild(folder, 'reftable'), 'tables.list'), PACKED_BYTES);
  return list?.toString('latin1') ?? null;
}

class Reading implements RefList {
  readonly ids = new Map<string, string>();
  readonly unreadable = new Map<string, string>();

  constructor(
    private readonly fs: Fs,
    private readonly idDigits: number,
  ) {}

  folder(path: DiskPath, name: string, depth: number): void {
    if (depth > DEPTH) {
      this.unreadable.set(name, 'its folders are too deep');
      return;
    }
    for (const child of this.namesIn(path, name)) {
      if (child.endsWith('.lock')) continue;
      const [at, full] = [diskChild(path, child), `${name}/${child}`];
      const kind = this.#orNull(full, () => this.fs.lstat(at));
      if (kind === null) continue;
      if (kindOf(kind) === 'folder') this.folder(at, full, depth + 1);
      // A link is a symbolic ref.
      else if (kindOf(kind) === 'file') this.ref(at, full);
    }
  }

  /** A symbolic ref is left out: the ref that it names is listed itself. */
  ref(path: DiskPath, name: string): void {
    const stat = this.#orNull(name, () => this.fs.lstat(path));
    if (stat === null || kindOf(stat) === 'link') return;
    const text = this.#orNull(name, () => readGitFile(this.fs, path, REF_BYTES))?.toString('latin1');
    if (text === undefined || text.startsWith('ref:')) return;
    const id = text.slice(0, this.idDigits);
    if (this.#isId(id)) this.ids.set(name, id);
    else this.unreadable.set(name, 'it has no object id');
  }

  packed(path: DiskPath): void {
    const text = this.#orNull('packed-refs', () => readGitFile(this.fs, path, PACKED_BYTES))?.toString('latin1') ?? '';
    for (const line of text.split('\n')) {
      if (line === '' || line.startsWith('#') || line.startsWith('^')) continue;
      const id = line.slice(0, this.idDigits);
      if (this.#isId(id) && line[this.idDigits] === ' ') this.ids.set(line.slice(this.idDigits + 1), id);
      else this.unreadable.set('packed-refs', 'a line does not begin with an object id');
    }
  }

  namesIn(path: DiskPath, name: string): readonly string[] {
    return (
      this.#orNull(name, () => {
        try {
          return this.fs.list(path);
        } catch (error) {
          if (isFsError(error, 'ENOENT', 'ENOTDIR')) return [];
          throw error;
        }
      }) ?? []
    );
  }

  #isId(id: string): boolean {
    return id.length === this.idDigits && /^[0-9a-f]+$/.test(id);
  }

  #orNull<Result>(name: string, read: () => Result): Result | null {
    try {
      return read();
    } catch (error) {
      this.unreadable.set(name, problemOf(error).detail);
      return null;
    }
  }
}
