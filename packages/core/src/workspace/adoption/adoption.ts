/**
 * Adopts contents that the user's repositories already store, so that a first checkpoint need not read, hash and
 * compress every file.
 *
 * A file is identified with a blob only if two conditions hold. The repository's index proves its content
 * (index-proof.ts), and nothing can have converted its bytes on their way into the blob. In any doubt, the file is
 * read. Rules:
 * A1 The object is in a pack of the repository itself. A loose object would have to be inflated and compressed again,
 *    which is not cheaper than reading the file. Objects borrowed from other repositories are not adopted.
 * A2 No filter, encoding or keyword expansion applies. No attribute file above the path, and none of the repository,
 *    the user or the system, sets such an attribute for it.
 * A3 The blob is as long as the file. If only line endings can be converted, this proves that they were not: on the way
 *    in, that conversion removes bytes and adds none.
 * A4 The repository is plain: no replaced objects, no files elsewhere, no unknown extension.
 * A5 If something cannot be read or understood, the files are read instead. It is never an error.
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
import type { AdoptMethod } from '../../store/objects/packs/link-pack.ts';
import type { EnteredRepository } from '../scan/position.ts';
import { type AdoptableRepository, adoptableRepository, type ScopedAttributeRules } from './adoptable.ts';
import { indexProvesContent } from './index-proof.ts';

/** For the files in one folder: the repository that may prove their content, and the attributes that apply. */
interface AttributeScope {
  readonly repository: AdoptableRepository;
  /** The folder in the workspace at which the walk entered the repository. */
  readonly entered: TreePath;
  readonly rules: readonly ScopedAttributeRules[];
}

/**
 * A pack is copied whole only if one in this many of its objects is wanted: all of them slow down opening the store.
 */
const MAX_UNWANTED_RATIO = 8;
/** Cloned blocks take up no space until rewritten, but a store's size limit counts the length of its files. */
const MAX_CLONED_RATIO = 8;

export class Adoption {
  readonly #entered = new Map<TreePath, AdoptableRepository | null>();
  readonly #scopes = new Map<TreePath, AttributeScope | null>();
  readonly #packs = new Map<DiskPath, ForeignPacks | null>();
  #hasWholePacks = false;
  #lastFolder = WORKSPACE_ITSELF;

  /** @param userAttributes attribute files that apply to every repository */
  constructor(
    private readonly ports: Ports,
    private readonly userAttributes: readonly DiskPath[],
  ) {}

  /** Called when the walk reaches a repository's folder, or the folder of a workspace that a repository encloses. */
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
   * Returns the blob with the file's content and selects it for adoption. Null if the file must be read.
   * @param stat current stat of the file
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

  /** Usually the same folder as in the previous call. */
  #folderOf(path: TreePath): TreePath {
    const last = this.#lastFolder;
    const isSame = path.lastIndexOf('/') === last.length && path.startsWith(last);
    if (!isSame) this.#lastFolder = parentPath(path);
    return this.#lastFolder;
  }

  /** Selects a tree of a snapshot for adoption, if a pack has it. Returns whether it does. */
  adoptTree(id: ObjectId): boolean {
    return nullIfUnreadable(() => [...this.#packs.values()].some((packs) => packs?.selectTree(id) === true)) ?? false;
  }

  /**
   * Adds everything that was selected to the batch.
   * @returns false if that is not possible: the batch is then unusable, and all files must be read
   */
  async adoptInto(batch: AdoptingBatch, pace: Pace): Promise<boolean> {
    const step = async (): Promise<void> => {
      if (pace.isDue()) await pace.yieldNow({ phase: 'scan', done: 0, total: null });
    };
    try {
      for (const packs of this.#packs.values()) {
        for (const wanted of packs?.selected() ?? []) {
          if (await adoptPack(batch, wanted)) this.#hasWholePacks = true;
          else await batch.copyObjects(wanted.pack, wanted.places(), step);
        }
      }
      return true;
    } catch (error) {
      if (!isReadProblem(error)) throw error;
      return false;
    }
  }

  /** Whether packs were adopted whole, with objects that Savepoint has not read. */
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

  /** @param folder relative to the repository's folder */
  #withRulesIn(reach: AttributeScope, folder: TreePath): AttributeScope {
    const { top, tracked } = reach.repository;
    const name = childPath(folder, ATTRIBUTES_FILE);
    const file = diskChild(top, name);
    const isThere = this.ports.fs.lstat(file) !== null;
    // If it is not on disk, git reads it from the index.
    const rules = isThere ? attributeRules(this.ports.fs, file) : tracked.has(name) ? ANY_CONVERSION : null;
    if (rules === null) return reach;
    return { ...reach, rules: [...reach.rules, { ...rules, folder: folder === '' ? '' : `${folder}/` }] };
  }
}

/** @param path relative to the workspace @returns the path relative to the repository's folder */
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

async function adoptPack(batch: AdoptingBatch, { pack, file, count, bytes }: SelectedPack): Promise<boolean> {
  if (pack.size > batch.bytesLeft) return false;
  const isMostlyWanted = pack.index.count <= MAX_UNWANTED_RATIO * count;
  const methods: AdoptMethod[] = [];
  if (isMostlyWanted && pack.size <= MAX_CLONED_RATIO * bytes) methods.push('clone');
  // A repository's pack is mostly history. What is needed soon replaces the link.
  methods.push('link');
  // Copying is much faster than reading, hashing and compressing, and the store does not get larger than the files.
  if (isMostlyWanted && pack.size <= bytes) methods.push('copy');
  for (const method of methods) {
    try {
      return await batch.adoptPack({ path: pack.path, file, index: pack.index }, method);
    } catch (error) {
      if (!isReadProblem(error)) throw error;
    }
  }
  return false;
}

/** Whether the cause is the data on disk, and not a bug of ours. */
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
