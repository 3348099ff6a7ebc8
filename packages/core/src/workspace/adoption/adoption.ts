/**
 * Contents that the user's repositories have already are taken over, so that a first checkpoint need not read, hash and
 * compress every file.
 *
 * A file is taken to be a blob only when the repository's index vouches for it (vouched.ts) and nothing can have
 * converted its bytes on their way into the blob; in any doubt it is read. What is taken over:
 * A1 The object is in a pack of the repository's own. What is loose would have to be inflated and compressed anew, which is
 *    no cheaper than reading the file; what is borrowed from other repositories is read.
 * A2 No filter, encoding or keyword applies: no attribute file on the way to the path, nor the repository's, the person's
 *    and the system's own, names such an attribute for it.
 * A3 The blob is as long as the file. Where only ends of lines can have been converted, that proves that they were not:
 *    on its way in, such a conversion takes bytes away and adds none.
 * A4 The repository is as git leaves it: no replaced objects, no files elsewhere, no extension that is not known.
 * A5 Whatever cannot be read or understood leads to the files being read; it is never a failure.
 */

import { ANY_CONVERSION, attributeRules } from '../../git/attributes.ts';
import { Unusable } from '../../git/file.ts';
import { FsError, type ListedStat } from '../../io/fs.ts';
import type { Pace } from '../../io/pace.ts';
import type { Ports } from '../../io/ports.ts';
import type { ObjectId } from '../../model/ids.ts';
import {
  ATTRIBUTES_FILE,
  childPath,
  type DiskPath,
  diskChild,
  joinPaths,
  namesIn,
  parentPath,
  pathFrom,
  type TreePath,
  WORKSPACE_ITSELF,
} from '../../model/names.ts';
import { FormatProblem, isDamage } from '../../store/objects/damage.ts';
import { ForeignPacks, type WantedPack } from '../../store/objects/packs/foreign-packs.ts';
import type { TakingBatch } from '../../store/objects/taking-batch.ts';
import type { EnteredRepository } from '../scan/position.ts';
import { type Adoptable, adoptable, type ReachingRules } from './adoptable.ts';
import { isVouchedFor } from './vouched.ts';

/** Of a folder: what vouches for the files in it, and which attributes reach them. */
interface Reach {
  readonly repository: Adoptable;
  /** The folder in the workspace at which the walk entered the repository. */
  readonly entered: TreePath;
  readonly rules: readonly ReachingRules[];
}

/** A pack is taken whole when at least one in so many of its objects is wanted: each costs whoever opens the store. */
const MOST_UNWANTED = 8;
/** Shared blocks cost nothing before they are rewritten; still a store is held to its limit by the length of its files. */
const MOST_CLONED = 8;

export class Adoption {
  readonly #entered = new Map<TreePath, Adoptable | null>();
  readonly #reaches = new Map<TreePath, Reach | null>();
  readonly #packs = new Map<DiskPath, ForeignPacks | null>();
  #hasWholePacks = false;
  #lastFolder = WORKSPACE_ITSELF;

  /** @param person files of attributes that count in every repository */
  constructor(
    private readonly ports: Ports,
    private readonly person: readonly DiskPath[],
  ) {}

  /** The walk comes to a repository's folder, or to the workspace's that a repository encloses. */
  enter(path: TreePath, disk: DiskPath, repository: EnteredRepository): void {
    const packsOf = (objects: DiskPath): ForeignPacks | null => {
      const known = this.#packs.get(objects);
      if (known !== undefined) return known;
      const packs = ForeignPacks.open(this.ports.fs, objects);
      this.#packs.set(objects, packs);
      return packs;
    };
    const found = orDoubt(() => adoptable(this.ports.fs, disk, repository, this.person, packsOf));
    this.#entered.set(path, found);
  }

  /**
   * The blob that a file certainly is, which is taken over then; null where the file has to be read.
   * @param stat of the file, as it is now
   */
  idOf(path: TreePath, stat: ListedStat): ObjectId | null {
    try {
      const reach = this.#reachOf(this.#folderOf(path));
      if (reach === null) return null;
      const { repository } = reach;
      const from = fromTop(reach, path);
      const entry = repository.tracked.entry(from);
      if (entry === null || !isVouchedFor(entry, stat, repository.writtenSeconds)) return null;
      if (mayBeConverted(reach.rules, from)) return null; // A2
      const id = entry.id as ObjectId;
      return repository.packs.want(id, stat.size) ? id : null; // A1, A3
    } catch (error) {
      if (!isDoubt(error)) throw error;
      return null;
    }
  }

  /** Mostly the one that was asked about before. */
  #folderOf(path: TreePath): TreePath {
    const last = this.#lastFolder;
    const isSame = path.lastIndexOf('/') === last.length && path.startsWith(last);
    if (!isSame) this.#lastFolder = parentPath(path);
    return this.#lastFolder;
  }

  /** Whether a tree that a snapshot consists of is among what can be taken over; it is, then. */
  bringsTree(id: ObjectId): boolean {
    return orDoubt(() => [...this.#packs.values()].some((packs) => packs?.wantTree(id) === true)) ?? false;
  }

  /**
   * Brings everything that was taken over into the batch.
   * @returns false when that is not possible: the batch is of no use then, and all files have to be read
   */
  async bringOver(batch: TakingBatch, pace: Pace): Promise<boolean> {
    const step = async (): Promise<void> => {
      if (pace.due()) await pace.breathe({ phase: 'scan', done: 0, total: null });
    };
    try {
      for (const packs of this.#packs.values()) {
        for (const wanted of packs?.wanted() ?? []) {
          if (await takeWhole(batch, wanted)) this.#hasWholePacks = true;
          else await batch.copyObjects(wanted.pack, wanted.places, step);
        }
      }
      return true;
    } catch (error) {
      if (!isDoubt(error)) throw error;
      return false;
    }
  }

  /** Objects were taken over that nobody has read. */
  get isUnread(): boolean {
    return this.#hasWholePacks;
  }

  close(): void {
    for (const packs of this.#packs.values()) packs?.close();
    this.#packs.clear();
    this.#entered.clear();
    this.#reaches.clear();
  }

  #reachOf(folder: TreePath): Reach | null {
    const known = this.#reaches.get(folder);
    if (known !== undefined) return known;
    const reach = this.#findReach(folder);
    this.#reaches.set(folder, reach);
    return reach;
  }

  #findReach(folder: TreePath): Reach | null {
    const repository = this.#entered.get(folder);
    if (repository === null) return null;
    if (repository !== undefined) {
      const top: Reach = { repository, entered: folder, rules: repository.rules };
      return foldersDownTo(repository.inside).reduce((reach, path) => this.#withRulesIn(reach, path), top);
    }
    const above = folder === '' ? null : this.#reachOf(parentPath(folder));
    return above === null ? null : this.#withRulesIn(above, fromTop(above, folder));
  }

  /** @param folder from the repository's */
  #withRulesIn(reach: Reach, folder: TreePath): Reach {
    const { top, tracked } = reach.repository;
    const name = childPath(folder, ATTRIBUTES_FILE);
    const file = diskChild(top, name);
    const isThere = this.ports.fs.lstat(file) !== null;
    // git reads it from the index where it is not on the disk.
    const rules = isThere ? attributeRules(this.ports.fs, file) : tracked.has(name) ? ANY_CONVERSION : null;
    if (rules === null) return reach;
    return { ...reach, rules: [...reach.rules, { ...rules, folder: folder === '' ? '' : `${folder}/` }] };
  }
}

/** @param path of the workspace @returns from the repository's folder */
function fromTop({ repository: { inside }, entered }: Reach, path: TreePath): TreePath {
  return joinPaths(inside, pathFrom(entered, path));
}

/** '' first, `path` last. */
function foldersDownTo(path: TreePath): readonly TreePath[] {
  const folders = [WORKSPACE_ITSELF];
  for (const name of namesIn(path)) folders.push(childPath(folders.at(-1) ?? WORKSPACE_ITSELF, name));
  return folders;
}

function mayBeConverted(rules: readonly ReachingRules[], path: TreePath): boolean {
  return rules.some(({ content, folder }) => {
    if (content === null || !path.startsWith(folder)) return false;
    return content === 'all' || content.ignores(path.slice(folder.length));
  });
}

async function takeWhole(batch: TakingBatch, { pack, file, places, bytes }: WantedPack): Promise<boolean> {
  if (pack.index.count > MOST_UNWANTED * places.length || pack.size > batch.room) return false;
  const ways: ('clone' | 'copy')[] = [];
  if (pack.size <= MOST_CLONED * bytes) ways.push('clone');
  // A byte is copied in far less time than it is read, hashed and compressed in; and the store gets no larger than the files.
  if (pack.size <= bytes) ways.push('copy');
  for (const how of ways) {
    try {
      return await batch.takePack(file, pack.index, how);
    } catch (error) {
      if (!isDoubt(error)) throw error;
    }
  }
  return false;
}

/** What the disk holds, and not what we did wrong. */
function isDoubt(error: unknown): boolean {
  return error instanceof FsError || error instanceof Unusable || error instanceof FormatProblem || isDamage(error);
}

function orDoubt<Result>(act: () => Result): Result | null {
  try {
    return act();
  } catch (error) {
    if (!isDoubt(error)) throw error;
    return null;
  }
}
