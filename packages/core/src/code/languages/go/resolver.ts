import { baseName, bytesFromText, parentPath, type TreePath } from '../../../model/names.ts';
import type { CodeTree, Resolution, Resolver } from '../../language.ts';

interface Module {
  /** As other modules import it. */
  readonly path: string;
  readonly folder: TreePath;
}

/** Resolves packages of the modules in the workspace to the files of their folders. */
export function goResolver(tree: CodeTree): Resolver {
  const modules = modulesOf(tree);
  const packages = packagesOf(tree);
  return {
    resolve: (importer, from) => {
      if (from === '.') return filesOf(packages, parentPath(importer), importer);
      const module = modules.find(({ path }) => from === path || from.startsWith(`${path}/`));
      if (module === undefined) return { to: 'outside' };
      const inside = bytesFromText(from.slice(module.path.length + 1));
      const folder = [module.folder, inside].filter((part) => part !== '').join('/') as TreePath;
      return filesOf(packages, folder, null);
    },
  };
}

/** The longest paths first: a module may be in the folder of another one. */
function modulesOf(tree: CodeTree): Module[] {
  const found: Module[] = [];
  for (const path of tree.files.keys()) {
    if (baseName(path) !== 'go.mod') continue;
    const bytes = tree.read(path);
    const name = bytes === null ? null : /^\s*module\s+"?([^\s"]+)/m.exec(new TextDecoder().decode(bytes));
    if (name !== null) found.push({ path: name[1]!, folder: parentPath(path) });
  }
  return found.sort((a, b) => b.path.length - a.path.length);
}

function packagesOf(tree: CodeTree): ReadonlyMap<TreePath, readonly TreePath[]> {
  const found = new Map<TreePath, TreePath[]>();
  for (const path of tree.files.keys()) {
    if (!path.endsWith('.go')) continue;
    const folder = parentPath(path);
    const files = found.get(folder);
    if (files === undefined) found.set(folder, [path]);
    else files.push(path);
  }
  return found;
}

/** @param importer a file of the package itself, which also sees its tests; null: another package */
function filesOf(
  packages: ReadonlyMap<TreePath, readonly TreePath[]>,
  folder: TreePath,
  importer: TreePath | null,
): Resolution {
  const seesTests = importer?.endsWith('_test.go') === true;
  const paths = (packages.get(folder) ?? []).filter(
    (path) => path !== importer && (seesTests || !path.endsWith('_test.go')),
  );
  if (paths.length > 0) return { to: 'files', paths };
  return importer === null ? { to: 'missing' } : { to: 'unknown' };
}
