import { parentPath, type TreePath } from '../../../../model/names.ts';
import type { CodeTree, Resolution, Resolver } from '../../../language.ts';
import { joined, resolvePath } from './files.ts';

/** Resolves imports as Node, TypeScript and bundlers do, to sources where these are in the tree. */
export function javascriptResolver(tree: CodeTree): Resolver {
  return {
    resolve(importer, given) {
      const from = given.replace(/[?].*$/, '');
      if (/^\.{1,2}(?:\/|$)/.test(from)) return resolvePath(tree, joined(parentPath(importer), from));
      return resolveBare(tree, importer, from);
    },
  };
}

function resolveBare(_tree: CodeTree, _importer: TreePath, _from: string): Resolution {
  return { to: 'outside' };
}
