/** The files of the two states: those that differ from the disk from memory, all others from the disk. */
import { type Dirent, readdirSync, readFileSync, realpathSync, type Stats, statSync } from 'node:fs';
import { posix } from 'node:path';
import { sourceText } from '../../../content/source-text.ts';
import type { CheckedStateName, TypeCheckRequest } from '../../type-checker.ts';

/** Compilers write all paths with slashes. */
const { dirname, join } = posix;

/** What differs from the disk in a folder. */
interface FolderDifference {
  readonly added: Set<string>;
  readonly removed: Set<string>;
  readonly folders: Set<string>;
}

export interface FolderEntries {
  readonly files: string[];
  readonly directories: string[];
}

export class StateFiles {
  /** The folder of the workspace, without links. */
  readonly root: string;
  readonly #contents = new Map<string, string | null>();
  readonly #folders = new Map<string, FolderDifference>();
  readonly #real = new Map<string, string>();

  constructor(request: Pick<TypeCheckRequest, 'root' | 'files'>, state: CheckedStateName) {
    this.root = withSlashes(realpathSync(request.root));
    for (const [path, content] of Object.entries(request.files[state])) {
      const file = this.at(path);
      this.#contents.set(file, content);
      this.#note(file, content !== null);
    }
  }

  /** @param path from the workspace */
  at(path: string): string {
    return join(this.root, path);
  }

  /** The absolute paths that differ from the disk. */
  get differing(): Iterable<string> {
    return this.#contents.keys();
  }

  differs(path: string): boolean {
    return this.#contents.has(this.#known(path));
  }

  /** Undefined: there is no such file. */
  read(path: string): string | undefined {
    const content = this.#contents.get(this.#known(path));
    if (content !== undefined) return content ?? undefined;
    try {
      return sourceText(readFileSync(path));
    } catch {
      return undefined;
    }
  }

  /** Returns the content in memory. Null: the file does not exist. Undefined: the disk says. */
  inMemory(path: string): string | null | undefined {
    return this.#contents.get(this.#known(path));
  }

  hasFile(path: string): boolean {
    return this.hasFileInMemory(path) ?? statOf(path)?.isFile() === true;
  }

  /** Undefined: the disk says. */
  hasFileInMemory(path: string): boolean | undefined {
    const content = this.#contents.get(this.#known(path));
    return content === undefined ? undefined : content !== null;
  }

  hasFolder(path: string): boolean {
    return this.hasFolderInMemory(path) ?? statOf(path)?.isDirectory() === true;
  }

  /** True: it has a file that is only in memory. Undefined: the disk says. */
  hasFolderInMemory(path: string): true | undefined {
    const difference = this.#folders.get(this.#known(path));
    return difference !== undefined && difference.added.size + difference.folders.size > 0 ? true : undefined;
  }

  /** Undefined: the folder has nothing that differs from the disk. */
  entriesInMemory(path: string): FolderEntries | undefined {
    return this.#folders.has(this.#known(path)) ? this.entries(path) : undefined;
  }

  entries(path: string): FolderEntries {
    const { added, removed, folders } = this.#folders.get(this.#known(path)) ?? NO_DIFFERENCE;
    const files = new Set<string>();
    const directories = new Set<string>(folders);
    for (const entry of listed(path)) {
      const kind = entry.isSymbolicLink() ? statOf(join(path, entry.name)) : entry;
      if (kind?.isFile() === true && !removed.has(entry.name)) files.add(entry.name);
      else if (kind?.isDirectory() === true) directories.add(entry.name);
    }
    for (const name of added) files.add(name);
    return { files: [...files].sort(), directories: [...directories].sort() };
  }

  #note(file: string, exists: boolean): void {
    const own = this.#difference(dirname(file));
    (exists ? own.added : own.removed).add(file.slice(dirname(file).length + 1));
    if (!exists) return;
    for (let folder = dirname(file); folder.length > this.root.length; folder = dirname(folder)) {
      this.#difference(dirname(folder)).folders.add(folder.slice(dirname(folder).length + 1));
    }
  }

  #difference(folder: string): FolderDifference {
    const known = this.#folders.get(folder);
    if (known !== undefined) return known;
    const made = { added: new Set<string>(), removed: new Set<string>(), folders: new Set<string>() };
    this.#folders.set(folder, made);
    return made;
  }

  /** A package of the workspace is also a link in `node_modules`. */
  #known(path: string): string {
    if (this.#contents.has(path) || this.#folders.has(path) || !path.includes('/node_modules/')) return path;
    const folder = dirname(path);
    return `${this.#realFolder(folder)}${path.slice(folder.length)}`;
  }

  #realFolder(folder: string): string {
    const known = this.#real.get(folder);
    if (known !== undefined) return known;
    let real: string;
    try {
      real = withSlashes(realpathSync(folder));
    } catch {
      const above = dirname(folder);
      real = above === folder ? folder : `${this.#realFolder(above)}${folder.slice(above.length)}`;
    }
    this.#real.set(folder, real);
    return real;
  }
}

const NO_DIFFERENCE: FolderDifference = { added: new Set(), removed: new Set(), folders: new Set() };

function listed(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** Undefined: there is nothing, or it cannot be reached. */
function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function withSlashes(path: string): string {
  return path.replaceAll('\\', '/');
}
