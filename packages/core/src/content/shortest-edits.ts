/**
 * What stays and what goes between two sequences of line numbers, in the fewest possible removals and additions.
 *
 * Often there are many shortest ways (which of ten equal lines went?). This module gives two answers:
 * one way, for showing (`shortestMatches`), and what all ways have in common, for merging (`certainMatches`).
 *
 * Picture a grid: `before` along x, `after` down y. A step right removes a line, a step down adds one, a diagonal
 * step keeps one. After Myers, "An O(ND) Difference Algorithm and Its Variations" (1986): for every number of edits `d`
 * and every diagonal `x - y`, the farthest point that `d` edits can reach. It is run from the end towards the
 * start, so that afterwards "can the end be reached from here with `d` edits?" is one look-up (`ToEnd.within`), and
 * a walk from the start never leaves the shortest ways.
 *
 * Two facts carry `certainMatches`. Shortest ways that cross may be swapped at the crossing, so there is an uppermost
 * and a lowermost one, and every other lies between them. Where these two take the same diagonal step, nothing lies
 * between, so every shortest way takes it.
 */

/** `matches[i]` is the index in `after` of what line `i` of `before` became, or -1 where it was removed. Ascending. */
export type Matches = Int32Array;

/** Farthest points kept at most: 16 MB, while one pair of contents is compared; enough for 2800 scattered edits. */
const MAX_CELLS = 4 * 1024 * 1024;

/** What a row costs before its first point. */
const ROW_STEPS = 8;

/** The work left, in points of the grid looked at. Not a time: the same input always spends the same. */
export interface Budget {
  steps: number;
}

/** @returns one shortest way, edits as late as possible; null if finding it costs more than the budget */
export function shortestMatches(before: Int32Array, after: Int32Array, budget: Budget): Matches | null {
  const toEnd = EditGrid.compute(before, after, budget);
  return toEnd === null ? null : walk(before, after, toEnd, 'keep-first');
}

/** @returns the lines that every shortest way keeps, and keeps as the same line; null if over the budget */
export function certainMatches(before: Int32Array, after: Int32Array, budget: Budget): Matches | null {
  const toEnd = EditGrid.compute(before, after, budget);
  if (toEnd === null) return null;
  const uppermost = walk(before, after, toEnd, 'remove-first');
  const lowermost = walk(before, after, toEnd, 'add-first');
  return uppermost.map((match, i) => (match === lowermost[i] ? match : -1));
}

function walk(
  before: Int32Array,
  after: Int32Array,
  toEnd: EditGrid,
  prefer: 'keep-first' | 'remove-first' | 'add-first',
): Matches {
  const matches = new Int32Array(before.length).fill(-1);
  let left = toEnd.edits;
  let x = 0;
  let y = 0;
  while (x < before.length || y < after.length) {
    const keeps =
      x < before.length && y < after.length && before[x] === after[y] && toEnd.canReachEnd(left, x + 1, y + 1);
    const removes = x < before.length && toEnd.canReachEnd(left - 1, x + 1, y);
    const adds = y < after.length && toEnd.canReachEnd(left - 1, x, y + 1);
    if (prefer === 'remove-first' ? removes : prefer === 'add-first' ? !adds && !keeps : removes && !keeps) {
      x++;
      left--;
    } else if (keeps && !(prefer === 'add-first' && adds)) {
      matches[x++] = y++;
    } else {
      y++;
      left--;
    }
  }
  return matches;
}

/** For every point of the grid on a shortest way: how many edits lie between it and the end. */
class EditGrid {
  /**
   * One row for each number of edits `d`, for every second diagonal from `low` on the farthest x plus one, or 0 where
   * there is none. Before and after each row stands a 0, so that a row's neighbours can be asked one step too far;
   * the first cells stand for the rows before the first.
   */
  #cells = new Int32Array(1024);
  #used = 4;
  readonly #rows: { readonly start: number; readonly low: number; readonly length: number }[] = [];

  private constructor(
    private readonly width: number,
    private readonly height: number,
  ) {}

  static compute(before: Int32Array, after: Int32Array, budget: Budget): EditGrid | null {
    const toEnd = new EditGrid(before.length, after.length);
    return toEnd.#fill(before, after, budget) ? toEnd : null;
  }

  /** The length of the shortest ways. */
  get edits(): number {
    return this.#rows.length - 1;
  }

  /** For a point that the start can reach by a shortest way's beginning: may that way go on with `edits` edits? */
  canReachEnd(edits: number, x: number, y: number): boolean {
    const row = this.#rows[edits];
    if (row === undefined) return false;
    const fromEnd = this.width - x;
    const offset = fromEnd - (this.height - y) - row.low;
    if (offset < 0 || offset >= 2 * row.length) return false;
    return this.#cells[row.start + offset / 2]! > fromEnd;
  }

  #fill(before: Int32Array, after: Int32Array, budget: Budget): boolean {
    const { width, height } = this;
    // Beyond a diagonal that has met an edge of the grid, ways only lead astray: along the edge is shorter.
    let lowest = -height;
    let highest = width;
    for (let d = 0; ; d++) {
      const low = Math.max(-d, lowest + ((lowest + d) & 1));
      const high = Math.min(d, highest - ((highest + d) & 1));
      const start = this.#addRow(low, high);
      budget.steps -= (high - low) / 2 + ROW_STEPS;
      if (start === null || budget.steps < 0) return false;
      const cells = this.#cells;
      let cell = start;
      let one = this.#cellOf(d - 1, low + 1);
      let two = this.#cellOf(d - 2, low);
      for (let k = low; k <= high; k += 2, cell++, one++, two++) {
        let x = d === 0 ? 0 : cells[two]! - 1;
        const removed = cells[one - 1]!;
        const added = cells[one]! - 1;
        if (removed > x && removed > 0 && removed <= width) x = removed;
        if (added > x && added - k <= height) x = added;
        if (x < 0) continue;
        const from = x;
        while (x < width && x - k < height && before[width - 1 - x] === after[height - 1 - x + k]) x++;
        cells[cell] = x + 1;
        budget.steps -= x - from;
        if (x === width && x - k === height) return true;
        if (x === width) highest = Math.min(highest, k - 1);
        if (x - k === height) lowest = Math.max(lowest, k + 1);
      }
    }
  }

  /** @returns where the row begins; null if that would take more than `MAX_CELLS` */
  #addRow(low: number, high: number): number | null {
    const length = Math.max(0, (high - low) / 2 + 1);
    const start = this.#used + 1;
    this.#used = start + length + 1;
    if (this.#used > MAX_CELLS) return null;
    if (this.#used > this.#cells.length) {
      const larger = new Int32Array(Math.max(this.#used, 2 * this.#cells.length));
      larger.set(this.#cells);
      this.#cells = larger;
    }
    this.#rows.push({ start, low, length });
    return start;
  }

  #cellOf(d: number, diagonal: number): number {
    const row = this.#rows[d];
    return row === undefined ? 1 : row.start + (diagonal - row.low) / 2;
  }
}
