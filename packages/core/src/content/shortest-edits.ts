/**
 * Computes which lines stay between two sequences of line numbers, with the fewest possible removals and additions.
 *
 * Often there are many shortest diffs (which of ten equal lines was removed?). This module returns one of them for
 * display (`shortestMatches`), or what all of them have in common, for merging (`certainMatches`).
 *
 * The edit grid has `before` along x and `after` down y. A step right removes a line, a step down adds one, and a
 * diagonal step keeps one. The algorithm is from Myers, "An O(ND) Difference Algorithm and Its Variations" (1986): for
 * every number of edits `d` and every diagonal `x - y`, it finds the farthest point that `d` edits can reach. It runs
 * from the end to the start. Afterwards, one lookup (`EditGrid.canReachEnd`) shows whether `d` edits lead from a point
 * to the end. So a walk from the start never leaves the shortest paths.
 *
 * `certainMatches` relies on two facts. Shortest paths that cross can be swapped at the crossing, so there is an
 * uppermost and a lowermost one, and all others are between them. Where these two take the same diagonal step, there is
 * nothing between them, so every shortest path takes that step.
 */

/** `matches[i]` is the index in `after` of line `i` of `before`, or -1 if the line was removed. Ascending. */
export type Matches = Int32Array;

/** Maximum number of cells: 16 MB while one pair of contents is compared. Enough for 2800 scattered edits. */
const MAX_CELLS = 4 * 1024 * 1024;

/** The cost of a row, in addition to its points. */
const ROW_STEPS = 8;

/** The remaining work, in points of the grid. Not a time, so that the same input always costs the same. */
export interface Budget {
  steps: number;
}

/** @returns one shortest diff, with edits as late as possible; null if it would exceed the budget */
export function shortestMatches(before: Int32Array, after: Int32Array, budget: Budget): Matches | null {
  const toEnd = EditGrid.compute(before, after, budget);
  return toEnd === null ? null : walk(before, after, toEnd, 'keep-first');
}

/** @returns the lines that every shortest diff keeps as the same line; null if it would exceed the budget */
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

/** The number of edits from every point on a shortest path to the end of the grid. */
class EditGrid {
  /**
   * One row for each number of edits `d`. It has the farthest x plus one for every second diagonal from `low` on, or 0
   * if there is none. A 0 before and after each row allows reading one cell beyond its ends. The first cells stand in
   * for the rows before the first.
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

  /** The length of the shortest paths, in edits. */
  get edits(): number {
    return this.#rows.length - 1;
  }

  /** For a point that a shortest path's beginning can reach: returns whether `edits` edits lead from it to the end. */
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
    // Beyond a diagonal that has reached an edge of the grid, no path can be shorter than the one along the edge.
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

  /** @returns the start of the row; null if it would exceed `MAX_CELLS` */
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
