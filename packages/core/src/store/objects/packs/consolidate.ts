/**
 * Merges packs and drops dead objects. Invariants (K…):
 *
 * K1 A file is removed only after every wanted object in it was verified. It was either read back from a file that
 *    stays, or verified while it was copied to a new pack that is durable.
 * K2 A pack or file with a wanted object that has no intact copy anywhere is not removed.
 * K3 Work is done in groups, each finished before the next begins. Stopping between any two steps leaves at worst
 *    duplicate objects, which the next run finds. A group writes at most twice the size of a full pack.
 * K4 A new pack may be identical to an old one: the same objects in the same order give the same name. It stays. Packs
 *    are distinguished by path, not by instance.
 * K5 Renames of a dead process may not be durable yet. They are made durable before anything is removed because of
 *    them.
 */

import { syncFolder } from '../../../io/durable-write.ts';
import { isFsError } from '../../../io/fs.ts';
import { removeIfExists } from '../../../io/if-exists.ts';
import type { Pace } from '../../../io/pace.ts';
import type { ObjectId } from '../../../model/ids.ts';
import type { DiskPath } from '../../../model/names.ts';
import { isDamage } from '../damage.ts';
import { PACK_BYTES } from '../limits.ts';
import type { ObjectFiles } from '../object-files.ts';
import type { ObjectSource } from '../pieces.ts';
import { copyEntry, copySource } from './entry-copy.ts';
import { linkedPacks } from './link-replacement.ts';
import type { PackFile } from './pack-file.ts';
import { indexPathOf } from './pack-names.ts';
import { removePacks } from './pack-removal.ts';
import { type SurveyedPack, surveyPacks } from './pack-survey.ts';
import { PackWriter } from './pack-writer.ts';

/** Returns false for an object that is not needed. True or null (unknown) keeps the object. */
export type IsLive = (id: ObjectId) => boolean | null;

export interface ConsolidateOptions {
  /** If it is absent, nothing is dropped: only small packs and loose objects are merged. */
  readonly live?: IsLive | null;
  /**
   * Merges only the smallest packs, as many as together have at least half the size of the next larger one. If this
   * runs often, an object is rewritten only when the amount of data has doubled. Default false: all packs.
   */
  readonly smallest?: boolean;
  readonly pace: Pace;
  /** Fraction of a pack, 0 to 1, that may be waste before the pack is rewritten. Default 0. */
  readonly toleratedWaste?: number;
  /**
   * Bytes at which a new pack is full; packs below half of it are small. Default: the size of Savepoint's own packs.
   */
  readonly packBytes?: number;
  /** Also rewrites packs that exceed the usual limit for disk space (K3), because dead objects must be removed. */
  readonly anySize?: boolean;
  /** Called before files are removed. It throws if the store's lock was lost; then the files stay. */
  readonly assertHeld?: () => void;
}

export interface ConsolidateResult {
  /** Of packs, indexes and loose objects. */
  readonly bytesBefore: number;
  readonly bytesAfter: number;
  readonly packsBefore: number;
  readonly packsAfter: number;
  readonly objectsDropped: number;
  readonly looseFolded: number;
  /** Packs that contain waste but are too large to be rewritten within the limit for disk space. */
  readonly tooLarge: readonly { readonly file: DiskPath; readonly waste: number }[];
  /** Wanted objects without an intact copy; their files stay. */
  readonly damaged: readonly { readonly file: DiskPath; readonly object: ObjectId }[];
}

const NONE: ReadonlySet<DiskPath> = new Set();

/** The caller holds the store's lock, and `live` covers everything that refs, journals and plans refer to. */
export async function consolidate(files: ObjectFiles, options: ConsolidateOptions): Promise<ConsolidateResult> {
  return await new Consolidation(files, options).run();
}

class Consolidation {
  readonly #files: ObjectFiles;
  readonly #pace: Pace;
  readonly #toleratedWaste: number;
  readonly #packBytes: number;
  readonly #anySize: boolean;
  readonly #smallest: boolean;
  readonly #assertHeld: () => void;
  readonly #isLive: (id: ObjectId) => boolean;
  readonly #dropped = new Set<ObjectId>();
  readonly #damaged: { file: DiskPath; object: ObjectId }[] = [];
  #looseFolded = 0;
  #done = 0;

  constructor(files: ObjectFiles, options: ConsolidateOptions) {
    const { live, pace, toleratedWaste: tolerated, packBytes, anySize, smallest, assertHeld } = options;
    this.#smallest = smallest ?? false;
    this.#files = files;
    this.#pace = pace;
    this.#toleratedWaste = tolerated ?? 0;
    this.#packBytes = packBytes ?? PACK_BYTES;
    this.#anySize = anySize ?? false;
    this.#assertHeld = assertHeld ?? (() => {});
    this.#isLive = live ? (id) => live(id) !== false : () => true;
  }

  async run(): Promise<ConsolidateResult> {
    const files = this.#files;
    syncFolder(files.fs, files.packs.folder); // K5
    files.refresh();
    const before = this.#measure();
    await this.#foldLoose();
    const packs = this.#smallest ? smallestOf(withoutLinked(files)) : files.packs.packs;
    const surveyed = await surveyPacks(files, packs, this.#isLive, () => this.#step());
    const { groups, tooLarge } = this.#plan(surveyed);
    for (const group of groups) {
      await this.#rewrite(group);
      files.refresh();
    }
    const after = this.#measure();
    return {
      bytesBefore: before.bytes,
      bytesAfter: after.bytes,
      packsBefore: before.packs,
      packsAfter: after.packs,
      objectsDropped: this.#dropped.size,
      looseFolded: this.#looseFolded,
      tooLarge,
      damaged: this.#damaged,
    };
  }

  /** Selects the packs to rewrite, and groups them. */
  #plan(surveyed: readonly SurveyedPack[]): {
    readonly groups: readonly (readonly PackFile[])[];
    readonly tooLarge: readonly { readonly file: DiskPath; readonly waste: number }[];
  } {
    const wasteful = ({ pack, waste }: SurveyedPack): boolean => waste > this.#toleratedWaste * pack.size;
    const chosen = surveyed.filter((each) => each.pack.size < this.#packBytes / 2 || wasteful(each));
    const most = this.#anySize ? Number.POSITIVE_INFINITY : 2 * this.#packBytes; // K3
    const fits = chosen.filter(({ kept }) => kept <= most).sort((a, b) => a.kept - b.kept);
    const groups: SurveyedPack[][] = [];
    let bytes = Number.POSITIVE_INFINITY;
    for (const each of fits) {
      if (bytes + each.kept > this.#packBytes) {
        groups.push([]);
        bytes = 0;
      }
      groups.at(-1)?.push(each);
      bytes += each.kept;
    }
    return {
      // A single pack without waste would be rewritten unchanged.
      groups: groups
        .filter((group) => group.length > 1 || group.some(wasteful))
        .map((group) => group.map(({ pack }) => pack)),
      tooLarge: chosen
        .filter((each) => each.kept > most && each.waste > 0)
        .map(({ pack, waste }) => ({ file: pack.path, waste })),
    };
  }

  async #rewrite(group: readonly PackFile[]): Promise<void> {
    const paths = new Set(group.map(({ path }) => path));
    const writer = this.#writer();
    try {
      const damagedObjects: { readonly pack: PackFile; readonly id: ObjectId }[] = [];
      for (const pack of group) {
        for (const place of pack.index.positionsInPackOrder()) {
          await this.#step();
          const id = pack.index.idAt(place);
          if (writer.has(id)) continue;
          if (!this.#isLive(id)) this.#dropped.add(id);
          else if (this.#isReadableElsewhere(id, paths)) continue;
          else if (!(await this.#tryCopy(pack, place, writer))) damagedObjects.push({ pack, id });
        }
      }
      const published = new Set((await writer.publish()).map(({ path }) => path));
      const lost = damagedObjects.filter(({ id }) => !writer.has(id) && !this.#isLooseReadable(id));
      for (const { pack, id } of lost) this.#damaged.push({ file: pack.path, object: id });
      const keptPacks = new Set(lost.map(({ pack }) => pack)); // K2
      this.#assertHeld();
      removePacks(
        this.#files,
        group.filter((pack) => !keptPacks.has(pack) && !published.has(pack.path)), // K4
      );
    } catch (error) {
      writer.abandon();
      throw error;
    }
  }

  async #foldLoose(): Promise<void> {
    const { loose } = this.#files;
    let writer = this.#writer();
    let folded: DiskPath[] = [];
    let bytes = 0;
    const publish = async (): Promise<void> => {
      if (folded.length === 0) return;
      await writer.publish();
      this.#assertHeld();
      for (const path of folded) removeIfExists(this.#files.fs, path);
      this.#looseFolded += folded.length;
      folded = [];
      bytes = 0;
      writer = this.#writer();
    };
    try {
      for (const { id, path, size } of [...loose.list()]) {
        await this.#step();
        if (!this.#isLive(id)) {
          this.#dropped.add(id);
          this.#assertHeld();
          removeIfExists(this.#files.fs, path);
        } else if (this.#isReadableElsewhere(id, NONE) || this.#tryPack(id, writer)) {
          folded.push(path);
          bytes += size;
          if (bytes > this.#packBytes) await publish();
        } else {
          this.#damaged.push({ file: path, object: id });
        }
      }
      await publish();
    } catch (error) {
      writer.abandon();
      throw error;
    }
    for (const { path } of [...loose.folders()]) this.#removeEmptyFolder(path);
    this.#files.refresh();
  }

  async #tryCopy(pack: PackFile, place: number, writer: PackWriter): Promise<boolean> {
    try {
      await copyEntry(pack, place, writer, () => this.#step());
      return true;
    } catch (error) {
      if (isDamage(error)) return false;
      throw error;
    }
  }

  #tryPack(id: ObjectId, writer: PackWriter): boolean {
    return this.#isReadable(() => {
      const source = this.#files.loose.open(id);
      // The file disappeared after it was listed: git moved the object into a pack.
      if (source !== null) copySource(id, source, writer);
    });
  }

  /** K1: being listed is not enough, the copy must be readable. */
  #isReadableElsewhere(id: ObjectId, group: ReadonlySet<DiskPath>): boolean {
    for (const { pack, place } of this.#files.packs.findAll(id)) {
      if (!group.has(pack.path) && this.#isReadable(() => readThrough(pack.pieces(place)))) return true;
    }
    return false;
  }

  #isLooseReadable(id: ObjectId): boolean {
    return this.#files.loose.has(id) && this.#isReadable(() => readThrough(this.#files.loose.open(id)));
  }

  #isReadable(action: () => void): boolean {
    try {
      action();
      return true;
    } catch (error) {
      if (isDamage(error)) return false;
      throw error;
    }
  }

  #measure(): { readonly bytes: number; readonly packs: number } {
    const { fs, packs, loose } = this.#files;
    let bytes = 0;
    for (const { path, size } of packs.packs) {
      bytes += size + (fs.lstat(indexPathOf(path))?.size ?? 0);
    }
    for (const { size } of loose.list()) bytes += size;
    return { bytes, packs: packs.packs.length };
  }

  #removeEmptyFolder(path: DiskPath): void {
    try {
      this.#files.fs.removeFolder(path);
    } catch (error) {
      if (!isFsError(error, 'ENOTEMPTY', 'EEXIST', 'ENOENT')) throw error;
    }
  }

  #writer(): PackWriter {
    return new PackWriter(this.#files.ports, this.#files.handles, this.#files.packs.folder, this.#packBytes);
  }

  async #step(): Promise<void> {
    this.#done++;
    if (this.#pace.isDue()) await this.#pace.yieldNow({ phase: 'clean-up', done: this.#done, total: null });
  }
}

/** They are mostly history, and link-replacement.ts removes them. */
function withoutLinked(files: ObjectFiles): readonly PackFile[] {
  const linked = new Set(linkedPacks(files));
  return files.packs.packs.filter((pack) => !linked.has(pack));
}

/** See {@link ConsolidateOptions.smallest}. */
function smallestOf(packs: readonly PackFile[]): readonly PackFile[] {
  const rising = [...packs].sort((a, b) => a.size - b.size);
  const chosen: PackFile[] = [];
  let bytes = 0;
  for (const pack of rising) {
    if (chosen.length > 1 && bytes * 2 < pack.size) break;
    chosen.push(pack);
    bytes += pack.size;
  }
  return chosen;
}

/** Verifies an object, and closes its source. */
function readThrough(source: ObjectSource | null): void {
  try {
    while (source !== null && source.next() !== null);
  } finally {
    source?.close();
  }
}
