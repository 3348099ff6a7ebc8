import { baseName, bytesFromText, joinRelative, parentPath, type TreePath } from '../../../model/names.ts';
import type { CodeTree, Resolution, Resolver } from '../../language.ts';

const USUAL_FOLDERS = ['include', 'src', 'lib', ''];

/**
 * Resolves what files include. The folders that the compiler is given are not known, so a file that is not found beside
 * the includer or in a usual folder is looked for by the end of its path, and must be the only one.
 */
export function includeResolver(tree: CodeTree): Resolver {
  const byEnd = pathsByName(tree);
  const resolve = (importer: TreePath, from: string): Resolution => {
    const isSystem = from.startsWith('<');
    const wanted = bytesFromText(isSystem ? from.slice(1, -1) : from);
    const beside = isSystem ? null : joinRelative(parentPath(importer), wanted);
    if (beside !== null && tree.files.has(beside)) return { to: 'files', paths: [beside] };
    for (let folder = parentPath(importer); ; folder = parentPath(folder)) {
      for (const usual of USUAL_FOLDERS) {
        const path = joinRelative(folder, `${usual}/${wanted}`);
        if (path !== null && tree.files.has(path)) return { to: 'files', paths: [path] };
      }
      if (folder === '') break;
    }
    const found = (byEnd.get(baseName(wanted as TreePath)) ?? []).filter((path) => path.endsWith(`/${wanted}`));
    if (found.length === 1) return { to: 'files', paths: found };
    if (isSystem && found.length === 0) return { to: 'outside' };
    // It may be made by the build, or be in a folder that is not known.
    return { to: 'unknown' };
  };
  return { resolve };
}

function pathsByName(tree: CodeTree): ReadonlyMap<string, readonly TreePath[]> {
  const found = new Map<string, TreePath[]>();
  for (const path of tree.files.keys()) {
    const name = baseName(path);
    const known = found.get(name);
    if (known === undefined) found.set(name, [path]);
    else known.push(path);
  }
  return found;
}
