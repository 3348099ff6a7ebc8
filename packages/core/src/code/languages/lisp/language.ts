import { baseName, bytesFromText, joinRelative, parentPath, type TreePath } from '../../../model/names.ts';
import type { CodeTree, Language, Resolver } from '../../language.ts';
import { lispReader } from './read-facts.ts';

export const COMMON_LISP: Language = {
  id: 'common-lisp',
  version: '1',
  patterns: ['*.lisp', '*.lsp', '*.cl', '*.asd'],
  isMeasured: false,
  load: async () => lispReader('common-lisp'),
  // A package is not a file: only the facts of all files say what is in it.
  resolverOf: (tree) => ({
    resolve: (importer, from) => {
      if (!from.startsWith('./')) return { to: /^(?:cl|common-lisp|cl-user)$/.test(from) ? 'outside' : 'unknown' };
      const path = joinRelative(parentPath(importer), bytesFromText(from));
      const file = ['', '.lisp', '.lsp', '.cl']
        .map((end) => `${path}${end}` as TreePath)
        .find((each) => tree.files.has(each));
      return file === undefined ? { to: 'missing' } : { to: 'files', paths: [file] };
    },
  }),
};

export const EMACS_LISP: Language = {
  id: 'emacs-lisp',
  version: '1',
  patterns: ['*.el', '.emacs'],
  isMeasured: false,
  load: async () => lispReader('emacs-lisp'),
  resolverOf: emacsResolver,
};

/** A feature is in the file of its name, in a folder of the load path: beside the importer, or the only one there is. */
function emacsResolver(tree: CodeTree): Resolver {
  const byName = new Map<string, TreePath[]>();
  for (const path of tree.files.keys()) {
    if (path.endsWith('.el')) byName.set(baseName(path), [...(byName.get(baseName(path)) ?? []), path]);
  }
  return {
    resolve: (importer, from) => {
      const name = bytesFromText(from)
        .replace(/\.elc?$/, '')
        .replace(/^.*\//, '');
      const paths = byName.get(`${name}.el`) ?? [];
      const beside = paths.find((path) => parentPath(path) === parentPath(importer));
      if (beside !== undefined) return { to: 'files', paths: [beside] };
      if (paths.length === 1) return { to: 'files', paths };
      return { to: paths.length === 0 ? 'outside' : 'unknown' };
    },
  };
}
