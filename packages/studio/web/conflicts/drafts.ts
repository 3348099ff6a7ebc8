/** What a person has decided so far, file by file, and the decisions that the operation gets in the end. */
import type { nameFromKey } from '../data/names.ts';
import type { Decisions } from '../take-back/requests.ts';
import { beginning, carriedOver, outsideOf, type Result } from './result.ts';
import { type ConflictFile, currentId, type MergedPart, type TextSides } from './sides.ts';

export type Draft = SideDraft | TextDraft;

export interface SideDraft {
  readonly kind: 'side';
  readonly side: 'ours' | 'theirs';
  readonly version: string;
}

export interface TextDraft extends Result {
  readonly kind: 'text';
  /** What it was made from. */
  readonly parts: readonly MergedPart[];
  readonly ending: TextSides['ending'];
  readonly version: string;
  /** The file changed, and the decisions were kept. */
  readonly isCarried?: boolean;
  /** Its lines came with an address that anybody may have made. Until a person has seen them, nothing is decided. */
  readonly given?: 'unseen' | 'seen';
}

export type Drafts = ReadonlyMap<string, Draft>;

/** Conflicts that are not decided. A draft that was made from other files counts as one. */
export function openIn(file: ConflictFile, draft: Draft | undefined): number {
  if (draft === undefined || draft.version !== file.version) return 1;
  if (draft.kind === 'text' && draft.given === 'unseen') return 1;
  return draft.kind === 'side' ? 0 : draft.regions.filter(({ choice }) => choice === null).length;
}

/** Whether a person would lose something if the view was left. */
export function hasDecisions(drafts: Drafts): boolean {
  return [...drafts.values()].some(
    (draft) => draft.kind === 'side' || !isOnlyDecided(draft) || draft.regions.some(({ choice }) => choice !== null),
  );
}

/** Everything that is decided, for the operation that writes it. */
export function decisionsOf(files: readonly ConflictFile[], drafts: Drafts): Decisions {
  const ours: ReturnType<typeof nameFromKey>[] = [];
  const theirs: typeof ours = [];
  const resolutions: NonNullable<Decisions['resolutions']>[number][] = [];
  for (const file of files) {
    const draft = drafts.get(file.key);
    if (draft === undefined) continue;
    if (draft.kind === 'side') (draft.side === 'ours' ? ours : theirs).push(file.path);
    // Then no line of it is by the person who decided.
    else if (isOnlyDecided(draft) && draft.regions.every(({ choice }) => choice === 'ours')) ours.push(file.path);
    else {
      const id = currentId(file);
      resolutions.push({
        path: file.path,
        content: draft.text.replaceAll('\n', draft.ending),
        ...(id === undefined ? {} : { ours: id }),
      });
    }
  }
  return { ours, theirs, resolutions };
}

/** The draft for a file that has changed since; null: it can only be kept as it is. */
export function carried(draft: TextDraft, { parts, ending }: TextSides, version: string): TextDraft | null {
  const result = carriedOver(draft, draft.parts, parts);
  return result === null ? null : { kind: 'text', ...result, parts, ending, version, isCarried: true };
}

/** Of an address that this browser has made itself. */
export function ownDraft(draft: Draft): Draft {
  if (draft.kind === 'side') return draft;
  const { given: _, ...own } = draft;
  return own;
}

/** Whether the text outside of the conflicts is as it was merged. */
export function isOnlyDecided(draft: TextDraft): boolean {
  return outsideOf(draft) === outsideOf(beginning(draft.parts));
}
