import { baseName, bytesFromText, parentPath, type TreePath } from '../../../model/names.ts';
import type { CodeTree, Resolution, Resolver } from '../../language.ts';

interface Crate {
  /** As paths begin with it. */
  readonly name: string;
  readonly folder: TreePath;
}

/** A module with a file of its own. */
interface Module {
  readonly file: TreePath;
  /** Where the files of the modules in it are. */
  readonly folder: TreePath;
}

type Has = (path: string) => boolean;

/** Resolves paths of modules to their files, of all crates in the workspace. What is in a file cannot be seen here. */
export function rustResolver(tree: CodeTree): Resolver {
  const crates = cratesOf(tree);
  const has: Has = (path) => tree.files.has(path as TreePath);
  const resolve = (importer: TreePath, from: string): Resolution => {
    const path = from.split('::').map(bytesFromText);
    const start = startOf(has, crates, importer, path);
    if (start === 'outside' || start === 'unknown') return { to: start };
    let { module } = start;
    for (const part of start.rest) {
      const next = moduleIn(has, module.folder, part);
      // The rest may be a type or a module in the file.
      if (next === null) return isDeclaration(from, start.rest) ? { to: 'missing' } : { to: 'unknown' };
      module = next;
    }
    return { to: 'files', paths: [module.file] };
  };
  return { resolve, resolveName: (importer, from, name) => resolve(importer, from === '' ? name : `${from}::${name}`) };
}

/** The file of `mod a;` must be there. */
function isDeclaration(from: string, rest: readonly string[]): boolean {
  return from.startsWith('mod::') && rest.length === 1;
}

function startOf(
  has: Has,
  crates: readonly Crate[],
  importer: TreePath,
  path: readonly string[],
): { readonly module: Module; readonly rest: readonly string[] } | 'outside' | 'unknown' {
  const [first = '', ...rest] = path;
  const own = ownModule(importer);
  if (first === 'self' || first === 'mod') return { module: own, rest };
  if (first === 'crate') {
    const root = rootOf(has, importer);
    return root === null ? 'unknown' : { module: root, rest };
  }
  if (first === 'super') {
    let module: Module | null = own;
    let at = 0;
    for (; path[at] === 'super' && module !== null; at++) module = parentOf(has, module);
    return module === null ? 'unknown' : { module, rest: path.slice(at) };
  }
  if (first !== '' && moduleIn(has, own.folder, first) !== null) return { module: own, rest: path };
  const crate = crates.find(({ name }) => name === first);
  if (crate === undefined) return 'outside';
  const library = libraryOf(has, crate.folder);
  return library === null ? 'unknown' : { module: library, rest };
}

function ownModule(file: TreePath): Module {
  const isRoot = /^(?:mod|lib|main|build)\.rs$/.test(baseName(file)) || isProgram(file);
  return { file, folder: isRoot ? parentPath(file) : (file.replace(/\.rs$/, '') as TreePath) };
}

/** A file that is a crate of its own. */
function isProgram(file: TreePath): boolean {
  return /^(?:tests|benches|examples|bin)$/.test(baseName(parentPath(file)));
}

function moduleIn(has: Has, folder: TreePath, name: string): Module | null {
  const base = (folder === '' ? name : `${folder}/${name}`) as TreePath;
  const file = [`${base}.rs`, `${base}/mod.rs`].find(has);
  return file === undefined ? null : { file: file as TreePath, folder: base };
}

function parentOf(has: Has, { folder }: Module): Module | null {
  const around = parentPath(folder);
  const file = [`${around}/mod.rs`, `${around}/lib.rs`, `${around}/main.rs`, `${around}.rs`].find(has);
  return file === undefined ? null : { file: file as TreePath, folder: around };
}

/** The root of the crate that a file belongs to; null: not known, such as of a single program. */
function rootOf(has: Has, file: TreePath): Module | null {
  if (isProgram(file)) return ownModule(file);
  for (let folder = parentPath(file); ; folder = parentPath(folder)) {
    if (has(folder === '' ? 'Cargo.toml' : `${folder}/Cargo.toml`)) return libraryOf(has, folder);
    const root = [`${folder}/lib.rs`, `${folder}/main.rs`].find(has);
    if (root !== undefined) return { file: root as TreePath, folder };
    if (folder === '') return null;
  }
}

function libraryOf(has: Has, crate: TreePath): Module | null {
  const folder = (crate === '' ? 'src' : `${crate}/src`) as TreePath;
  const file = [`${folder}/lib.rs`, `${folder}/main.rs`].find(has);
  return file === undefined ? null : { file: file as TreePath, folder };
}

function cratesOf(tree: CodeTree): Crate[] {
  const found: Crate[] = [];
  for (const path of tree.files.keys()) {
    if (baseName(path) !== 'Cargo.toml') continue;
    const bytes = tree.read(path);
    const manifest = bytes === null ? '' : new TextDecoder().decode(bytes);
    for (const [, name] of manifest.matchAll(/^\[(?:package|lib)\][^[]*?^name\s*=\s*"([^"]+)"/gms)) {
      found.push({ name: name!.replaceAll('-', '_'), folder: parentPath(path) });
    }
  }
  return found;
}
