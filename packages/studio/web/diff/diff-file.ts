/** One file of a diff, in the form that all views of changes share. */
import type { Output } from '../api/call.ts';
import { nameFromKey, nameKey, shownName, textOf } from '../data/names.ts';
import { bytesText } from '../data/times.ts';
import { type PatchHunk, patchHunks } from './patch.ts';
import { withoutWhitespace } from './whitespace.ts';

type ChangeOfDiff = Output<'diff'>['changes'][number];
type Patch = Output<'diff'>['patch'];

/** A change without what its view does not need, so that diffs and plans fit. */
export type ListedChange = Pick<
  ChangeOfDiff,
  | 'path'
  | 'from'
  | 'operation'
  | 'before'
  | 'after'
  | 'beforeUncaptured'
  | 'afterUncaptured'
  | 'added'
  | 'removed'
  | 'beforeSize'
  | 'afterSize'
>;

export interface DiffFile {
  readonly key: string;
  readonly change: ListedChange;
  /** Safe to show. */
  readonly title: string;
  /** Safe to show: the path before a rename. */
  readonly from: string | null;
  readonly hunks: readonly PatchHunk[];
  /** What the lines do not say, or why there are none; safe to show. */
  readonly notes: readonly string[];
  readonly isImage: boolean;
  /** The diff of all files was too long for it. */
  readonly isLeftOut: boolean;
}

export interface DiffOptions {
  readonly hidesWhitespace?: boolean;
}

export function diffFiles(
  changes: readonly ListedChange[],
  patch: Patch,
  { hidesWhitespace = false }: DiffOptions = {},
): readonly DiffFile[] {
  const hunks = patchHunks(patch == null ? '' : textOf(patch.text));
  const gaps = new Map(patch?.gaps.map(({ path, why }) => [nameKey(path), why]));
  return changes.map((change) => {
    const key = nameKey(change.path);
    const isMoved = change.operation === 'rename' && change.added === 0 && change.removed === 0;
    const gap = gaps.get(key);
    const isImage = /\.(?:png|jpe?g|gif|webp|avif|ico|bmp)$/i.test(key) && gap === 'binary';
    const all = isMoved ? [] : (hunks.get(key) ?? []);
    const shown = hidesWhitespace ? withoutWhitespace(all) : all;
    return {
      key,
      change,
      title: shownName(change.path),
      from: change.from === null ? null : shownName(change.from),
      hunks: shown,
      notes: [
        ...notesOf(change, isImage && gap === 'binary' ? undefined : gap),
        ...(all.length > 0 && shown.length === 0 ? ['Only white space changed.'] : []),
      ],
      isImage,
      isLeftOut: gap === 'left-out' || gap === 'cut',
    };
  });
}

export function pathOfFile({ key }: DiffFile) {
  return nameFromKey(key);
}

/** Another one once the state before has another content: the folder can change while its diff is shown. */
export function versionBefore({ change: { before } }: DiffFile): string {
  return before !== null && 'id' in before ? before.id : '';
}

const GAPS: Readonly<Record<string, string>> = {
  binary: 'A binary file: its bytes are not shown as lines.',
  'too-long': 'Too long to show line by line.',
  cut: 'The diff is too long. Only its start is shown.',
  'left-out': 'The diff of all files is too long, so this one is left out.',
  damaged: 'The store is damaged here, so a content is missing. `savepoint verify --deep` says which.',
};

function notesOf(change: ListedChange, gap: string | undefined): readonly string[] {
  const { before, after, beforeUncaptured, afterUncaptured, operation, from } = change;
  const modes = [before, after].map((entry) => (entry === null || entry.kind === 'link' ? null : entry.mode));
  const [oldMode, newMode] = modes;
  const isModeNew = oldMode != null && newMode != null && oldMode !== newMode;
  const kinds = [before?.kind, after?.kind];
  return [
    ...(from !== null && before !== null && isSame(before, after) ? ['Renamed. The content is the same.'] : []),
    ...(isModeNew ? [`Permissions ${oldMode} → ${newMode}`] : []),
    ...(operation === 'kind' ? [`A ${kinds[0] ?? 'path'} became a ${kinds[1] ?? 'path'}`] : []),
    ...(kinds.includes('link') ? ['A symbolic link: the line is its target.'] : []),
    ...(kinds.every((kind) => kind === 'folder' || kind === undefined) ? ['A folder'] : []),
    ...(beforeUncaptured !== null ? [`The state before was not captured: ${beforeUncaptured}`] : []),
    ...(afterUncaptured !== null ? [`The state after was not captured: ${afterUncaptured}`] : []),
    ...(gap === undefined ? [] : [`${GAPS[gap] ?? gap}${gap === 'binary' ? sizesText(change) : ''}`]),
  ];
}

function isSame(before: NonNullable<ListedChange['before']>, after: ListedChange['after']): boolean {
  return 'id' in before && after !== null && 'id' in after && before.id === after.id;
}

function sizesText({ beforeSize, afterSize }: ListedChange): string {
  const sizes = [beforeSize, afterSize].filter((size) => size !== null).map(bytesText);
  return sizes.length === 0 ? '' : ` ${sizes.join(' → ')}.`;
}
