/** Ranks files by a walk at random over their references, which starts again and again at the files in focus. */

import type { References } from './references.ts';

/** The chance that the walk goes on instead of starting again. */
const DAMPING = 0.85;
/** The walk may go from a definition to its users as well, with less weight. */
const BACKWARDS = 0.5;
const MOST_ROUNDS = 40;
const CLOSE_ENOUGH = 1e-6;

/**
 * @param focus where the walk starts; empty: at any file
 * @returns a rank for each file; all together are 1
 */
export function rankFiles({ uses, weightOf }: References, focus: ReadonlySet<number>): Float64Array {
  const files = weightOf.length;
  const { from, to, weight } = edgesOf(uses, files);
  const start = startOf(files, focus);
  let ranks = start.slice();
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const next = new Float64Array(files);
    for (let edge = 0; edge < from.length; edge++) {
      const target = to[edge] as number;
      next[target] = (next[target] as number) + (ranks[from[edge] as number] as number) * (weight[edge] as number);
    }
    // What reaches a file without references starts again, so that the ranks stay 1 together.
    let kept = 0;
    for (let file = 0; file < files; file++) {
      next[file] = (next[file] as number) * DAMPING;
      kept += next[file] as number;
    }
    let change = 0;
    for (let file = 0; file < files; file++) {
      next[file] = (next[file] as number) + (1 - kept) * (start[file] as number);
      change += Math.abs((next[file] as number) - (ranks[file] as number));
    }
    ranks = next;
    if (change < CLOSE_ENOUGH) break;
  }
  return ranks;
}

interface Edges {
  readonly from: Uint32Array;
  readonly to: Uint32Array;
  /** The chance to take it: those of a file are 1 together. */
  readonly weight: Float64Array;
}

/** One edge per pair of files and direction. */
function edgesOf(uses: References['uses'], files: number): Edges {
  const weights = new Map<number, number>();
  const add = (from: number, to: number, weight: number): void => {
    const key = from * files + to;
    weights.set(key, (weights.get(key) ?? 0) + weight);
  };
  for (const { from, to, weight } of uses) {
    add(from, to, weight);
    add(to, from, weight * BACKWARDS);
  }
  const total = new Float64Array(files);
  for (const [key, weight] of weights) total[Math.floor(key / files)] = (total[Math.floor(key / files)] ?? 0) + weight;
  const from = new Uint32Array(weights.size);
  const to = new Uint32Array(weights.size);
  const weight = new Float64Array(weights.size);
  let edge = 0;
  for (const [key, sum] of weights) {
    const source = Math.floor(key / files);
    from[edge] = source;
    to[edge] = key % files;
    weight[edge] = sum / (total[source] as number);
    edge++;
  }
  return { from, to, weight };
}

function startOf(files: number, focus: ReadonlySet<number>): Float64Array {
  const start = new Float64Array(files);
  if (focus.size === 0) start.fill(files === 0 ? 0 : 1 / files);
  for (const file of focus) start[file] = 1 / focus.size;
  return start;
}
