import type { Change } from '../data/authors.ts';
import { useVerb } from '../data/verb-query.ts';
import { type DiffFile, pathOfFile } from '../diff/diff-file.ts';
import { numbersOf } from '../diff/hunk-numbers.ts';
import type { PatchHunk } from '../diff/patch.ts';
import { hunkRequest, linesRequest } from '../take-back/requests.ts';
import { TakeBackButton } from '../take-back/take-back-button.tsx';

/** Takes back one hunk of one recorded change. */
export function HunkActs({ change, hunk }: { readonly change: Change; readonly hunk: PatchHunk }) {
  const { data } = useVerb('diff', { change: change.id }, { isFixed: true });
  const numbers = numbersOf(hunk, data?.hunks ?? []);
  if (numbers.length === 0) return null;
  const back = change.takenBackHunks.filter((one) => numbers.includes(one.hunk));
  if (change.takenBack !== null || back.length === numbers.length) {
    return <span className="tag taken-back">taken back by {change.takenBack ?? back[0]?.by}</span>;
  }
  const ids = numbers.map((number) => `${change.id}:${number}`);
  return <TakeBackButton request={hunkRequest(change.path, ids)} label="Take back" isQuiet />;
}

export interface LinesActsProps {
  readonly from: string;
  /** Null: the folder as it is now. */
  readonly at: string | null;
  readonly file: DiffFile;
  readonly hunk: PatchHunk;
}

/** Takes back a hunk of a net difference, which several changes may have made. */
export function LinesActs({ from, at, file, hunk }: LinesActsProps) {
  const added = hunk.lines.flatMap(({ kind, after }) => (kind === 'added' && after !== null ? [after] : []));
  const removed = hunk.lines.flatMap(({ kind, before }) => (kind === 'removed' && before !== null ? [before] : []));
  const request = linesRequest(from, at, { path: pathOfFile(file), added, removed });
  return <TakeBackButton request={request} label="Take back" isQuiet />;
}
