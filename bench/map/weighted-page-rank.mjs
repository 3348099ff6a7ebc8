// @ts-check
/** Page rank with weights and a personalised start, as graph libraries compute it. */

/** @typedef {{ from: string, to: string, name: string, weight: number }} Edge */

const DAMPING = 0.85;
const ROUNDS = 100;
const CLOSE_ENOUGH = 1e-6;

/**
 * @param {readonly string[]} nodes
 * @param {readonly Edge[]} edges
 * @param {ReadonlyMap<string, number>} start how often the walk starts at a node; empty: at each alike
 * @returns {Map<string, number>}
 */
export function pageRank(nodes, edges, start) {
  const index = new Map(nodes.map((node, nth) => [node, nth]));
  const size = nodes.length;
  const sum = [...start.values()].reduce((all, one) => all + one, 0);
  const begin = nodes.map((node) => (sum === 0 ? 1 / size : (start.get(node) ?? 0) / sum));
  /** @type {Map<number, number>} */
  const joined = new Map();
  const total = new Float64Array(size);
  for (const { from, to, weight } of edges) {
    const [source, target] = [index.get(from) ?? 0, index.get(to) ?? 0];
    const key = source * size + target;
    joined.set(key, (joined.get(key) ?? 0) + weight);
    total[source] = (total[source] ?? 0) + weight;
  }
  let ranks = nodes.map(() => 1 / size);
  for (let round = 0; round < ROUNDS; round++) {
    const loose = ranks.reduce((all, rank, node) => (total[node] === 0 ? all + rank : all), 0);
    const next = begin.map((one) => (1 - DAMPING + DAMPING * loose) * one);
    for (const [key, weight] of joined) {
      const source = Math.floor(key / size);
      const target = key % size;
      next[target] = (next[target] ?? 0) + (DAMPING * (ranks[source] ?? 0) * weight) / (total[source] ?? 1);
    }
    const change = next.reduce((all, rank, node) => all + Math.abs(rank - (ranks[node] ?? 0)), 0);
    ranks = next;
    if (change < size * CLOSE_ENOUGH) break;
  }
  return new Map(nodes.map((node, nth) => [node, ranks[nth] ?? 0]));
}
