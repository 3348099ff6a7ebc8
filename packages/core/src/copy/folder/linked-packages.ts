/**
 * Decides which packages of `node_modules` a copy gets as links to those of the real folder.
 *
 * A linked package finds other packages from its real place, so in the real folder. Packages that need a package of the
 * workspace are therefore never linked, nor are packages that need one of these: they would run the code that the copy has
 * changed, as it was. What a package needs is what its `package.json` says, or the links beside it in a store such as
 * `.pnpm`. Tools write into other folders whose name begins with a dot, so these are never linked.
 */

import { readEntireFile } from '../../io/durable-write.ts';
import { type Fs, FsError, isFsError, kindOf, statOf } from '../../io/fs.ts';
import {
  childPath,
  type DiskPath,
  diskChild,
  isInside,
  joinPaths,
  nameOf,
  onDisk,
  parentPath,
  pathComponents,
  type TreePath,
  WORKSPACE_ITSELF,
} from '../../model/names.ts';

export class LinkedPackages {
  readonly #plans = new Map<TreePath, Plan>();

  /** @param isCaptured whether the copy needs files of its own at the path */
  constructor(
    private readonly fs: Fs,
    private readonly root: DiskPath,
    private readonly isCaptured: (path: TreePath) => boolean,
  ) {}

  /** @returns the target of a link that replaces the folder; null: it is copied */
  targetOf(path: TreePath): DiskPath | null {
    const owner = ownerOfPackage(path);
    if (owner === null || this.isCaptured(joinPaths(owner, MODULES))) return null;
    const plan = this.#planOf(owner);
    return plan.isKnown && !plan.copied.has(path) ? onDisk(this.root, path) : null;
  }

  #planOf(owner: TreePath): Plan {
    const known = this.#plans.get(owner);
    if (known !== undefined) return known;
    const above = owner === WORKSPACE_ITSELF ? NO_PLAN : this.#planOf(parentPath(owner));
    const plan = this.#makePlan(joinPaths(owner, MODULES), above);
    this.#plans.set(owner, plan);
    return plan;
  }

  #makePlan(modules: TreePath, above: Plan): Plan {
    const changing = new Set(above.changing);
    const copied = new Set<TreePath>();
    try {
      const packages = [...this.#packagesIn(modules, changing), ...this.#storedPackages(modules, changing)];
      if (changing.size > 0) spread(packages, changing, copied, (one) => this.#needsOf(one));
      return { isKnown: above.isKnown, changing, copied };
    } catch (error) {
      if (!(error instanceof FsError)) throw error;
      return { isKnown: false, changing, copied };
    }
  }

  /** Packages directly in the folder. Names of packages of the workspace are added to `changing`. */
  #packagesIn(modules: TreePath, changing: Set<string>): Package[] {
    const packages: Package[] = [];
    for (const { name, path, kind } of this.#entries(modules)) {
      if (kind === 'link' && this.#leadsIntoSources(path)) changing.add(name);
      if (kind === 'folder') packages.push({ path, names: [name], folders: [path], isChanging: false });
    }
    return packages;
  }

  /** Packages in stores such as `.pnpm`, each in a folder beside links to what it needs. */
  #storedPackages(modules: TreePath, changing: Set<string>): Package[] {
    const packages: Package[] = [];
    for (const store of STORES.map((name) => childPath(modules, nameOf(name)))) {
      for (const { name, path, kind } of this.#entries(store)) {
        if (kind !== 'folder' || name === MODULES) continue;
        const beside = this.#entries(childPath(path, nameOf(MODULES)));
        const own = beside.filter((one) => one.kind === 'folder');
        const isChanging = beside.some((one) => one.kind === 'link' && this.#leadsIntoSources(one.path));
        const names = own.map((one) => one.name);
        if (isChanging) for (const one of names) changing.add(one);
        packages.push({ path, names, folders: own.map((one) => one.path), isChanging });
      }
    }
    return packages;
  }

  /** Everything in a `node_modules` folder or a store, with the contents of scopes in place of the scopes. */
  #entries(folder: TreePath): Entry[] {
    const listing = this.#list(onDisk(this.root, folder));
    return (listing?.names ?? []).flatMap((name, index): Entry[] => {
      const path = childPath(folder, name);
      const kind = kindOf(statOf(listing!, index));
      if (name.startsWith('.')) return [];
      if (!name.startsWith('@') || kind !== 'folder') return [{ name, path, kind }];
      return this.#entries(path).map((one) => ({ ...one, name: `${name}/${one.name}` }));
    });
  }

  /** @returns null if there is no such folder */
  #list(folder: DiskPath) {
    try {
      return this.fs.listWithStats(folder);
    } catch (error) {
      if (isFsError(error, 'ENOENT', 'ENOTDIR', 'ELOOP')) return null;
      throw error;
    }
  }

  #leadsIntoSources(path: TreePath): boolean {
    const target = this.fs.readLink(onDisk(this.root, path));
    const reached = target.startsWith('/') ? target : `${onDisk(this.root, parentPath(path))}/${target}`;
    const normal = normalized(reached);
    if (!isInside(normal, this.root)) return false;
    return !pathComponents(normal.slice(this.root.length + 1) as TreePath).includes(nameOf(MODULES));
  }

  /** @returns null if it is unknown */
  #needsOf({ folders }: Package): ReadonlySet<string> | null {
    const needs = new Set<string>();
    return folders.every((folder) => this.#addNeeds(onDisk(this.root, folder), needs)) ? needs : null;
  }

  /** Also those of the packages inside, which find others in the same places. */
  #addNeeds(folder: DiskPath, needs: Set<string>): boolean {
    try {
      const json: unknown = JSON.parse(
        readEntireFile(this.fs, diskChild(folder, 'package.json'), MAX_BYTES).toString(),
      );
      for (const list of NEEDS) {
        const named = (json as Readonly<Record<string, unknown>> | null)?.[list];
        if (typeof named === 'object' && named !== null) for (const name of Object.keys(named)) needs.add(name);
      }
    } catch (error) {
      if (error instanceof FsError || error instanceof SyntaxError) return false;
      throw error;
    }
    const inside = diskChild(folder, MODULES);
    const listing = this.#list(inside);
    return (listing?.names ?? []).every((name, index) => {
      if (name.startsWith('.') || kindOf(statOf(listing!, index)) !== 'folder') return true;
      const path = diskChild(inside, name);
      if (!name.startsWith('@')) return this.#addNeeds(path, needs);
      return (this.#list(path)?.names ?? []).every((scoped) => this.#addNeeds(diskChild(path, scoped), needs));
    });
  }
}

const MODULES = 'node_modules' as TreePath;
/** Where package managers keep packages beside links to what they need: pnpm, yarn, bun, deno. */
const STORES = ['.pnpm', '.store', '.bun', '.deno'];
/** Packages need those of `devDependencies` only while they are built. */
const NEEDS = ['dependencies', 'optionalDependencies', 'peerDependencies'];
const MAX_BYTES = 1 << 20;

interface Entry {
  /** With the scope. */
  readonly name: string;
  readonly path: TreePath;
  readonly kind: ReturnType<typeof kindOf>;
}

/** What is linked or copied as a whole. */
interface Package {
  readonly path: TreePath;
  readonly names: readonly string[];
  /** The folders of `names`. */
  readonly folders: readonly TreePath[];
  readonly isChanging: boolean;
}

/** For one `node_modules` folder. */
interface Plan {
  /** False if a folder could not be read: then everything is copied. */
  readonly isKnown: boolean;
  /** Names of packages whose code may change in a copy. */
  readonly changing: ReadonlySet<string>;
  readonly copied: ReadonlySet<TreePath>;
}

const NO_PLAN: Plan = { isKnown: true, changing: new Set(), copied: new Set() };

/** @returns the folder that contains the `node_modules` of a package that may be linked; null for other paths */
function ownerOfPackage(path: TreePath): TreePath | null {
  const names: readonly string[] = pathComponents(path);
  const at = names.indexOf(MODULES);
  const [first = '', second, ...deeper] = at < 0 ? [] : names.slice(at + 1);
  const owner = names.slice(0, Math.max(at, 0)).join('/') as TreePath;
  if (first === '' || deeper.length > 0) return null;
  if (second === undefined) return first.startsWith('.') || first.startsWith('@') ? null : owner;
  const isStored = STORES.includes(first) && second !== MODULES;
  return isStored || first.startsWith('@') ? owner : null;
}

/** Adds the packages that must be copied, until no other needs one of them. */
function spread(
  packages: readonly Package[],
  changing: Set<string>,
  copied: Set<TreePath>,
  needsOf: (one: Package) => ReadonlySet<string> | null,
): void {
  const needs = new Map(packages.map((one) => [one, needsOf(one)]));
  const mustCopy = (one: Package): boolean => {
    const needed = needs.get(one) ?? null;
    return one.isChanging || needed === null || [...needed].some((name) => changing.has(name));
  };
  for (let found = packages.filter(mustCopy); found.length > 0; ) {
    for (const { path, names } of found) {
      copied.add(path);
      for (const name of names) changing.add(name);
    }
    found = packages.filter((one) => !copied.has(one.path) && mustCopy(one));
  }
}

function normalized(path: string): DiskPath {
  const names: string[] = [];
  for (const name of path.split('/')) {
    if (name === '..') names.pop();
    else if (name !== '' && name !== '.') names.push(name);
  }
  return `/${names.join('/')}` as DiskPath;
}
