/** What a person has decided so far, file by file, and the decisions that an act gets in the end. */
import type { nameFromKey } from '../data/names.ts';
import type { Decisions } from '../take-back/requests.ts';
import type { Region } from './result.ts';
import { type ConflictFile, currentId, type TextSides } from './sides.ts';

export type Draft =
  | { readonly kind: 'side'; readonly side: 'ours' | 'theirs'; readonly version: string }
  | {
      readonly kind: 'text';
      /** With line feeds alone. */
      readonly text: string;
      readonly ending: TextSides['ending'];
      readonly regions: readonly Region[];
      /** Whether the text outside of the conflicts is as it was merged. */
      readonly isOnlyDecided: boolean;
      readonly version: string;
    };

export type Drafts = ReadonlyMap<string, Draft>;

/** Conflicts that are not decided. A draft that was made from other files counts as one. */
export function openIn(file: ConflictFile, draft: Draft | undefined): number {
  if (draft === undefined || draft.version !== file.version) return 1;
  return draft.kind === 'side' ? 0 : draft.regions.filter(({ choice }) => choice === null).length;
}

/** Whether a person would lose something if the view was left. */
export function hasDecisions(drafts: Drafts): boolean {
  return [...drafts.values()].some(
    (draft) => draft.kind === 'side' || !draft.isOnlyDecided || draft.regions.some(({ choice }) => choice !== null),
  );
}

/** Everything that is decided, for the one act that writes it. */
export function decisionsOf(files: readonly ConflictFile[], drafts: Drafts): Decisions {
  const ours: ReturnType<typeof nameFromKey>[] = [];
  const theirs: typeof ours = [];
  const resolutions: NonNullable<Decisions['resolutions']>[number][] = [];
  for (const file of files) {
    const draft = drafts.get(file.key);
    if (draft === undefined) continue;
    if (draft.kind === 'side') (draft.side === 'ours' ? ours : theirs).push(file.path);
    // Then no line of it is by the person who decided.
    else if (draft.isOnlyDecided && draft.regions.every(({ choice }) => choice === 'ours')) ours.push(file.path);
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
