/** The packages of the workspace, by their names. */

import { baseName, joinPaths, parentPath, type TreePath } from '../../../../model/names.ts';
import type { CodeTree } from '../../../language.ts';
import { asObject, type JsonObject, readJson, strings } from './json.ts';

export interface WorkspacePackage {
  readonly folder: TreePath;
  readonly manifest: JsonObject;
}

export class WorkspacePackages {
  readonly #tree: CodeTree;
  #byName: ReadonlyMap<string, WorkspacePackage> | null = null;
  readonly #nearest = new Map<TreePath, WorkspacePackage | null>();

  constructor(tree: CodeTree) {
    this.#tree = tree;
  }

  /** The package that an import without `./` names, with the rest of the import; null: it is none of the workspace. */
  named(from: string, importer: TreePath): { readonly package: WorkspacePackage; readonly rest: string } | null {
    const parts = from.split('/');
    const length = from.startsWith('@') ? 2 : 1;
    const name = parts.slice(0, length).join('/');
    const rest = parts.slice(length).join('/');
    const own = this.nearest(parentPath(importer));
    if (own?.manifest.name === name) return { package: own, rest };
    this.#byName ??= packagesOf(this.#tree);
    const found = this.#byName.get(name);
    return found === undefined ? null : { package: found, rest };
  }

  /** The package that a folder belongs to; null: none. */
  nearest(folder: TreePath): WorkspacePackage | null {
    let found = this.#nearest.get(folder);
    if (found === undefined) {
      const manifest = readJson(this.#tree, joinPaths(folder, 'package.json' as TreePath));
      found = manifest !== null ? { folder, manifest } : folder === '' ? null : this.nearest(parentPath(folder));
      this.#nearest.set(folder, found);
    }
    return found;
  }

  /** All packages of the workspace that have a name. */
  all(): readonly WorkspacePackage[] {
    this.#byName ??= packagesOf(this.#tree);
    return [...this.#byName.values()];
  }
}

function packagesOf(tree: CodeTree): ReadonlyMap<string, WorkspacePackage> {
  const packages = new Map<string, WorkspacePackage>();
  const add = (folder: TreePath): void => {
    const manifest = readJson(tree, joinPaths(folder, 'package.json' as TreePath));
    const name = manifest?.name;
    if (manifest !== null && typeof name === 'string' && !packages.has(name)) packages.set(name, { folder, manifest });
  };
  add('' as TreePath);
  const isMember = memberTest(workspaceGlobs(tree));
  for (const path of tree.files.keys()) {
    if (baseName(path) !== 'package.json' || path.includes('node_modules/')) continue;
    if (isMember(parentPath(path))) add(parentPath(path));
  }
  return packages;
}

/** The patterns of all files that declare members of a workspace, with their folders in front. */
function workspaceGlobs(tree: CodeTree): readonly string[] {
  const globs: string[] = [];
  for (const path of tree.files.keys()) {
    const name = baseName(path);
    if (name !== 'package.json' && name !== 'pnpm-workspace.yaml') continue;
    // A project of several parts may have a workspace in a folder, such as `frontend/`.
    if (path.split('/').length > 2) continue;
    const folder = parentPath(path);
    const add = (glob: string): void => {
      const isNot = glob.startsWith('!');
      const inside = glob.replace(/^!/, '').replace(/^\.\//, '').replace(/\/$/, '');
      globs.push(`${isNot ? '!' : ''}${folder === '' ? inside : `${folder}/${inside}`}`);
    };
    if (name === 'pnpm-workspace.yaml') for (const glob of pnpmGlobs(tree.read(path))) add(glob);
    if (name !== 'package.json') continue;
    const declared = readJson(tree, path)?.workspaces;
    for (const glob of strings(asObject(declared)?.packages ?? declared)) add(glob);
  }
  return globs;
}

function pnpmGlobs(bytes: Uint8Array | null): readonly string[] {
  const list = /^packages:[^\n]*\n((?:[ \t]*(?:-[^\n]*|#[^\n]*)?\n?)*)/m.exec(
    new TextDecoder().decode(bytes ?? undefined),
  );
  return [...(list?.[1] ?? '').matchAll(/^[ \t]*-[ \t]*(?:'([^']*)'|"([^"]*)"|([^\s#]+))/gm)].map(
    ([, single, double, plain]) => single ?? double ?? plain ?? '',
  );
}

function memberTest(globs: readonly string[]): (folder: TreePath) => boolean {
  const yes = globs.filter((glob) => !glob.startsWith('!')).map(globTest);
  const no = globs.filter((glob) => glob.startsWith('!')).map((glob) => globTest(glob.slice(1)));
  return (folder) => yes.some((test) => test.test(folder)) && !no.some((test) => test.test(folder));
}

function globTest(glob: string): RegExp {
  const source = glob.replace(/\*\*\/?|\*|\?|\{[^{}]*\}|[^*?{}]+|[{}]/g, (part) => {
    if (part === '**/') return '(?:.*/)?';
    if (part === '**') return '.*';
    if (part === '*') return '[^/]*';
    if (part === '?') return '[^/]';
    if (part.startsWith('{') && part.endsWith('}')) return `(?:${part.slice(1, -1).split(',').map(escaped).join('|')})`;
    return escaped(part);
  });
  return new RegExp(`^${source}$`);
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
