// @ts-check
/**
 * The repository map as aider publishes its algorithm, for comparison only: definitions ranked by a page rank over a graph
 * whose edges are the identifiers that one file uses and another defines. Written from its description, on our facts.
 */
import { pageRank } from './weighted-page-rank.mjs';

/**
 * @typedef {{ name: string, line: number, container: string | null }} Definition
 * @typedef {{ name: string, count: number }} Use
 * @typedef {{ definitions: readonly Definition[], uses: readonly Use[], memberUses: readonly Use[] }} Facts
 * @typedef {{ path: string, facts: Facts, lines: readonly string[] }} Source
 *
 * @typedef {object} Tag
 * @property {string} path
 * @property {number} line 0: the file itself
 * @property {number} parent the line of what it is in; 0: nothing
 */

const LONG_NAME = 8;
const MOST_LINE = 100;

/**
 * @param {readonly Source[]} sources
 * @param {{ focus: readonly string[], text: string, tokens: number, tokensIn: (lines: readonly string[]) => number }} options
 *   `text`: the prompt; what it names weighs more
 * @returns {Set<string>} the files that the map names
 */
export function rankedTags(sources, { focus, text, tokens, tokensIn }) {
  const words = new Set(text.match(/[\w$]+/g) ?? []);
  const chat = new Set(focus);
  const { edges, defined } = graphOf(sources, chat, words);
  const start = new Map();
  for (const { path } of sources) {
    const name = path.slice(path.lastIndexOf('/') + 1);
    if (chat.has(path) || text.includes(path) || text.includes(name) || words.has(name.replace(/\..*$/, '')))
      start.set(path, 100 / sources.length);
  }
  const ranks = pageRank(
    sources.map(({ path }) => path),
    edges,
    start,
  );
  const ordered = tagsOf({ sources, edges, ranks, defined, chat });
  const byPath = new Map(sources.map((source) => [source.path, source]));
  // The largest number of tags whose text fits, found by halving.
  let [low, high] = [0, ordered.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (tokensIn(textOf(ordered.slice(0, middle), byPath)) <= tokens) low = middle;
    else high = middle - 1;
  }
  return new Set(ordered.slice(0, low).map(({ path }) => path));
}

/** @param {readonly Source[]} sources @param {ReadonlySet<string>} chat @param {ReadonlySet<string>} words */
function graphOf(sources, chat, words) {
  /** @type {Map<string, Map<string, Definition[]>>} */
  const defined = new Map();
  /** @type {Map<string, Map<string, number>>} */
  const used = new Map();
  for (const { path, facts } of sources) {
    for (const definition of facts.definitions) {
      const files = defined.get(definition.name) ?? new Map();
      files.set(path, [...(files.get(path) ?? []), definition]);
      defined.set(definition.name, files);
    }
    for (const { name, count } of [...facts.uses, ...facts.memberUses]) {
      const files = used.get(name) ?? new Map();
      files.set(path, (files.get(path) ?? 0) + count);
      used.set(name, files);
    }
  }
  /** @type {import('./weighted-page-rank.mjs').Edge[]} */
  const edges = [];
  for (const [name, definers] of defined) {
    const users = used.get(name);
    if (users === undefined) {
      for (const path of definers.keys()) edges.push({ from: path, to: path, name, weight: 0.1 });
      continue;
    }
    for (const [from, count] of users) {
      const weight = importanceOf(name, definers.size, words) * (chat.has(from) ? 50 : 1) * Math.sqrt(count);
      for (const to of definers.keys()) edges.push({ from, to, name, weight });
    }
  }
  return { edges, defined };
}

/** @param {string} name @param {number} definers @param {ReadonlySet<string>} words */
function importanceOf(name, definers, words) {
  const isSpeaking =
    /[a-z]/i.test(name) && (name.includes('_') || name.includes('-') || (/[a-z]/.test(name) && /[A-Z]/.test(name)));
  let weight = words.has(name) ? 10 : 1;
  if (isSpeaking && name.length >= LONG_NAME) weight *= 10;
  if (name.startsWith('_')) weight *= 0.1;
  if (definers > 5) weight *= 0.1;
  return weight;
}

/**
 * Definitions by their share of the ranks of the files that use them, then the files without any, by rank.
 * @param {{ sources: readonly Source[], edges: readonly import('./weighted-page-rank.mjs').Edge[], ranks: ReadonlyMap<string, number>, defined: ReadonlyMap<string, ReadonlyMap<string, readonly Definition[]>>, chat: ReadonlySet<string> }} graph
 * @returns {Tag[]}
 */
function tagsOf({ sources, edges, ranks, defined, chat }) {
  const total = new Map();
  for (const { from, weight } of edges) total.set(from, (total.get(from) ?? 0) + weight);
  /** @type {Map<string, { path: string, name: string, rank: number }>} */
  const shares = new Map();
  for (const { from, to, name, weight } of edges) {
    const key = `${to}\0${name}`;
    const share = shares.get(key) ?? { path: to, name, rank: 0 };
    share.rank += ((ranks.get(from) ?? 0) * weight) / total.get(from);
    shares.set(key, share);
  }
  /** @type {Tag[]} */
  const tags = [];
  const named = new Set();
  const lineOf = new Map(
    sources.map(({ path, facts }) => [path, new Map(facts.definitions.map(({ name, line }) => [name, line]))]),
  );
  for (const { path, name } of [...shares.values()].sort((a, b) => b.rank - a.rank || (a.path < b.path ? -1 : 1))) {
    if (chat.has(path)) continue;
    named.add(path);
    for (const { line, container } of defined.get(name)?.get(path) ?? [])
      tags.push({ path, line, parent: container === null ? 0 : (lineOf.get(path)?.get(container) ?? 0) });
  }
  const rest = sources.filter(({ path }) => !chat.has(path) && !named.has(path));
  rest.sort((a, b) => (ranks.get(b.path) ?? 0) - (ranks.get(a.path) ?? 0));
  return [...tags, ...rest.map(({ path }) => ({ path, line: 0, parent: 0 }))];
}

/** Each file with the lines of its definitions and of what they are in; gaps are marked. @param {readonly Tag[]} tags @param {ReadonlyMap<string, Source>} sources */
function textOf(tags, sources) {
  /** @type {Map<string, Set<number>>} */
  const shown = new Map();
  for (const { path, line, parent } of tags) {
    const lines = shown.get(path) ?? new Set();
    for (const one of [line, parent]) if (one > 0) lines.add(one);
    shown.set(path, lines);
  }
  return [...shown].flatMap(([path, lines]) => {
    if (lines.size === 0) return ['', path];
    const out = ['', `${path}:`];
    let last = 0;
    for (const line of [...lines].sort((a, b) => a - b)) {
      if (line > last + 1) out.push('⋮');
      out.push(`│${(sources.get(path)?.lines[line - 1] ?? '').slice(0, MOST_LINE)}`);
      last = line;
    }
    out.push('⋮');
    return out;
  });
}
