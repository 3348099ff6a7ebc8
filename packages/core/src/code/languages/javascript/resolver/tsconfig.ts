/** `paths` and `baseUrl` of the nearest `tsconfig.json` or `jsconfig.json`. */

import { joinPaths, joinRelative, parentPath, type TreePath } from '../../../../model/names.ts';
import type { CodeTree } from '../../../language.ts';
import { asObject, readJson, strings } from './json.ts';

/** How imports are mapped in the files below a folder. */
export interface PathMapping {
  /** Null: imports are not looked for below a folder. */
  readonly baseUrl: TreePath | null;
  readonly paths: readonly PathPattern[];
}

/** A pattern with one `*` at most. */
export interface PathPattern {
  readonly before: string;
  /** Null: the pattern has no `*`. */
  readonly after: string | null;
  /** Paths from the top of the workspace, with `*`. */
  readonly targets: readonly string[];
}

const NAMES = ['tsconfig.json', 'jsconfig.json'] as const;
/** How many files may extend each other. */
const DEEPEST = 10;

export class PathMappings {
  readonly #tree: CodeTree;
  readonly #byFolder = new Map<TreePath, readonly PathMapping[]>();

  constructor(tree: CodeTree) {
    this.#tree = tree;
  }

  /** The mappings for the files of a folder; more than one if its configuration only refers to others. */
  of(folder: TreePath): readonly PathMapping[] {
    let mappings = this.#byFolder.get(folder);
    if (mappings === undefined) {
      mappings = this.#read(folder) ?? (folder === '' ? [] : this.of(parentPath(folder)));
      this.#byFolder.set(folder, mappings);
    }
    return mappings;
  }

  #read(folder: TreePath): readonly PathMapping[] | null {
    const path = NAMES.map((name) => joinPaths(folder, name as TreePath)).find((one) => this.#tree.files.has(one));
    if (path === undefined) return null;
    const own = mappingOf(this.#tree, path, 0);
    const others = referencesOf(this.#tree, path).flatMap((one) => mappingOf(this.#tree, one, 0) ?? []);
    return own === null ? others : [own, ...others];
  }
}

/** Returns the part of an import in the place of the `*`; null: the pattern does not match. */
export function matched(pattern: PathPattern, from: string): string | null {
  if (pattern.after === null) return from === pattern.before ? '' : null;
  if (!from.startsWith(pattern.before) || !from.endsWith(pattern.after)) return null;
  if (from.length < pattern.before.length + pattern.after.length) return null;
  return from.slice(pattern.before.length, from.length - pattern.after.length);
}

function mappingOf(tree: CodeTree, path: TreePath, depth: number): PathMapping | null {
  const config = depth > DEEPEST ? null : readJson(tree, path);
  if (config === null) return null;
  const folder = parentPath(path);
  const inherited = extendedBy(config.extends)
    .map((from) => extendedPath(tree, folder, from))
    .flatMap((one) => (one === null ? [] : (mappingOf(tree, one, depth + 1) ?? [])))
    .at(-1);
  const options = asObject(config.compilerOptions) ?? {};
  const baseUrl =
    typeof options.baseUrl === 'string' ? joinRelative(folder, options.baseUrl) : (inherited?.baseUrl ?? null);
  const own = asObject(options.paths);
  const paths = own === null ? (inherited?.paths ?? []) : patternsOf(own, baseUrl ?? folder);
  return baseUrl === null && paths.length === 0 ? null : { baseUrl, paths };
}

function patternsOf(paths: Readonly<Record<string, unknown>>, folder: TreePath): readonly PathPattern[] {
  const patterns = Object.entries(paths).map(([pattern, targets]): PathPattern => {
    const star = pattern.indexOf('*');
    return {
      before: star < 0 ? pattern : pattern.slice(0, star),
      after: star < 0 ? null : pattern.slice(star + 1),
      targets: strings(targets).flatMap((target) => joinRelative(folder, target) ?? []),
    };
  });
  // TypeScript prefers exact patterns, then the longest beginning.
  return patterns.sort(
    (one, other) =>
      Number(one.after !== null) - Number(other.after !== null) || other.before.length - one.before.length,
  );
}

function extendedBy(value: unknown): readonly string[] {
  return typeof value === 'string' ? [value] : strings(value);
}

function extendedPath(tree: CodeTree, folder: TreePath, from: string): TreePath | null {
  const path = from.startsWith('.') ? joinRelative(folder, from) : null;
  if (path === null) return null;
  return tree.files.has(path) ? path : (`${path}.json` as TreePath);
}

/** Configurations in the same folder that a configuration refers to, such as `tsconfig.app.json`. */
function referencesOf(tree: CodeTree, path: TreePath): readonly TreePath[] {
  const references = readJson(tree, path)?.references;
  if (!Array.isArray(references)) return [];
  return references.flatMap((one) => {
    const from = asObject(one)?.path;
    const target = typeof from === 'string' && from.endsWith('.json') ? joinRelative(parentPath(path), from) : null;
    return target === null || parentPath(target) !== parentPath(path) ? [] : [target];
  });
}
