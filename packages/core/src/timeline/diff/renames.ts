/**
 * Detects which deleted and created paths are one file that moved. Like git, it goes by content alone: first identical
 * bytes, then files that share at least half of their lines. In case of doubt it reports no rename.
 */

import { splitLines } from '../../content/lines.ts';
import { isBinary } from '../../content/text-or-binary.ts';
import type { Pace } from '../../io/pace.ts';
import type { ObjectId } from '../../model/ids.ts';
import { baseName, type TreePath } from '../../model/names.ts';
import { type OnDamage, unlessDamaged } from '../../store/objects/damage.ts';
import type { ObjectReader } from '../../store/objects/object-reader.ts';
import { readBlob } from '../../store/snapshot/snapshot.ts';
import type { PathDifference } from './snapshot-diff.ts';

/** A file that moved from `from` to `to`. */
export interface Move {
  readonly from: TreePath;
  readonly to: TreePath;
}

/** The old path of each moved file, by its new path. */
export type Moves = ReadonlyMap<TreePath, TreePath>;

export interface MoveOptions {
  /** Moves known to the code that made them. */
  readonly known?: readonly Move[];
  /** Whether the two paths can be one file; false if different actors changed them. */
  readonly canBeSameFile?: (move: Move) => boolean;
  /** Receives each error of a damaged content. Files with damaged contents have not moved. */
  readonly onDamage?: OnDamage;
}

/** Longer files are compared by their bytes only. */
const MAX_FILE_BYTES = 1024 * 1024;
/** Total size of all files whose lines are compared. */
const MAX_TOTAL_BYTES = 16 * 1024 * 1024;
/** Number of pairs that are compared. If there are more, only those are whose paths end alike, see `pairsOfSameEnd`. */
const MAX_PAIRS = 2_500;
/** Total number of lines looked up. */
const MAX_LOOKUPS = 2_000_000;
const MIN_SHARED = 0.5;

/**
 * @param differences only those count that are a file or link on one side and absent on the other, or unknown because its
 *   folder was not captured
 */
export async function findMoves(
  reader: ObjectReader,
  differences: readonly PathDifference[],
  { known = [], canBeSameFile: mayBeOne = () => true, onDamage }: MoveOptions,
  pace: Pace,
): Promise<Moves> {
  const removed = new Map<TreePath, MovableEntry>();
  const added = new Map<TreePath, MovableEntry>();
  /** Only identical bytes prove that a file moved to one of these. */
  const unknown = new Set<TreePath>();
  for (const { path, before, after } of differences) {
    if (before.entry !== null && before.entry.kind !== 'folder' && after.entry === null)
      removed.set(path, before.entry);
    if (after.entry === null || after.entry.kind === 'folder' || before.entry !== null) continue;
    added.set(path, after.entry);
    if (before.skip !== null) unknown.add(path);
  }
  const moves = new Map<TreePath, TreePath>();
  const accept = ({ from, to }: Move): void => {
    const [old, now] = [removed.get(from), added.get(to)];
    if (old?.kind === undefined || old.kind !== now?.kind || !mayBeOne({ from, to })) return;
    moves.set(to, from);
    removed.delete(from);
    added.delete(to);
  };
  for (const move of known) accept(move);
  if (removed.size === 0 || added.size === 0) return moves;
  for (const move of movesBySameBytes(reader, removed, added, onDamage)) accept(move);
  for (const path of unknown) added.delete(path);
  for (const move of await movesBySimilarLines(new LineIndex(reader, onDamage), removed, added, pace)) accept(move);
  return moves;
}

type MovableEntry = Exclude<NonNullable<PathDifference['before']['entry']>, { readonly kind: 'folder' }>;
type MovableEntries = ReadonlyMap<TreePath, MovableEntry>;

/** Returns pairs with identical bytes, the likeliest first. */
function movesBySameBytes(
  reader: ObjectReader,
  removed: MovableEntries,
  added: MovableEntries,
  onDamage: OnDamage | undefined,
): readonly Move[] {
  // Two empty files with different names are not evidence of a move.
  const says = (id: ObjectId): boolean => unlessDamaged(onDamage, () => reader.info(id)?.size !== 0) ?? false;
  const haveSameName = ({ from, to }: Move): boolean => baseName(from) === baseName(to);
  const isMove = (move: Move): boolean => haveSameName(move) || says(added.get(move.to)!.id);
  if (removed.size * added.size > MAX_PAIRS)
    return pairsOfSameEnd(removed, added, [...LAST_NAMES, 0], ({ id }) => id).filter(isMove);
  const pairs = allPairs(removed, added).filter(({ from, to }) => removed.get(from)!.id === added.get(to)!.id);
  return [...pairs.filter(haveSameName), ...pairs.filter((move) => !haveSameName(move) && isMove(move))];
}

/** Returns pairs that share at least half of their lines, the likeliest first. */
async function movesBySimilarLines(
  lines: LineIndex,
  removed: MovableEntries,
  added: MovableEntries,
  pace: Pace,
): Promise<readonly Move[]> {
  const few = removed.size * added.size <= MAX_PAIRS;
  const found: (Move & { readonly shared: number; readonly sameName: boolean })[] = [];
  for (const { from, to } of few ? allPairs(removed, added) : pairsOfSameEnd(removed, added, LAST_NAMES)) {
    if (pace.isDue()) await pace.yieldNow();
    const [old, now] = [removed.get(from), added.get(to)];
    const shared = old?.kind === 'file' && now?.kind === 'file' ? lines.shared(old.id, now.id) : null;
    if (shared === null || shared < MIN_SHARED) continue;
    found.push({ from, to, shared, sameName: baseName(from) === baseName(to) });
  }
  // Of many files, the pairs with the longest common end come first.
  return few ? found.sort((a, b) => Number(b.sameName) - Number(a.sameName) || b.shared - a.shared) : found;
}

function allPairs(removed: MovableEntries, added: MovableEntries): readonly Move[] {
  return [...added.keys()].flatMap((to) => [...removed.keys()].map((from) => ({ from, to })));
}

/** How many of the last names in the paths of a pair are equal, the likeliest pairs first. */
const LAST_NAMES: readonly number[] = [8, 7, 6, 5, 4, 3, 2, 1];

/**
 * Returns the pairs whose paths end with the same names, if no other path on either side does. Among thousands of files,
 * many have the same name and similar contents without being one file, as in folders of test cases. Git also
 * compares only files whose name occurs once, if there are many.
 * @param keyOf only files with equal keys can be pairs
 */
function pairsOfSameEnd(
  removed: MovableEntries,
  added: MovableEntries,
  lengths: readonly number[],
  keyOf: (entry: MovableEntry) => string = () => '',
): readonly Move[] {
  const pairs: Move[] = [];
  const paired = new Set<TreePath>();
  for (const length of lengths) {
    const [old, now] = [removed, added].map((paths) => {
      const byEnd = new Map<string, TreePath | null>();
      for (const [path, entry] of paths) {
        if (paired.has(path)) continue;
        const key = `${keyOf(entry)} ${endOf(path, length)}`;
        byEnd.set(key, byEnd.has(key) ? null : path);
      }
      return byEnd;
    }) as [Map<string, TreePath | null>, Map<string, TreePath | null>];
    for (const [key, to] of now) {
      const from = old.get(key) ?? null;
      if (from === null || to === null) continue;
      pairs.push({ from, to });
      paired.add(from).add(to);
    }
  }
  return pairs;
}

/** Returns the last names of the path, or all if there are fewer. */
function endOf(path: TreePath, names: number): string {
  let start = path.length + 1;
  for (let left = names; left > 0 && start > 0; left--) start = path.lastIndexOf('/', start - 2) + 1;
  return path.slice(start);
}

interface CountedLines {
  readonly counts: ReadonlyMap<string, number>;
  readonly total: number;
}

class LineIndex {
  readonly #known = new Map<string, CountedLines | null>();
  #bytes = MAX_TOTAL_BYTES;
  #steps = MAX_LOOKUPS;

  constructor(
    private readonly reader: ObjectReader,
    private readonly onDamage: OnDamage | undefined,
  ) {}

  /** Returns the share of the longer file's lines that both have, 0 to 1; null if the files were not compared. */
  shared(a: MovableEntry['id'], b: MovableEntry['id']): number | null {
    const [one, other] = [this.#linesOf(a), this.#linesOf(b)];
    if (one === null || other === null || one.total === 0 || other.total === 0) return null;
    const [less, more] = one.counts.size < other.counts.size ? [one, other] : [other, one];
    this.#steps -= less.counts.size;
    if (this.#steps < 0) return null;
    let shared = 0;
    for (const [line, count] of less.counts) shared += Math.min(count, more.counts.get(line) ?? 0);
    return shared / Math.max(one.total, other.total);
  }

  /** Counts lines without the blank ones, which every file has. */
  #linesOf(id: MovableEntry['id']): CountedLines | null {
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    const lines = unlessDamaged(this.onDamage, () => this.#countLines(id));
    this.#known.set(id, lines);
    return lines;
  }

  #countLines(id: MovableEntry['id']): CountedLines | null {
    const size = this.reader.info(id)?.size ?? Number.POSITIVE_INFINITY;
    if (size > MAX_FILE_BYTES || size > this.#bytes) return null;
    this.#bytes -= size;
    const content = readBlob(this.reader, id);
    return isBinary(content) ? null : countsOf(content);
  }
}

function countsOf(content: Buffer): CountedLines {
  const counts = new Map<string, number>();
  let total = 0;
  for (const line of splitLines(content)) {
    const text = line.trim();
    if (text === '') continue;
    counts.set(text, (counts.get(text) ?? 0) + 1);
    total++;
  }
  return { counts, total };
}
