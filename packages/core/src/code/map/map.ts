/** A short map of a workspace: the files that matter most for the task at hand, with their main symbols. */

import type { TreePath } from '../../model/names.ts';
import type { Definition, FileFacts } from '../facts.ts';
import { linesOfFile, type Shown, tokensIn } from './lines.ts';
import { rankFiles } from './page-rank.ts';
import { type References, referencesBetween } from './references.ts';

export interface MapFile {
  readonly path: TreePath;
  readonly facts: FileFacts;
}

export interface MapOptions {
  /** The length of the map at most. A token is counted as four bytes. */
  readonly tokens: number;
  /** Files that are being worked on: what they use, and what uses them, comes first. They are not in the map themselves. */
  readonly focus: readonly TreePath[];
  /** As the map is going to be shown, which is what is counted. Absent: as it is. */
  readonly shown?: Shown;
}

export interface CodeMap {
  /** The highest rank first. */
  readonly files: readonly MappedFile[];
  /** How many files with definitions did not fit. */
  readonly left: number;
  readonly tokens: number;
}

export interface MappedFile {
  readonly path: TreePath;
  /** From 0 to 1. All files have 1 together. */
  readonly rank: number;
  /** Those that other files use most, in the order of the file. */
  readonly symbols: readonly MappedSymbol[];
}

export type MappedSymbol = Pick<Definition, 'name' | 'kind' | 'container' | 'line' | 'signature'>;

/** More would take the place of other files, and naming many files is what makes a map useful. */
const MOST_SYMBOLS = 3;

/**
 * Ranks files by references over names, and describes as many as the number of tokens allows.
 * @param files all files whose facts are known, in any order; the map does not depend on it
 */
export function mapOf(files: readonly MapFile[], { tokens, focus, shown }: MapOptions): CodeMap {
  const ordered = [...files].sort((a, b) => (a.path < b.path ? -1 : 1));
  const references = referencesBetween(ordered.map(({ facts }) => facts));
  const focused = focusOf(ordered, focus);
  const ranks = rankFiles(references, focused);
  const candidates = ordered
    .map((_, file) => file)
    .filter((file) => !focused.has(file) && (ordered[file] as MapFile).facts.definitions.length > 0)
    .sort((a, b) => (ranks[b] ?? 0) - (ranks[a] ?? 0) || a - b);
  const symbols = symbolScores(references, ranks);
  const mapped: MappedFile[] = [];
  let used = 0;
  for (const file of candidates) {
    const { path, facts } = ordered[file] as MapFile;
    const one = { path, rank: ranks[file] ?? 0, symbols: mainSymbols(facts, symbols[file] ?? new Map()) };
    const cost = tokensIn(linesOfFile(one, shown));
    if (used + cost > tokens) break;
    used += cost;
    mapped.push(one);
  }
  return { files: mapped, left: candidates.length - mapped.length, tokens: used };
}

function focusOf(files: readonly MapFile[], focus: readonly TreePath[]): ReadonlySet<number> {
  const wanted = new Set(focus);
  const found = new Set<number>();
  for (const [file, { path }] of files.entries()) if (wanted.has(path)) found.add(file);
  return found;
}

/** For each file, how much other files use each of its names: their ranks, divided among all that they use. */
function symbolScores({ uses, weightOf }: References, ranks: Float64Array): readonly ReadonlyMap<string, number>[] {
  const scores = Array.from(ranks, () => new Map<string, number>());
  for (const { from, to, name, weight } of uses) {
    const total = weightOf[from] ?? 0;
    const score = total === 0 ? 0 : ((ranks[from] ?? 0) * weight) / total;
    const known = scores[to] as Map<string, number>;
    known.set(name, (known.get(name) ?? 0) + score);
  }
  return scores;
}

function mainSymbols(facts: FileFacts, scores: ReadonlyMap<string, number>): readonly MappedSymbol[] {
  const seen = new Set<string>();
  const distinct = facts.definitions.filter(({ name }) => !seen.has(name) && seen.add(name));
  const score = (definition: Definition): number => scores.get(definition.name) ?? 0;
  const isInner = (definition: Definition): number => (definition.container === null ? 0 : 1);
  return distinct
    .sort((a, b) => score(b) - score(a) || isInner(a) - isInner(b) || a.line - b.line)
    .slice(0, MOST_SYMBOLS)
    .sort((a, b) => a.line - b.line)
    .map(({ name, kind, container, line, signature }) => ({ name, kind, container, line, signature }));
}
