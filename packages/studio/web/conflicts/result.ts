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

/** The text that a file begins with: what is merged, and the current lines where nothing is decided. */
export function beginning(parts: readonly MergedPart[]): Result {
  let text = '';
  const regions: Region[] = [];
  for (const part of parts) {
    const added = part.kind === 'merged' ? part.content : part.ours;
    if (part.kind === 'conflict') regions.push({ from: text.length, to: text.length + added.length, choice: null });
    text += added;
  }
  return { text, regions };
}
