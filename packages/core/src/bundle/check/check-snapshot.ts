/**
 * Validates both trees of each checkpoint in an untrusted bundle, and counts how large they are when restored. A tree
 * that occurs a thousand times is validated once, but counted a thousand times.
 */

import type { Pace } from '../../io/pace.ts';
import type { Ports } from '../../io/ports.ts';
import type { Snapshot } from '../../model/entries.ts';
import { type CheckpointId, EMPTY_TREE, type ObjectId } from '../../model/ids.ts';
import { childPath, type Name, type TreePath, WORKSPACE_ITSELF } from '../../model/names.ts';
import { FormatProblem } from '../../store/objects/damage.ts';
import type { ObjectType } from '../../store/objects/object-reader.ts';
import { NOTE_NAME, nameFromSide } from '../../store/snapshot/side.ts';
import { checkNote } from './check-note.ts';
import { type CheckedEntry, checkPlainName, checkTree, fileNameChecker, TreeProblem } from './check-tree.ts';
import type { BundleLimits } from './limits.ts';
import type { BundleObjects } from './objects.ts';
import { type BundleLocation, bundleIncomplete, bundleRefused } from './refusal.ts';

/** Totals of a folder and everything below it. */
interface Extent {
  readonly paths: number;
  readonly bytes: number;
  readonly depth: number;
  /** Length in bytes of the longest path below the folder. */
  readonly longest: number;
}

const EMPTY: Extent = { paths: 0, bytes: 0, depth: 0, longest: 0 };
/** No system resolves a link whose target is longer. */
const MAX_TARGET_BYTES = 4095;

export class SnapshotChecker {
  readonly #extents = new Map<string, Extent>();
  readonly #fileNames: (name: string) => string | null;
  #checkpoint: CheckpointId | null = null;

  constructor(
    private readonly objects: BundleObjects,
    platform: Ports['platform'],
    private readonly limits: BundleLimits,
    private readonly pace: Pace,
  ) {
    this.#fileNames = fileNameChecker(platform);
  }

  /** @throws SavepointError BUNDLE_REFUSED, BUNDLE_INCOMPLETE */
  async check(checkpoint: CheckpointId, { files, side }: Snapshot): Promise<void> {
    this.#checkpoint = checkpoint;
    const extent = await this.#folder(files, side === EMPTY_TREE ? null : side, WORKSPACE_ITSELF, 0);
    this.#assertWithinLimit(extent.longest > this.limits.pathBytes, `has a path of ${extent.longest} bytes`, {
      object: files,
    });
  }

  async #folder(files: ObjectId, side: ObjectId | null, path: TreePath, level: number): Promise<Extent> {
    const key = `${files} ${side}`;
    const known = this.#extents.get(key);
    if (known !== undefined) return known;
    this.#assertWithinLimit(level > this.limits.treeDepth, `has folders ${level} deep`, { object: files, path });
    if (this.pace.isDue()) await this.pace.yieldNow({ phase: 'import', done: this.#extents.size, total: null });
    const entries = this.#tree(files, path, this.#fileNames);
    const sides = side === null ? NO_SIDES : this.#side(side, entries, path);
    let extent = EMPTY;
    for (const entry of entries) {
      const at = childPath(path, entry.name);
      this.#assertWithinLimit(at.length > this.limits.pathBytes, `has a path of ${at.length} bytes`, { path: at });
      const below =
        entry.kind === 'folder'
          ? await this.#folder(entry.id, sides.get(entry.name) ?? null, at, level + 1)
          : this.#content(entry, at);
      extent = {
        paths: extent.paths + 1 + below.paths,
        bytes: extent.bytes + below.bytes,
        depth: Math.max(extent.depth, below.depth + 1),
        longest: Math.max(extent.longest, entry.name.length + (below.longest === 0 ? 0 : 1 + below.longest)),
      };
      const where = { object: files, path };
      this.#assertWithinLimit(extent.paths > this.limits.paths, `expands to ${extent.paths} paths`, where);
      this.#assertWithinLimit(extent.bytes > this.limits.expandedBytes, `expands to ${extent.bytes} bytes`, where);
      this.#assertWithinLimit(extent.depth > this.limits.treeDepth, `has folders ${extent.depth} deep`, where);
    }
    this.#extents.set(key, extent);
    this.#assertWithinLimit(this.#extents.size > this.limits.objects, `has ${this.#extents.size} folders`, {
      object: files,
    });
    return extent;
  }

  #content(entry: CheckedEntry, path: TreePath): Extent {
    const { size } = this.#info(entry.id, 'blob', path);
    if (entry.kind === 'file') return { ...EMPTY, bytes: size };
    const place = { ...this.#location(path), object: entry.id };
    if (size === 0 || size > MAX_TARGET_BYTES) throw bundleRefused('has a link without a target', place);
    if (this.objects.read(entry.id).data.includes(0)) throw bundleRefused('has a link without a target', place);
    return EMPTY;
  }

  #tree(id: ObjectId, path: TreePath, names: (name: string) => string | null): readonly CheckedEntry[] {
    if (id === EMPTY_TREE) return [];
    this.#info(id, 'tree', path);
    try {
      return checkTree(this.objects.read(id).data, names);
    } catch (error) {
      if (!(error instanceof TreeProblem)) throw error;
      const at = error.entry === null ? path : path === '' ? error.entry : `${path}/${error.entry}`;
      throw bundleRefused(`has a tree that ${error.why}`, { ...this.#location(at), object: id }, error);
    }
  }

  /** Validates the side tree of a folder. Returns the side trees of its subfolders. */
  #side(id: ObjectId, entries: readonly CheckedEntry[], path: TreePath): ReadonlyMap<Name, ObjectId> {
    const kinds = new Map<string, CheckedEntry['kind']>(entries.map(({ name, kind }) => [name, kind]));
    const sides = new Map<Name, ObjectId>();
    for (const { name, kind, id: inner } of this.#tree(id, path, checkPlainName)) {
      const place = { ...this.#location(path), object: id };
      if (name === NOTE_NAME) {
        if (kind !== 'file') throw bundleRefused('has a note that is not a file', place);
        this.#note(inner, kinds, path);
        continue;
      }
      const folder = nameFromSide(name);
      if (kind !== 'folder' || kinds.get(folder) !== 'folder' || (name !== folder && !folder.startsWith('%'))) {
        throw bundleRefused('describes a folder that it does not have', place);
      }
      sides.set(folder, inner);
    }
    return sides;
  }

  #note(id: ObjectId, kinds: ReadonlyMap<string, CheckedEntry['kind']>, path: TreePath): void {
    const place = { ...this.#location(path), object: id };
    const { size } = this.#info(id, 'blob', path);
    this.#assertWithinLimit(size > this.limits.recordBytes, `has a note of ${size} bytes`, place);
    try {
      checkNote(
        this.objects.read(id).data,
        (name) => kinds.get(name) === 'file',
        (name) => kinds.has(name),
      );
    } catch (error) {
      if (!(error instanceof FormatProblem)) throw error;
      throw bundleRefused(`has a note that ${error.message}`, place, error);
    }
  }

  #info(id: ObjectId, wanted: ObjectType, path: TreePath): { readonly size: number } {
    const place = { ...this.#location(path), object: id };
    const info = this.objects.info(id);
    if (info === null)
      throw this.objects.isFull
        ? bundleRefused('lacks an object', place)
        : bundleIncomplete('needs an object that this store does not have', place);
    if (info.type !== wanted) throw bundleRefused(`has a ${info.type} where a ${wanted} should be`, place);
    this.objects.markNeeded(id);
    return info;
  }

  #assertWithinLimit(isBroken: boolean, what: string, place: BundleLocation): void {
    if (isBroken) throw bundleRefused(`${what}, which exceeds the limit`, { ...this.#location(null), ...place });
  }

  #location(path: string | null): BundleLocation {
    return {
      ...(this.#checkpoint === null ? {} : { checkpoint: this.#checkpoint }),
      ...(path === null ? {} : { path }),
    };
  }
}

const NO_SIDES: ReadonlyMap<Name, ObjectId> = new Map();
