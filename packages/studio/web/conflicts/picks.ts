/** What was decided about each file, as the address keeps it: short, without the contents of files if that is possible. */
import { fieldsOf } from '../data/fields.ts';
import { type Draft, type Drafts, isOnlyDecided } from './drafts.ts';
import { type Choice, decided, type Region } from './result.ts';
import type { ConflictFile, TextSides } from './sides.ts';

/** By the key of the file. */
export type Picks = Readonly<Record<string, FilePick>>;

export type FilePick = SidePick | ChoicesPick | TextPick;

interface OfVersion {
  /** Of the version of the file: of another one, it does not count. */
  readonly of: string;
}

interface SidePick extends OfVersion {
  readonly side: 'ours' | 'theirs';
}

/** One for each conflict; null: not decided. */
interface ChoicesPick extends OfVersion {
  readonly choices: readonly (Choice | null)[];
}

/** Lines were edited by hand. */
interface TextPick extends OfVersion {
  readonly text: string;
  readonly regions: readonly Region[];
}

/** Of all texts in an address: browsers shorten longer addresses, or refuse them. */
const MOST_LETTERS = 200_000;

export function picksOf(files: readonly ConflictFile[], drafts: Drafts): Picks {
  let left = MOST_LETTERS;
  const picks = new Map<string, FilePick>();
  for (const { key, version } of files) {
    const draft = drafts.get(key);
    if (draft === undefined || draft.version !== version) continue;
    const pick = pickOf(draft);
    if ('text' in pick) left -= pick.text.length;
    if (left >= 0 || !('text' in pick)) picks.set(key, pick);
  }
  return Object.fromEntries(picks);
}

/**
 * @param sides of a file that is merged line by line
 * @returns null if the pick is of another file or another version. Lines that were edited by hand are not seen yet.
 */
export function draftOf(pick: FilePick, { version }: ConflictFile, sides: TextSides | null): Draft | null {
  if (pick.of !== digestOf(version)) return null;
  if ('side' in pick) return sides === null ? { kind: 'side', side: pick.side, version } : null;
  if (sides === null) return null;
  const { parts, ending } = sides;
  const conflicts = parts.filter(({ kind }) => kind === 'conflict').length;
  if ('choices' in pick) {
    if (pick.choices.length !== conflicts) return null;
    return { kind: 'text', ...decided(parts, pick.choices), parts, ending, version };
  }
  if (pick.regions.length !== conflicts || !isInOrder(pick)) return null;
  return { kind: 'text', text: pick.text, regions: pick.regions, parts, ending, version, given: 'unseen' };
}

export function isPickOf(pick: FilePick | undefined, { version }: ConflictFile): boolean {
  return pick !== undefined && pick.of === digestOf(version);
}

/** From an address. */
export function readPicks(given: unknown): Picks {
  const all = Object.entries(fieldsOf(given)).flatMap(([key, value]): readonly (readonly [string, FilePick])[] => {
    const { of, side, choices, text, regions } = fieldsOf(value);
    if (typeof of !== 'string') return [];
    if (side === 'ours' || side === 'theirs') return [[key, { of, side }]];
    if (Array.isArray(choices) && choices.every(isChoice)) return [[key, { of, choices }]];
    if (typeof text !== 'string' || !Array.isArray(regions) || !regions.every(isRegion)) return [];
    return [[key, { of, text, regions }]];
  });
  return Object.fromEntries(all);
}

function pickOf(draft: Draft): FilePick {
  const of = digestOf(draft.version);
  if (draft.kind === 'side') return { of, side: draft.side };
  const choices = draft.regions.map(({ choice }) => choice);
  const isShort = isOnlyDecided(draft) && decided(draft.parts, choices).text === draft.text;
  return isShort ? { of, choices } : { of, text: draft.text, regions: draft.regions };
}

function isChoice(value: unknown): value is Choice | null {
  return value === null || value === 'ours' || value === 'theirs' || value === 'both' || value === 'edited';
}

function isRegion(value: unknown): value is Region {
  const { from, to, choice } = fieldsOf(value);
  return Number.isSafeInteger(from) && Number.isSafeInteger(to) && isChoice(choice);
}

function isInOrder({ text, regions }: TextPick): boolean {
  let at = 0;
  for (const { from, to } of regions) {
    if (from < at || to < from || to > text.length) return false;
    at = to;
  }
  return true;
}

/** Short, and another one for each other version as far as matters: FNV-1a. */
function digestOf(version: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < version.length; at += 1) hash = Math.imul(hash ^ version.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(36);
}
