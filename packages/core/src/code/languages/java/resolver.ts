import { bytesFromText, parentPath, type TreePath } from '../../../model/names.ts';
import type { CodeTree, Resolution, Resolver } from '../../language.ts';

/**
 * Resolves classes and packages by their paths, in any folder of sources. What is in the same folders as a known package
 * but not there is missing; it may also be generated when the project is built, in the base as in the proposed state.
 */
export function javaResolver(tree: CodeTree): Resolver {
  const bySuffix = foldersBySuffix(tree);
  return {
    resolve: (importer, from) => {
      if (from === '.') return samePackage(bySuffix, parentPath(importer), importer);
      const path = bytesFromText(from).split('.');
      // A class in a class is in the file of the outer one.
      for (let length = path.length; length > 0; length--) {
        const files = (bySuffix.get(path.slice(0, length - 1).join('/')) ?? []).map(
          ({ folder }) => `${folder === '' ? '' : `${folder}/`}${path[length - 1]}.java` as TreePath,
        );
        const found = files.filter((file) => tree.files.has(file));
        if (found.length > 0) return { to: 'files', paths: found };
      }
      const whole = bySuffix.get(path.join('/'));
      if (whole !== undefined) return { to: 'files', paths: whole.flatMap(({ files }) => files) };
      return bySuffix.has(path.slice(0, -1).join('/')) && path.length > 1 ? { to: 'missing' } : { to: 'outside' };
    },
  };
}

interface PackageFolder {
  readonly folder: TreePath;
  readonly files: TreePath[];
}

/** The folders with Java files, by each end of their paths: `com/example` for `src/main/java/com/example`. */
function foldersBySuffix(tree: CodeTree): ReadonlyMap<string, readonly PackageFolder[]> {
  const folders = new Map<TreePath, PackageFolder>();
  for (const path of tree.files.keys()) {
    if (!path.endsWith('.java')) continue;
    const folder = parentPath(path);
    const known = folders.get(folder) ?? { folder, files: [] };
    known.files.push(path);
    folders.set(folder, known);
  }
  const found = new Map<string, PackageFolder[]>();
  for (const each of folders.values()) {
    const parts = each.folder.split('/');
    for (let from = 0; from <= parts.length; from++) {
      const suffix = parts.slice(from).join('/');
      const known = found.get(suffix);
      if (known === undefined) found.set(suffix, [each]);
      else known.push(each);
    }
  }
  return found;
}

/** Also the same package among the tests: `src/test/java` beside `src/main/java`. */
function samePackage(
  bySuffix: ReadonlyMap<string, readonly PackageFolder[]>,
  folder: TreePath,
  importer: TreePath,
): Resolution {
  const marker = /(?:^|\/)src\/[^/]+\/java\//.exec(`${folder}/`);
  const suffix = marker === null ? folder : folder.slice(marker.index + marker[0].length);
  const project = marker === null ? '' : folder.slice(0, marker.index);
  const paths = (bySuffix.get(suffix) ?? [])
    .filter(({ folder: other }) => other === folder || (marker !== null && other.startsWith(project)))
    .flatMap(({ files }) => files)
    .filter((path) => path !== importer);
  return paths.length > 0 ? { to: 'files', paths } : { to: 'unknown' };
}
