/** Which files use names that other files define. It goes by the names alone, so it needs no resolver. */

import type { FileFacts } from '../facts.ts';

export interface References {
  readonly uses: readonly NameUse[];
  /** For each file, the weights of all its uses together. */
  readonly weightOf: Float64Array;
}

/** That a file uses a name which another file defines. Files are numbers: places in the list of files. */
export interface NameUse {
  readonly from: number;
  readonly to: number;
  readonly name: string;
  readonly weight: number;
}

/** A name that more files define than this says nothing about any of them. */
const MOST_DEFINERS = 20;
const SHORTEST_NAME = 3;
/** Members may be of something else that has the same name. */
const MEMBER_WEIGHT = 0.5;

/** A file never refers to itself, and the fewer files define and use a name, the more its uses weigh. */
export function referencesBetween(files: readonly FileFacts[]): References {
  const definers = definersOf(files);
  const users = usersOf(files, definers);
  const uses: NameUse[] = [];
  const weightOf = new Float64Array(files.length);
  for (const [name, counts] of users) {
    const defining = definers.get(name) ?? [];
    const rarity = Math.log(1 + files.length / counts.size) / defining.length;
    for (const [from, count] of counts) {
      const weight = Math.sqrt(count) * rarity;
      for (const to of defining) {
        if (to === from) continue;
        uses.push({ from, to, name, weight });
        weightOf[from] = (weightOf[from] ?? 0) + weight;
      }
    }
  }
  return { uses, weightOf };
}

function definersOf(files: readonly FileFacts[]): ReadonlyMap<string, readonly number[]> {
  const definers = new Map<string, number[]>();
  for (const [file, { definitions }] of files.entries()) {
    for (const { name } of definitions) {
      if (name.length < SHORTEST_NAME) continue;
      const known = definers.get(name);
      if (known === undefined) definers.set(name, [file]);
      else if (known.at(-1) !== file) known.push(file);
    }
  }
  for (const [name, known] of definers) if (known.length > MOST_DEFINERS) definers.delete(name);
  return definers;
}

/** For each name, how often each file uses it. */
function usersOf(
  files: readonly FileFacts[],
  definers: ReadonlyMap<string, readonly number[]>,
): ReadonlyMap<string, ReadonlyMap<number, number>> {
  const users = new Map<string, Map<number, number>>();
  const add = (file: number, name: string, count: number): void => {
    if (!definers.has(name)) return;
    let counts = users.get(name);
    if (counts === undefined) {
      counts = new Map();
      users.set(name, counts);
    }
    counts.set(file, (counts.get(file) ?? 0) + count);
  };
  for (const [file, facts] of files.entries()) {
    for (const { name, count } of facts.uses) add(file, name, count);
    for (const { name, count } of facts.memberUses) add(file, name, count * MEMBER_WEIGHT);
    for (const { names, from } of facts.imports) {
      for (const imported of names) {
        add(file, imported.name, 1);
        for (const { name, count } of imported.members) add(file, name, count);
      }
      if (names.length === 0) add(file, lastPartOf(from), 1);
    }
  }
  return users;
}

/** What a dotted name in a string names: `patch("package.module.name")`. */
function lastPartOf(from: string): string {
  return from.slice(from.lastIndexOf('.') + 1);
}
