// @ts-check
/** The trees of commits for an analysis, read from a git directory without a checkout. */
import { execFileSync } from 'node:child_process';

/**
 * @typedef {object} Tree as `CodeTree` of the engine
 * @property {ReadonlyMap<string, string>} files
 * @property {(path: string) => boolean} hasFolder
 * @property {(path: string) => Uint8Array | null} read
 */

/** Configuration that an analysis may read. */
const CONFIGURATION = /\.(json|jsonc|ya?ml|toml|cfg|ini|mod)$/;
const CODE = /\.(m|c)?[jt]sx?$|\.(vue|svelte|pyi?|go|rs|java)$/;
const MOST_BYTES = 1 << 30;

export class Trees {
  /** Contents by blob id. @type {Map<string, Uint8Array>} */
  #blobs = new Map();

  /** @param {string} repo the git directory */
  constructor(repo) {
    this.repo = repo;
  }

  /** @param {string} commit @returns {Map<string, string>} paths with blob ids */
  filesOf(commit) {
    const listed = this.#git(['ls-tree', '-r', '-z', commit]).toString('latin1');
    return new Map(
      listed.split('\0').flatMap((line) => {
        const match = /^100\d+ blob (\w+)\t(.*)$/s.exec(line);
        return match?.[1] === undefined || match[2] === undefined
          ? []
          : [/** @type {[string, string]} */ ([match[2], match[1]])];
      }),
    );
  }

  /** @param {ReadonlyMap<string, string>} files @returns {Tree} */
  treeOf(files) {
    this.#load(files);
    const folders = new Set(['']);
    for (const path of files.keys())
      for (
        let at = path.lastIndexOf('/');
        at > 0 && !folders.has(path.slice(0, at));
        at = path.lastIndexOf('/', at - 1)
      )
        folders.add(path.slice(0, at));
    return {
      files,
      hasFolder: (path) => folders.has(path),
      read: (path) => this.#blobs.get(files.get(path) ?? '') ?? null,
    };
  }

  /** @param {ReadonlyMap<string, string>} files */
  #load(files) {
    const wanted = [...files].filter(
      ([path, id]) => (CODE.test(path) || CONFIGURATION.test(path)) && !this.#blobs.has(id),
    );
    if (wanted.length === 0) return;
    const ids = [...new Set(wanted.map(([, id]) => id))];
    const all = this.#git(['cat-file', '--batch'], `${ids.join('\n')}\n`);
    let at = 0;
    for (const id of ids) {
      const end = all.indexOf(10, at);
      const [, type, size] = all.toString('latin1', at, end).split(' ');
      if (type !== 'blob') {
        // A snapshot may lack its largest files.
        at = end + 1;
        continue;
      }
      this.#blobs.set(id, all.subarray(end + 1, end + 1 + Number(size)));
      at = end + 1 + Number(size) + 1;
    }
  }

  /** @param {string[]} args @param {string} [input] */
  #git(args, input) {
    return execFileSync('git', [`--git-dir=${this.repo}`, ...args], {
      input,
      maxBuffer: MOST_BYTES,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
  }
}

/**
 * The tree of a commit's parent with a part of the commit.
 * @param {Trees} trees @param {string} commit
 * @param {(path: string) => boolean} isTaken which changed paths are part of it
 */
export function proposal(trees, commit, isTaken) {
  const before = trees.filesOf(`${commit}^`);
  const after = trees.filesOf(commit);
  const proposed = new Map(before);
  for (const [path, id] of after) if (before.get(path) !== id && isTaken(path)) proposed.set(path, id);
  for (const path of before.keys()) if (!after.has(path) && isTaken(path)) proposed.delete(path);
  return { base: trees.treeOf(before), proposed: trees.treeOf(proposed), changed: changedPaths(before, proposed) };
}

/** @param {ReadonlyMap<string, string>} before @param {ReadonlyMap<string, string>} after */
function changedPaths(before, after) {
  const paths = [...after].flatMap(([path, id]) => (before.get(path) === id ? [] : [path]));
  return new Set([...paths, ...[...before.keys()].filter((path) => !after.has(path))]);
}
