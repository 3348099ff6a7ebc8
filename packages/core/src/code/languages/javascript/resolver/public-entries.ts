import type { TreePath } from '../../../../model/names.ts';
import type { CodeTree } from '../../../language.ts';
import { publicEntries, resolveEntry } from './entry.ts';
import { WorkspacePackages } from './packages.ts';

/** What users of a package can import. */
export interface PublicEntry {
  readonly package: string;
  /** `''`: the package itself; otherwise what follows its name. */
  readonly entry: string;
  readonly paths: readonly TreePath[];
}

/** By the files of the tree, which tell their contents as well. */
const known = new WeakMap<CodeTree['files'], readonly PublicEntry[]>();

/** Returns the entries of all packages of the workspace that are not private. */
export function publicEntriesOf(tree: CodeTree): readonly PublicEntry[] {
  let entries = known.get(tree.files);
  if (entries === undefined) {
    entries = entriesOf(tree);
    known.set(tree.files, entries);
  }
  return entries;
}

function entriesOf(tree: CodeTree): readonly PublicEntry[] {
  return new WorkspacePackages(tree).all().flatMap((one) => {
    const { name } = one.manifest;
    if (one.manifest.private === true || typeof name !== 'string') return [];
    return publicEntries(one).flatMap((entry): readonly PublicEntry[] => {
      const found = resolveEntry(tree, one, entry);
      return found.to === 'files' ? [{ package: name, entry, paths: found.paths }] : [];
    });
  });
}
