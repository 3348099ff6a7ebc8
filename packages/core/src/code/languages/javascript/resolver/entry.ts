/** The source files that the entries of a package stand for. */

import { joinPaths, joinRelative, type TreePath } from '../../../../model/names.ts';
import type { CodeTree, Resolution } from '../../../language.ts';
import { BUILT, fileAt } from './files.ts';
import { asObject } from './json.ts';
import type { WorkspacePackage } from './packages.ts';

/** Conditions that name sources, then those that name types, then the others in their own order. */
const PREFERRED = ['source', 'development', 'types'];

/** Resolves an import of a package of the workspace to its sources. */
export function resolveEntry(tree: CodeTree, { folder, manifest }: WorkspacePackage, rest: string): Resolution {
  const named = manifest.exports === undefined ? null : targetsOf(manifest.exports, rest === '' ? '.' : `./${rest}`);
  const targets = named ?? (rest === '' ? mainsOf(manifest) : [rest]);
  for (const target of targets) {
    const paths = sourceOf(tree, folder, target);
    if (paths !== null) return { to: 'files', paths };
  }
  if (rest !== '' || (named !== null && named.length > 0)) return { to: 'unknown' };
  const paths = fileAt(tree, joinPaths(folder, 'src' as TreePath)) ?? fileAt(tree, folder);
  return paths === null ? { to: 'unknown' } : { to: 'files', paths };
}

/** Resolves `#name` by the `imports` of the package. */
export function resolveInternal(tree: CodeTree, { folder, manifest }: WorkspacePackage, from: string): Resolution {
  const targets = targetsOf(manifest.imports, from) ?? [];
  for (const target of targets) {
    const paths = target.startsWith('.') ? sourceOf(tree, folder, target) : null;
    if (paths !== null) return { to: 'files', paths };
  }
  return { to: targets.some((target) => !target.startsWith('.')) ? 'outside' : 'unknown' };
}

/** The names under which others can import from a package, without patterns. */
export function publicEntries({ manifest }: WorkspacePackage): readonly string[] {
  const map = asObject(manifest.exports);
  if (map === null || !Object.keys(map).some((key) => key.startsWith('.'))) return [''];
  return Object.keys(map).flatMap((key) => (key.includes('*') ? [] : [key.replace(/^\.\/?/, '')]));
}

/** Finds a file of a package, or the source that a built file is made from. */
export function sourceOf(tree: CodeTree, folder: TreePath, target: string): readonly TreePath[] | null {
  const path = joinRelative(folder, target);
  if (path === null) return null;
  const exact = fileAt(tree, path);
  if (exact !== null && !exact.every((one) => /\.d\.[cm]?ts$/.test(one))) return exact;
  return builtFrom(tree, folder, target.replace(/^\.\//, '')) ?? exact;
}

/**
 * Looks for `dist/esm/a.js` as `src/esm/a`, `src/a`, `esm/a` and `a`, with all endings of sources. Folders in one that a
 * compiler writes to may have any name: `build/modern/a.js`.
 */
function builtFrom(tree: CodeTree, folder: TreePath, target: string): readonly TreePath[] | null {
  const parts = target.split('/');
  if (!BUILT.test(parts[0] ?? '')) return null;
  for (let skipped = 1; skipped < parts.length; skipped += 1) {
    const rest = parts
      .slice(skipped)
      .join('/')
      .replace(/(?:\.d)?\.[cm]?[jt]sx?$/, '')
      .replace(/\.(?:min|prod|esm|cjs|umd)$/, '');
    for (const stem of [`src/${rest}`, rest]) {
      const path = joinRelative(folder, stem);
      const found = path === null ? null : fileAt(tree, path);
      if (found !== null) return found;
    }
  }
  return null;
}

function mainsOf(manifest: WorkspacePackage['manifest']): readonly string[] {
  const fields = [manifest.source, manifest.types, manifest.typings, manifest.module, manifest.main];
  return fields.filter((one) => typeof one === 'string');
}

/** The targets of an entry, in all conditions; null: there is no such entry. */
function targetsOf(map: unknown, key: string): readonly string[] | null {
  const entries = asObject(map);
  const isMap = entries !== null && Object.keys(entries).some((one) => /^[.#]/.test(one));
  if (!isMap) return key === '.' ? conditional(map) : null;
  if (entries[key] !== undefined) return conditional(entries[key]);
  for (const [pattern, value] of Object.entries(entries)) {
    const [before = '', after] = pattern.split('*');
    if (after === undefined || !key.startsWith(before) || !key.endsWith(after)) continue;
    const star = key.slice(before.length, key.length - after.length);
    return conditional(value).map((target) => target.replaceAll('*', star));
  }
  return null;
}

function conditional(value: unknown, depth = 0): readonly string[] {
  if (typeof value === 'string') return [value];
  if (depth > 10) return [];
  if (Array.isArray(value)) return value.flatMap((one) => conditional(one, depth + 1));
  const conditions = asObject(value);
  if (conditions === null) return [];
  const rankOf = (name: string): number => (PREFERRED.indexOf(name) + PREFERRED.length + 1) % (PREFERRED.length + 1);
  return (
    Object.entries(conditions)
      // Of an older TypeScript, such as `types@<=5.0`. Other names may contain `@`: `@scope/condition`.
      .filter(([name]) => !name.startsWith('types@'))
      .sort(([one], [other]) => rankOf(one) - rankOf(other))
      .flatMap(([, target]) => conditional(target, depth + 1))
  );
}
