/** The paths in conflict as the page shows them, and the contents of their sides. */
import { type JsonName, nameKey } from '../data/names.ts';
import type { Preview } from '../take-back/requests.ts';

type Conflict = Preview['plan']['conflicts'][number];
type WholeSides = NonNullable<Preview['detail']>['sides'][number];
type Entry = NonNullable<Conflict['sides']>['ours'];

export interface ConflictFile {
  readonly key: string;
  readonly path: JsonName;
  readonly why: string;
  /** Null: it cannot be decided path by path. */
  readonly entries: { readonly base: Entry; readonly ours: Entry; readonly theirs: Entry } | null;
  /** Another one, once a side has changed. */
  readonly version: string;
}

export type MergedPart =
  | { readonly kind: 'merged'; readonly content: string }
  | { readonly kind: 'conflict'; readonly base: string; readonly ours: string; readonly theirs: string };

/** The sides of a file that is merged line by line. */
export interface TextSides {
  /** Of all lines. In the texts, it is a line feed alone; a carriage return there belongs to its line. */
  readonly ending: '\n' | '\r\n';
  readonly base: string;
  readonly ours: string;
  readonly theirs: string;
  readonly parts: readonly MergedPart[];
}

export function conflictFiles({ plan }: Preview): readonly ConflictFile[] {
  const files = plan.conflicts.map(({ path, why, sides }) => {
    const entries = sides === null ? null : { base: sides.base, ours: sides.ours, theirs: sides.theirs };
    return { key: nameKey(path), path, why, entries, version: JSON.stringify(entries) };
  });
  return files.toSorted((one, other) => (one.key < other.key ? -1 : 1));
}

/** @returns null if a person can only choose a side: a side is missing, not text, or too long */
export function textSides({ base, ours, theirs, parts }: WholeSides): TextSides | null {
  if (parts === null || typeof ours !== 'string' || typeof theirs !== 'string') return null;
  if (base !== null && typeof base !== 'string') return null;
  const texts = parts.flatMap((part): readonly MergedPart[] => {
    if (part.kind === 'merged') return typeof part.content === 'string' ? [{ ...part, content: part.content }] : [];
    const { kind, base: before, ours: mine, theirs: other } = part;
    if (typeof before !== 'string' || typeof mine !== 'string' || typeof other !== 'string') return [];
    return [{ kind, base: before, ours: mine, theirs: other }];
  });
  if (texts.length < parts.length) return null;
  const all = [base ?? '', ours, theirs];
  const ending = all.some((text) => /(?:^|[^\r])\n/.test(text)) || !ours.includes('\n') ? '\n' : '\r\n';
  const inLines = (text: string): string => text.replaceAll(ending, '\n');
  return {
    ending,
    base: inLines(base ?? ''),
    ours: inLines(ours),
    theirs: inLines(theirs),
    parts: texts.map((part) =>
      part.kind === 'merged'
        ? { kind: part.kind, content: inLines(part.content) }
        : { kind: part.kind, base: inLines(part.base), ours: inLines(part.ours), theirs: inLines(part.theirs) },
    ),
  };
}

/** The id of the current file, from which a content was merged. */
export function currentId({ entries }: ConflictFile): string | undefined {
  const ours = entries?.ours;
  return ours === null || ours === undefined || ours.kind === 'folder' ? undefined : ours.id;
}
