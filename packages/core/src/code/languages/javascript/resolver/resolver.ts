import { joinPaths, joinRelative, parentPath, type TreePath } from '../../../../model/names.ts';
import type { CodeTree, Resolution, Resolver } from '../../../language.ts';
import { resolveEntry, resolveInternal, sourceOf } from './entry.ts';
import { BUILT, fileAt, resolvePath } from './files.ts';
import { WorkspacePackages } from './packages.ts';
import { matched, PathMappings } from './tsconfig.ts';

/** Resolves imports as Node, TypeScript and bundlers do, to sources where these are in the tree. */
export function javascriptResolver(tree: CodeTree): Resolver {
  const resolver = new JavaScriptResolver(tree);
  return { resolve: (importer, from) => resolver.resolve(importer, from) };
}

class JavaScriptResolver {
  readonly #tree: CodeTree;
  readonly #mappings: PathMappings;
  readonly #packages: WorkspacePackages;
  /** By folder and import: many files of a folder import the same. */
  readonly #known = new Map<string, Resolution>();

  constructor(tree: CodeTree) {
    this.#tree = tree;
    this.#mappings = new PathMappings(tree);
    this.#packages = new WorkspacePackages(tree);
  }

  resolve(importer: TreePath, from: string): Resolution {
    const key = `${parentPath(importer)}\0${from}`;
    let resolution = this.#known.get(key);
    if (resolution === undefined) {
      resolution = this.#withoutQuery(importer, from);
      this.#known.set(key, resolution);
    }
    return resolution;
  }

  #withoutQuery(importer: TreePath, from: string): Resolution {
    const cut = from.indexOf('?', 1);
    if (cut < 0) return this.#resolve(importer, from);
    // What a bundler makes of a file, such as its text or its address, has other exports than the file.
    const found = this.#resolve(importer, from.slice(0, cut));
    return found.to === 'files' ? { to: 'unknown' } : found;
  }

  #resolve(importer: TreePath, from: string): Resolution {
    const folder = parentPath(importer);
    if (/^\.{1,2}(?:\/|$)/.test(from)) return this.#relative(joinRelative(folder, from));
    if (from.startsWith('#')) {
      const own = this.#packages.nearest(folder);
      const found = own === null ? null : resolveInternal(this.#tree, own, from);
      if (found !== null && found.to !== 'unknown') return found;
    }
    return this.#mapped(folder, from) ?? this.#package(importer, from);
  }

  #relative(path: TreePath | null): Resolution {
    const found = resolvePath(this.#tree, path);
    if (path === null || found.to === 'files' || found.to === 'outside') return found;
    const source = this.#sourceOfBuilt(path);
    return source === null ? found : { to: 'files', paths: source };
  }

  /** The source of a file in a folder that a compiler writes to, and that is not in the tree. */
  #sourceOfBuilt(path: TreePath): readonly TreePath[] | null {
    const parts = path.split('/');
    const nth = parts.findIndex((part, at) => at < parts.length - 1 && BUILT.test(part));
    if (nth < 0 || this.#tree.hadFolder?.(parts.slice(0, nth + 1).join('/') as TreePath)) return null;
    return sourceOf(this.#tree, parts.slice(0, nth).join('/') as TreePath, parts.slice(nth).join('/'));
  }

  #mapped(folder: TreePath, from: string): Resolution | null {
    let isMapped = false;
    for (const { baseUrl, paths } of this.#mappings.of(folder)) {
      for (const pattern of paths) {
        const rest = matched(pattern, from);
        if (rest === null) continue;
        // `*` alone maps everything, so nothing follows if no file is there.
        isMapped ||= pattern.before !== '' && !this.#isPackage(from);
        for (const target of pattern.targets) {
          const found = this.#relative(joinRelative('' as TreePath, target.replace('*', rest)));
          if (found.to === 'files') return found;
        }
      }
      const found = baseUrl === null ? null : fileAt(this.#tree, joinPaths(baseUrl, from as TreePath));
      if (found !== null) return { to: 'files', paths: found };
    }
    return isMapped ? { to: 'unknown' } : null;
  }

  #isPackage(from: string): boolean {
    return this.#packages.named(from, '' as TreePath) !== null;
  }

  #package(importer: TreePath, from: string): Resolution {
    if (from.startsWith('/') || from.startsWith('~') || from.startsWith('@/')) return { to: 'unknown' };
    if (/^[\w-]+:/.test(from)) return { to: 'outside' };
    const named = this.#packages.named(from, importer);
    return named === null ? { to: 'outside' } : resolveEntry(this.#tree, named.package, named.rest);
  }
}
