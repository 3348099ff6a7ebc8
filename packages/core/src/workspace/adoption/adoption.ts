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
import { UnusableGitFile } from '../../git/file.ts';
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
  parentPath,
  pathComponents,
  relativePath,
  type TreePath,
  WORKSPACE_ITSELF,
} from '../../model/names.ts';
import type { AdoptingBatch } from '../../store/objects/adopting-batch.ts';
import { FormatProblem, isDamage } from '../../store/objects/damage.ts';
import { ForeignPacks, type SelectedPack } from '../../store/objects/packs/foreign-packs.ts';
import type { EnteredRepository } from '../scan/position.ts';
import { type AdoptableRepository, adoptableRepository, type ScopedAttributeRules } from './adoptable.ts';
import { indexProvesContent } from './index-proof.ts';

/** Of a folder: what vouches for the files in it, and which attributes reach them. */
interface AttributeScope {
  readonly repository: AdoptableRepository;
  /** The folder in the workspace at which the walk entered the repository. */
  readonly entered: TreePath;
  readonly rules: readonly ScopedAttributeRules[];
}

/** A pack is taken whole when at least one in so many of its objects is wanted: each costs whoever opens the store. */
const MAX_UNWANTED_RATIO = 8;
/** Shared blocks cost nothing before they are rewritten; still a store is held to its limit by the length of its files. */
const MAX_CLONED_RATIO = 8;

export class Adoption {
  readonly #entered = new Map<TreePath, AdoptableRepository | null>();
  readonly #scopes = new Map<TreePath, AttributeScope | null>();
  readonly #packs = new Map<DiskPath, ForeignPacks | null>();
  #hasWholePacks = false;
  #lastFolder = WORKSPACE_ITSELF;

  /** @param userAttributes files of attributes that count in every repository */
  constructor(
    private readonly ports: Ports,
    private readonly userAttributes: readonly DiskPath[],
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
    const found = nullIfUnreadable(() =>
      adoptableRepository(this.ports.fs, disk, repository, this.userAttributes, packsOf),
    );
    this.#entered.set(path, found);
  }

  /**
   * The blob that a file certainly is, which is taken over then; null where the file has to be read.
   * @param stat of the file, as it is now
   */
  idOf(path: TreePath, stat: ListedStat): ObjectId | null {
    try {
      const reach = this.#scopeOf(this.#folderOf(path));
      if (reach === null) return null;
      const { repository } = reach;
      const from = fromTop(reach, path);
      const entry = repository.tracked.entry(from);
      if (entry === null || !indexProvesContent(entry, stat, repository.writtenSeconds)) return null;
      if (mayBeConverted(reach.rules, from)) return null; // A2
      const id = entry.id as ObjectId;
      return repository.packs.selectBlob(id, stat.size) ? id : null; // A1, A3
    } catch (error) {
      if (!isReadProblem(error)) throw error;
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
  adoptTree(id: ObjectId): boolean {
    return nullIfUnreadable(() => [...this.#packs.values()].some((packs) => packs?.selectTree(id) === true)) ?? false;
  }

  /**
   * Brings everything that was taken over into the batch.
   * @returns false when that is not possible: the batch is of no use then, and all files have to be read
   */
  async adoptInto(batch: AdoptingBatch, pace: Pace): Promise<boolean> {
    const step = async (): Promise<void> => {
      if (pace.isDue()) await pace.yieldNow({ phase: 'scan', done: 0, total: null });
    };
    try {
      for (const packs of this.#packs.values()) {
        for (const wanted of packs?.selected() ?? []) {
          if (await adoptPack(batch, wanted)) this.#hasWholePacks = true;
          else await batch.copyObjects(wanted.pack, wanted.places, step);
        }
      }
      return true;
    } catch (error) {
      if (!isReadProblem(error)) throw error;
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
    this.#scopes.clear();
  }

  #scopeOf(folder: TreePath): AttributeScope | null {
    const known = this.#scopes.get(folder);
    if (known !== undefined) return known;
    const reach = this.#findScope(folder);
    this.#scopes.set(folder, reach);
    return reach;
  }

  #findScope(folder: TreePath): AttributeScope | null {
    const repository = this.#entered.get(folder);
    if (repository === null) return null;
    if (repository !== undefined) {
      const top: AttributeScope = { repository, entered: folder, rules: repository.rules };
      return foldersDownTo(repository.inside).reduce((reach, path) => this.#withRulesIn(reach, path), top);
    }
    const above = folder === '' ? null : this.#scopeOf(parentPath(folder));
    return above === null ? null : this.#withRulesIn(above, fromTop(above, folder));
  }

  /** @param folder from the repository's */
  #withRulesIn(reach: AttributeScope, folder: TreePath): AttributeScope {
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
function fromTop({ repository: { inside }, entered }: AttributeScope, path: TreePath): TreePath {
  return joinPaths(inside, relativePath(entered, path));
}

/** '' first, `path` last. */
function foldersDownTo(path: TreePath): readonly TreePath[] {
  const folders = [WORKSPACE_ITSELF];
  for (const name of pathComponents(path)) folders.push(childPath(folders.at(-1) ?? WORKSPACE_ITSELF, name));
  return folders;
}

function mayBeConverted(rules: readonly ScopedAttributeRules[], path: TreePath): boolean {
  return rules.some(({ content, folder }) => {
    if (content === null || !path.startsWith(folder)) return false;
    return content === 'all' || content.ignores(path.slice(folder.length));
  });
}

async function adoptPack(batch: AdoptingBatch, { pack, file, places, bytes }: SelectedPack): Promise<boolean> {
  if (pack.index.count > MAX_UNWANTED_RATIO * places.length || pack.size > batch.bytesLeft) return false;
  const methods: ('clone' | 'copy')[] = [];
  if (pack.size <= MAX_CLONED_RATIO * bytes) methods.push('clone');
  // A byte is copied in far less time than it is read, hashed and compressed in; and the store gets no larger than the files.
  if (pack.size <= bytes) methods.push('copy');
  for (const method of methods) {
    try {
      return await batch.adoptPack(file, pack.index, method);
    } catch (error) {
      if (!isReadProblem(error)) throw error;
    }
  }
  return false;
}

/** What the disk holds, and not what we did wrong. */
function isReadProblem(error: unknown): boolean {
  return (
    error instanceof FsError || error instanceof UnusableGitFile || error instanceof FormatProblem || isDamage(error)
  );
}

function nullIfUnreadable<Result>(work: () => Result): Result | null {
  try {
    return work();
  } catch (error) {
    if (!isReadProblem(error)) throw error;
    return null;
  }
}
