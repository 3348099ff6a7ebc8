import { bytesFromText, joinRelative, parentPath, type TreePath } from '../../../model/names.ts';
import type { CodeTree, Resolver } from '../../language.ts';

const LOAD_FOLDERS = ['lib', 'test', 'spec', 'app', ''];

/** `require_relative` leads to a file beside; `require` to one in a folder of libraries around, or to a gem. */
export function rubyResolver(tree: CodeTree): Resolver {
  const fileOf = (path: TreePath | null): TreePath | null => {
    if (path === null) return null;
    const found = [path, `${path}.rb`].find((each) => tree.files.has(each as TreePath));
    return found === undefined ? null : (found as TreePath);
  };
  return {
    resolve: (importer, from) => {
      const wanted = bytesFromText(from);
      if (/^\.\.?\//.test(wanted)) {
        const file = fileOf(joinRelative(parentPath(importer), wanted));
        return file === null ? { to: 'missing' } : { to: 'files', paths: [file] };
      }
      for (let folder = parentPath(importer); ; folder = parentPath(folder)) {
        for (const load of LOAD_FOLDERS) {
          const file = fileOf(joinRelative(folder, `${load}/${wanted}`));
          if (file !== null && file !== importer) return { to: 'files', paths: [file] };
          // The library is here, but not this file of it.
          const library = joinRelative(folder, `${load}/${wanted.split('/')[0]}`);
          if (load === 'lib' && wanted.includes('/') && library !== null && tree.files.has(`${library}.rb` as TreePath))
            return { to: 'missing' };
        }
        if (folder === '') return { to: 'outside' };
      }
    },
  };
}
