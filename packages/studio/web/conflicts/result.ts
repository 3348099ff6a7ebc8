/** The result of a file: its text, and where each conflict is in it. */
import type { MergedPart } from './sides.ts';

export type Choice = 'ours' | 'theirs' | 'both' | 'edited';

export interface Region {
  readonly from: number;
  /** After its last character; a region without lines is empty. */
  readonly to: number;
  /** Null: not decided. */
  readonly choice: Choice | null;
}

export interface Result {
  /** With line feeds alone. */
  readonly text: string;
  readonly regions: readonly Region[];
}

/** The text without the lines of its conflicts. */
export function outsideOf({ text, regions }: Result): string {
  let from = 0;
  const kept: string[] = [];
  for (const region of regions) {
    kept.push(text.slice(from, region.from));
    from = region.to;
  }
  return [...kept, text.slice(from)].join('\0');
}

/**
 * What was decided, in a merge of other files: a conflict that is still the same keeps its lines.
 * @returns null if a person edited lines outside of the conflicts, because nothing says where these belong now
 */
export function carriedOver(result: Result, from: readonly MergedPart[], to: readonly MergedPart[]): Result | null {
  if (outsideOf(result) !== outsideOf(beginning(from))) return null;
  const known = from.filter((part) => part.kind === 'conflict');
  let text = '';
  const regions: Region[] = [];
  for (const part of to) {
    if (part.kind === 'merged') {
      text += part.content;
      continue;
    }
    const { base, ours, theirs } = part;
    const at = known.findIndex((one) => one.base === base && one.ours === ours && one.theirs === theirs);
    const region = result.regions[at];
    const lines = region === undefined ? ours : result.text.slice(region.from, region.to);
    regions.push({ from: text.length, to: text.length + lines.length, choice: region?.choice ?? null });
    text += lines;
  }
  return { text, regions };
}

/** The text that a file begins with: what is merged, and the current lines where nothing is decided. */
export function beginning(parts: readonly MergedPart[]): Result {
  return decided(parts, []);
}

/** What is merged, with the lines that were chosen for each conflict; those of one that is not decided are the current ones. */
export function decided(parts: readonly MergedPart[], choices: readonly (Choice | null)[]): Result {
  let text = '';
  const regions: Region[] = [];
  for (const part of parts) {
    if (part.kind === 'merged') {
      text += part.content;
      continue;
    }
    const choice = choices[regions.length] ?? null;
    const lines = chosenLines(choice, part);
    regions.push({ from: text.length, to: text.length + lines.length, choice });
    text += lines;
  }
  return { text, regions };
}

/** The lines of a choice. Edited ones begin as the current ones. */
export function chosenLines(
  choice: Choice | null,
  { ours, theirs }: { readonly ours: string; readonly theirs: string },
): string {
  if (choice !== 'both') return choice === 'theirs' ? theirs : ours;
  const isOpen = ours !== '' && !ours.endsWith('\n') && theirs !== '';
  return `${ours}${isOpen ? '\n' : ''}${theirs}`;
}
