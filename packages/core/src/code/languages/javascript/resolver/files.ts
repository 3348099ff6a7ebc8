import { joinPaths, joinRelative, parentPath, type TreePath } from '../../../../model/names.ts';
import type { CodeTree, Resolution } from '../../../language.ts';

/** Endings that an import may leave out, in the order in which they are tried. */
const ENDINGS = [
  '.ts',
  '.tsx',
  '.d.ts',
  '.js',
  '.jsx',
  '.mts',
  '.cts',
  '.mjs',
  '.cjs',
  '.d.mts',
  '.d.cts',
  '.json',
  '.vue',
  '.svelte',
];
/** Endings of bundlers for one platform, tried last. */
const PLATFORMS = ['.web', '.native', '.ios', '.android', '.node', '.browser'];
/** The sources that an import of compiled JavaScript means. */
const SOURCES: Readonly<Record<string, readonly string[]>> = {
  '.js': ['.ts', '.tsx', '.d.ts', '.jsx'],
  '.jsx': ['.tsx', '.d.ts'],
  '.mjs': ['.mts', '.d.mts', '.ts'],
  '.cjs': ['.cts', '.d.cts', '.ts'],
};

/** Folders that compilers write to, and that mostly are not in the tree. */
export const BUILT = /^(?:dist|lib|build|out|output|esm|cjs|es|umd|types|typings|\.next|generated|__generated__)$/;

/** Finds the file that a path without its ending means; null: there is none. */
export function fileAt(tree: CodeTree, path: TreePath): readonly TreePath[] | null {
  if (path !== '' && tree.files.has(path)) return withTypes(tree, path);
  return otherEnding(tree, path) ?? folderAt(tree, path) ?? platformFile(tree, path);
}

/** What an import of a path leads to. */
export function resolvePath(tree: CodeTree, path: TreePath | null): Resolution {
  if (path === null) return { to: 'outside' };
  if (path.includes('node_modules/')) return { to: 'outside' };
  const paths = fileAt(tree, path);
  if (paths !== null) return { to: 'files', paths };
  if (tree.hasFolder(path)) return { to: 'unknown' };
  // Without its folder, the file is probably generated. Only a comparison with another state can tell.
  const folder = parentPath(path);
  const isKnown = folder === '' || tree.hasFolder(folder) || tree.hadFolder?.(folder);
  return { to: isKnown ? 'missing' : 'unknown' };
}

function withTypes(tree: CodeTree, path: TreePath): readonly TreePath[] {
  const cut = /\.([cm]?)js$/.exec(path);
  if (cut === null) return [path];
  const types = `${path.slice(0, cut.index)}.d.${cut[1] ?? ''}ts` as TreePath;
  return tree.files.has(types) ? [path, types] : [path];
}

function otherEnding(tree: CodeTree, path: TreePath): readonly TreePath[] | null {
  for (const [ending, sources] of Object.entries(SOURCES)) {
    if (!path.endsWith(ending)) continue;
    const found = firstOf(tree, path.slice(0, -ending.length), sources);
    if (found !== null) return found;
  }
  return firstOf(tree, path, ENDINGS);
}

function folderAt(tree: CodeTree, path: TreePath): readonly TreePath[] | null {
  if (!tree.hasFolder(path)) return null;
  const main = mainOf(tree, path);
  if (main !== null) {
    const found = tree.files.has(main) ? [main] : (otherEnding(tree, main) ?? firstOf(tree, `${main}/index`, ENDINGS));
    if (found !== null) return found;
  }
  return firstOf(tree, joinPaths(path, 'index' as TreePath), ENDINGS);
}

function mainOf(tree: CodeTree, folder: TreePath): TreePath | null {
  const path = joinPaths(folder, 'package.json' as TreePath);
  if (!tree.files.has(path)) return null;
  const bytes = tree.read(path);
  const main =
    bytes === null ? undefined : /"(?:source|module|main)"\s*:\s*"([^"]+)"/.exec(new TextDecoder().decode(bytes))?.[1];
  return main === undefined ? null : joinRelative(folder, main);
}

function platformFile(tree: CodeTree, path: TreePath): readonly TreePath[] | null {
  for (const platform of PLATFORMS) {
    const found = firstOf(tree, `${path}${platform}`, ['.ts', '.tsx', '.js', '.jsx']);
    if (found !== null) return found;
  }
  return null;
}

function firstOf(tree: CodeTree, stem: string, endings: readonly string[]): readonly TreePath[] | null {
  for (const ending of endings) {
    const path = `${stem}${ending}` as TreePath;
    if (tree.files.has(path)) return withTypes(tree, path);
  }
  return null;
}
