/**
 * The repositories in the working folder of a copy. Git in the copy must not write into the original, so
 * - the copy has no locks, and no list of linked worktrees, which lie elsewhere
 * - a `.git` file or link is kept only if it leads into the folder, and then leads into the copy
 * - `core.worktree` never names a folder outside of the copy
 */

import { readRepository } from '../../git/repository.ts';
import { readEntireFile } from '../../io/durable-write.ts';
import { type Fs, isFsError, permissions } from '../../io/fs.ts';
import { baseName, type DiskPath, GIT_FOLDER, isInside, onDisk, parentPath, type TreePath } from '../../model/names.ts';

const CONFIG_BYTES = 1 << 20;
const CONFIG_FILES: ReadonlySet<string> = new Set(['config', 'config.worktree']);
/** An absolute path, and what may begin one: quotes, escapes, `~`. */
const WORKTREE_ELSEWHERE = /^(\s*worktree\s*=\s*)(["\\~/].*)$/gim;

/** Decides while a folder is copied, and corrects the copy afterwards. */
export class GitFolders {
  /** `.git` files and links that are not in the copy because their repository is elsewhere. */
  readonly elsewhere: TreePath[] = [];
  readonly #pointers = new Map<TreePath, DiskPath>();
  readonly #configs: TreePath[] = [];

  constructor(
    private readonly fs: Fs,
    private readonly root: DiskPath,
    private readonly files: DiskPath,
  ) {}

  leavesOut(path: TreePath, kind: 'file' | 'folder' | 'link'): boolean {
    if (baseName(path) === GIT_FOLDER) return kind !== 'folder' && this.#leavesOutPointer(path);
    if (!isInRepository(path)) return false;
    const name = baseName(path);
    if (kind === 'folder') return name === 'worktrees' && baseName(parentPath(path)) === GIT_FOLDER;
    if (CONFIG_FILES.has(name)) this.#configs.push(path);
    return name.endsWith('.lock') || name === 'commondir';
  }

  /** Call it when everything is copied. */
  correct(): void {
    for (const [path, gitDir] of this.#pointers) {
      const target = `${this.files}${gitDir.slice(this.root.length)}`;
      this.#write(path, `gitdir: ${target}\n`, 0o644);
    }
    for (const path of this.#configs) this.#correctConfig(path);
  }

  #leavesOutPointer(path: TreePath): boolean {
    const state = readRepository(this.fs, onDisk(this.root, parentPath(path)));
    const gitDir = state === null || 'problem' in state || state.gitDir !== state.commonDir ? null : state.gitDir;
    if (gitDir !== null && isInside(gitDir, this.root)) this.#pointers.set(path, gitDir);
    else this.elsewhere.push(path);
    return true;
  }

  #correctConfig(path: TreePath): void {
    const copied = onDisk(this.files, path);
    let text: string;
    try {
      text = readEntireFile(this.fs, copied, CONFIG_BYTES).toString('latin1');
    } catch (error) {
      if (isFsError(error, 'ENOENT')) return;
      if (!isFsError(error, 'EFBIG', 'EACCES', 'EINVAL', 'ELOOP')) throw error;
      // It may lead anywhere.
      this.fs.unlink(copied);
      return;
    }
    const corrected = text.replaceAll(WORKTREE_ELSEWHERE, (_, key: string, value: string) =>
      isInside(value as DiskPath, this.root) ? `${key}${this.files}${value.slice(this.root.length)}` : '',
    );
    if (corrected === text) return;
    const mode = permissions(this.fs.lstat(copied) ?? { mode: 0o644 });
    this.fs.unlink(copied);
    this.#write(path, corrected, mode);
  }

  #write(path: TreePath, text: string, mode: number): void {
    const file = this.fs.openNew(onDisk(this.files, path), mode);
    try {
      this.fs.write(file, Buffer.from(text, 'latin1'), 0);
    } finally {
      this.fs.close(file);
    }
  }
}

function isInRepository(path: TreePath): boolean {
  return path.startsWith(`${GIT_FOLDER}/`) || path.includes(`/${GIT_FOLDER}/`);
}
