import type { Change } from '../data/authors.ts';
import type { JsonName } from '../data/names.ts';
import { useVerb } from '../data/verb-query.ts';
import { type DiffFile, pathOfFile } from '../diff/diff-file.ts';
import { numbersOf } from '../diff/hunk-numbers.ts';
import type { PatchHunk } from '../diff/patch.ts';
import { hunkRequest, linesRequest } from '../take-back/requests.ts';
import { TakeBackButton } from '../take-back/take-back-button.tsx';
import { type Reversal, reversalOf, useLaterWork } from './reversals.ts';
import { TakenBackMark } from './taken-back-mark.tsx';

/** Takes back one hunk of one recorded change. */
export function HunkActs({ change, hunk }: { readonly change: Change; readonly hunk: PatchHunk }) {
  const { data } = useVerb('diff', { change: change.id }, { isFixed: true });
  const numbers = numbersOf(hunk, data?.hunks ?? []);
  if (numbers.length === 0) return null;
  const back = change.takenBackHunks.filter((one) => numbers.includes(one.hunk));
  if (change.takenBack !== null || back.length === numbers.length) {
    return <TakenBackMark path={change.path} by={change.takenBack ?? back[0]?.by ?? ''} />;
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
  const later = useLaterWork(at, file.key);
  const reversal = later === null ? null : reversalOf(hunk, later);
  const added = hunk.lines.flatMap(({ kind, after }) => (kind === 'added' && after !== null ? [after] : []));
  const removed = hunk.lines.flatMap(({ kind, before }) => (kind === 'removed' && before !== null ? [before] : []));
  const request = linesRequest(from, at, { path: pathOfFile(file), added, removed });
  return (
    <>
      {reversal !== null && <ReversalMark path={pathOfFile(file)} reversal={reversal} />}
      {reversal?.isWhole !== true && <TakeBackButton request={request} label="Take back" isQuiet />}
    </>
  );
}

function ReversalMark({ path, reversal: { by, isWhole } }: { readonly path: JsonName; readonly reversal: Reversal }) {
  if (by !== null) return <TakenBackMark path={path} by={by} isInPart={!isWhole} />;
  return (
    <span className="tag taken-back" title="The file has the lines from before again">
      {isWhole ? 'no longer there' : 'in part no longer there'}
    </span>
  );
}
