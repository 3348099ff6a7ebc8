import { type DiskPath, diskChild, type Name } from '../model/names.ts';
import { type FolderListing, type Fs, FsError, isFsError, LISTED_FIELD_COUNT, type ListedStat } from './fs.ts';

/** Builds a listing of at most `most` names in a preallocated buffer. */
export class ListingBuilder {
  readonly #names: Name[] = [];
  readonly #failed = new Map<number, FsError>();
  readonly #numbers: Float64Array;

  constructor(most: number) {
    this.#numbers = new Float64Array(most * LISTED_FIELD_COUNT);
  }

  add(name: Name, stat: ListedStat): void {
    let at = this.#names.push(name) * LISTED_FIELD_COUNT - LISTED_FIELD_COUNT;
    const numbers = this.#numbers;
    numbers[at++] = stat.size;
    numbers[at++] = stat.ino;
    numbers[at++] = stat.mode;
    numbers[at++] = stat.mtimeMs;
    numbers[at++] = stat.ctimeMs;
    numbers[at++] = stat.nlink;
    numbers[at] = stat.dev;
  }

  addFailed(name: Name, failure: FsError): void {
    this.#failed.set(this.#names.push(name) - 1, failure);
  }

  build(): FolderListing {
    const numbers = this.#numbers.subarray(0, this.#names.length * LISTED_FIELD_COUNT);
    return { names: this.#names, numbers, failed: this.#failed };
  }
}

/** Implements `listWithStats` with the driver's `list` and `lstat`, for drivers without a faster way. */
export function listOneByOne(fs: Pick<Fs, 'list' | 'lstat'>, path: DiskPath): FolderListing {
  const names = withListingErrors(() => fs.list(path)).sort();
  const numbers = new ListingBuilder(names.length);
  for (const name of names) {
    try {
      const stat = withListingErrors(() => fs.lstat(diskChild(path, name)));
      if (stat !== null) numbers.add(name, stat);
    } catch (error) {
      if (!isFsError(error)) throw error;
      numbers.addFailed(name, error);
    }
  }
  return numbers.build();
}

function withListingErrors<Result>(action: () => Result): Result {
  try {
    return action();
  } catch (error) {
    if (!isFsError(error)) throw error;
    const failure = new FsError(error.code, 'listWithStats', error.path);
    failure.cause = error;
    throw failure;
  }
}
