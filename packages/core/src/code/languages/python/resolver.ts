import { bytesFromText, parentPath, type TreePath } from '../../../model/names.ts';
import type { CodeTree, Resolution, Resolver, TextResolution } from '../../language.ts';
import { type PythonRoots, rootsOf } from './roots.ts';

const OUTSIDE: Resolution = { to: 'outside' };
const MISSING: Resolution = { to: 'missing' };
const UNKNOWN: Resolution = { to: 'unknown' };

/** What a module is in the tree. A folder without `__init__.py` is a package, too, but contains nothing itself. */
type Module = { readonly file: TreePath } | { readonly folder: TreePath };

/** Resolves the names of modules to files of the tree, and others to `outside`. */
export function pythonResolver(tree: CodeTree): Resolver {
  const roots = rootsOf(tree);
  const find = (importer: TreePath, from: string) => moduleAt(tree, roots, importer, from);
  return {
    resolve: (importer, from) => {
      const found = find(importer, from);
      if (found === null || typeof found === 'string') return answer(found);
      return 'file' in found ? { to: 'files', paths: [found.file] } : UNKNOWN;
    },
    resolveName: (importer, from, name) => {
      const found = find(importer, from.endsWith('.') ? `${from}${name}` : `${from}.${name}`);
      if (found === null || typeof found === 'string') return answer(found);
      return 'file' in found ? { to: 'files', paths: [found.file] } : UNKNOWN;
    },
    resolveText: (importer, text) => resolveText(text, (from) => find(importer, from)),
  };
}

function answer(found: 'missing' | 'unknown' | null): Resolution {
  if (found === null) return OUTSIDE;
  return found === 'missing' ? MISSING : UNKNOWN;
}

function resolveText(
  text: string,
  find: (from: string) => Module | 'missing' | 'unknown' | null,
): TextResolution | null {
  const [, dots = '', names = ''] = /^(\.*)(.*)$/.exec(text)!;
  const parts = names.split('.').filter((part) => part !== '');
  for (let length = parts.length; length > 0; length--) {
    const found = find(dots + parts.slice(0, length).join('.'));
    if (found === null) return null;
    if (typeof found === 'string') continue;
    if ('file' in found) return { paths: [found.file], rest: parts.slice(length) };
    return null;
  }
  return null;
}

/** @returns null: outside the workspace */
function moduleAt(
  tree: CodeTree,
  roots: PythonRoots,
  importer: TreePath,
  from: string,
): Module | 'missing' | 'unknown' | null {
  const [, dots = '', names = ''] = /^(\.*)(.*)$/.exec(from)!;
  const parts = names === '' ? [] : names.split('.');
  if (dots !== '') {
    let folder = parentPath(importer);
    for (let up = 1; up < dots.length; up++) {
      if (folder === '') return 'unknown';
      folder = parentPath(folder);
    }
    return below(tree, folder, parts);
  }
  const first = bytesFromText(parts[0] ?? '');
  const candidates = roots.candidates(importer, first);
  if (candidates.length === 0) return null;
  let worst: 'missing' | 'unknown' | null = null;
  for (const root of candidates) {
    const found = below(tree, root, parts);
    if (typeof found !== 'string') return found;
    const top = moduleIn(tree, join(root, first), 'file');
    const isPackage = top !== null && 'file' in top && /\/__init__\.pyi?$/.test(top.file);
    // A package that has no __init__.py may have other parts elsewhere, but hardly if the next package is here.
    const isHere = parts.length > 2 && tree.hasFolder(join(join(root, first), bytesFromText(parts[1]!)));
    if (isPackage || isHere || (top !== null && candidates.length === 1)) return found;
    worst ??= 'unknown';
  }
  return worst;
}

/** The module that these names lead to from a folder. */
function below(tree: CodeTree, folder: TreePath, parts: readonly string[]): Module | 'missing' | 'unknown' {
  let at = folder;
  let module: Module | null = parts.length === 0 ? (moduleIn(tree, folder, 'package') ?? { folder }) : null;
  for (const [index, text] of parts.entries()) {
    const part = bytesFromText(text);
    const path = join(at, part);
    const isLast = index === parts.length - 1;
    module = isLast ? moduleIn(tree, path, 'file') : null;
    if (module === null && tree.hasFolder(path)) module = { folder: path };
    if (module === null)
      return COMPILED.some((end) => tree.files.has(`${path}${end}` as TreePath)) ? 'unknown' : 'missing';
    at = path;
  }
  return module ?? 'unknown';
}

/** Modules that are not written in Python. */
const COMPILED = ['.pyx', '.pxd', '.so', '.pyd', '.c', '.cpp', '.rs'];

function moduleIn(tree: CodeTree, path: TreePath, kind: 'file' | 'package'): Module | null {
  const inside = path === '' ? '' : `${path}/`;
  const names = [`${inside}__init__.py`, ...(kind === 'file' ? [`${path}.py`] : []), `${inside}__init__.pyi`];
  if (kind === 'file') names.push(`${path}.pyi`);
  const file = names.find((name) => tree.files.has(name as TreePath));
  return file === undefined ? null : { file: file as TreePath };
}

function join(folder: TreePath, name: string): TreePath {
  return (folder === '' ? name : `${folder}/${name}`) as TreePath;
}
