/**
 * Detects which deleted and created paths are one file that moved. Like git, it goes by content alone: first identical
 * bytes, then files that share at least half of their lines. In case of doubt it reports no rename.
 */

import { splitLines } from '../../content/lines.ts';
import { isBinary } from '../../content/text-or-binary.ts';
import type { Pace } from '../../io/pace.ts';
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
/** Number of pairs whose lines are compared. If there are more, only pairs with the same file name are. */
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

/** Returns pairs with identical bytes. Pairs of the same name come first, as the likeliest among many equal files. */
function movesBySameBytes(
  reader: ObjectReader,
  removed: MovableEntries,
  added: MovableEntries,
  onDamage: OnDamage | undefined,
): readonly Move[] {
  const byId = new Map<string, TreePath[]>();
  for (const [path, { id }] of removed) byId.set(id, [...(byId.get(id) ?? []), path]);
  const sameName: Move[] = [];
  const others: Move[] = [];
  for (const [to, { id }] of added) {
    // Two empty files are not evidence of a move.
    const says = unlessDamaged(onDamage, () => reader.info(id)?.size !== 0) ?? false;
    for (const from of byId.get(id) ?? []) {
      if (baseName(from) === baseName(to)) sameName.push({ from, to });
      else if (says && others.length < MAX_PAIRS) others.push({ from, to });
    }
  }
  return [...sameName, ...others];
}

async function movesBySimilarLines(
  lines: LineIndex,
  removed: MovableEntries,
  added: MovableEntries,
  pace: Pace,
): Promise<readonly Move[]> {
  const few = removed.size * added.size <= MAX_PAIRS;
  const found: (Move & { readonly shared: number; readonly sameName: boolean })[] = [];
  const byName = few ? null : namesOf(removed);
  for (const [to, now] of added) {
    if (now.kind !== 'file') continue;
    for (const from of byName === null ? removed.keys() : (byName.get(baseName(to)) ?? [])) {
      if (pace.isDue()) await pace.yieldNow();
      const old = removed.get(from);
      const shared = old?.kind === 'file' ? lines.shared(old.id, now.id) : null;
      if (shared === null || shared < MIN_SHARED) continue;
      found.push({ from, to, shared, sameName: baseName(from) === baseName(to) });
    }
  }
  return found.sort((a, b) => Number(b.sameName) - Number(a.sameName) || b.shared - a.shared);
}

function namesOf(paths: MovableEntries): ReadonlyMap<string, readonly TreePath[]> {
  const found = new Map<string, TreePath[]>();
  for (const path of paths.keys()) found.set(baseName(path), [...(found.get(baseName(path)) ?? []), path]);
  return found;
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
