/** The changes of a turn, a checkpoint, a range or a single change, or what differs from the last checkpoint now. */
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import type { ContentSource } from '../api/call.ts';
import { useComments } from '../comments/use-comments.ts';
import { nameFromKey, shownText } from '../data/names.ts';
import { useVerb } from '../data/verb-query.ts';
import { useWorkspace } from '../data/workspace.ts';
import type { ChosenLines } from '../diff/chosen-lines.ts';
import { type DiffFile, diffFiles, pathOfFile } from '../diff/diff-file.ts';
import type { PatchHunk } from '../diff/patch.ts';
import { Empty, Failure, Loading, Warnings } from '../parts/message.tsx';
import { Review } from '../review/review.tsx';
import { usePlaces } from '../review/use-places.ts';
import { type Command, useCommands } from '../shell/keys.ts';
import { linesRequest } from '../take-back/requests.ts';
import { useTakeBack } from '../take-back/take-back.tsx';
import { numberOf } from '../timeline/rows.ts';
import { ChangedFiles } from './changed-files.tsx';
import { ChangesHead, canBeReviewed, type SetView } from './changes-head.tsx';
import { useChangesReview } from './changes-review.ts';
import { FileActs } from './file-acts.tsx';
import { HunkActs, LinesActs } from './hunk-acts.tsx';
import { NewestChanges } from './newest-changes.tsx';
import { type RecordedRange, useRecordedChanges } from './recorded.ts';
import type { ChangesSearch } from './search.ts';

export function Changes() {
  const search = useSearch({ from: '/w/$workspace/changes' });
  const set = useSetSearch();
  const { data, error, refetch } = useDiff(search);
  const hidesWhitespace = search.space === 'hidden';
  const files = useMemo(
    () => (data === undefined ? [] : diffFiles(data.changes, data.patch, { hidesWhitespace })),
    [data, hidesWhitespace],
  );
  const recorded = useRecordedChanges(useMemo(() => rangeOf(search, data), [search, data]));
  const isSideBySide = search.sides === 'two';
  const changesOf = useCallback(
    (key: string) => (recorded.get(key) ?? []).filter(({ id }) => search.change === undefined || id === search.change),
    [recorded, search.change],
  );
  const from = data?.from?.id ?? null;
  const to = data?.to?.id ?? null;
  // What several changes made is taken back by its lines.
  const hasHunkActs = useCallback(
    ({ key, change }: DiffFile) =>
      change.before !== null && change.after !== null && (changesOf(key).length === 1 || from !== null),
    [changesOf, from],
  );
  const canBeAlone = search.change === undefined && search.only === undefined;
  const fileActs = useCallback(
    (file: DiffFile) => (
      <>
        {file.isLeftOut && canBeAlone && <ShowAlone file={file} />}
        <FileActs file={file} changes={changesOf(file.key)} />
      </>
    ),
    [changesOf, canBeAlone],
  );
  const hunkActs = useCallback(
    (file: DiffFile, hunk: PatchHunk) => {
      const [change, ...others] = changesOf(file.key);
      if (change !== undefined && others.length === 0) return <HunkActs change={change} hunk={hunk} />;
      return from === null ? null : <LinesActs from={from} at={to} file={file} hunk={hunk} />;
    },
    [changesOf, from, to],
  );
  const takeBack = useTakeBack();
  const onTakeBackLines = useCallback(
    ({ file, added, removed }: ChosenLines) => {
      if (from !== null) takeBack(linesRequest(from, to, { path: pathOfFile(file), added, removed }));
    },
    [from, to, takeBack],
  );
  const comments = useComments({ from: from ?? undefined, at: to ?? undefined });
  const toFile = useCallback((file: string) => set({ file, line: undefined, side: undefined }), [set]);
  const isReviewed = search.review === 'on' && data !== undefined && canBeReviewed(search, data);
  const review = useChangesReview(data, isReviewed);
  const { target, onPlace } = usePlaces(files, search, set);
  const source = useMemo((): ContentSource => (to === null ? { folder: 'now' } : { at: to }), [to]);
  useViewKeys(isSideBySide, hidesWhitespace, set);
  if (error !== null && data === undefined) return <Failure error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Loading what="the changes" />;
  const lines = (
    <ChangedFiles
      of={`${data.from?.id} ${data.to?.id} ${search.change ?? ''} ${search.only ?? ''}`}
      files={files}
      from={data.from?.id ?? null}
      to={data.to?.id ?? null}
      hasAuthors
      isSideBySide={isSideBySide}
      file={search.file}
      target={target}
      findings={review.byLine}
      onFile={toFile}
      fileActs={fileActs}
      hasHunkActs={hasHunkActs}
      hunkActs={hunkActs}
      comments={comments}
      onTakeBackLines={from === null || !comments.canChange ? undefined : onTakeBackLines}
    />
  );
  return (
    <>
      <ChangesHead search={search} diff={data} recorded={recorded} onChange={set} />
      <Warnings warnings={data.warnings} />
      {files.length === 0 && <NoChanges search={search} from={from} />}
      {files.length > 0 && !isReviewed && lines}
      {files.length > 0 && isReviewed && (
        <Review
          search={search}
          onSearch={set}
          changes={data.changes}
          target={target}
          source={source}
          onPlace={onPlace}
          {...review}
        >
          {lines}
        </Review>
      )}
    </>
  );
}

function NoChanges({
  search: { from: wanted, to },
  from,
}: {
  readonly search: ChangesSearch;
  readonly from: string | null;
}) {
  const isFirst = from === null;
  const since = wanted === undefined ? 'the last checkpoint' : shownText(wanted);
  return (
    <Empty title={isFirst ? 'Nothing to compare' : 'Nothing changed here'}>
      <p>
        {isFirst
          ? 'There is no checkpoint before this state.'
          : to === undefined
            ? `The files are the same as in ${since}. New changes appear here.`
            : 'Both states have the same files.'}
      </p>
      <NewestChanges />
    </Empty>
  );
}

/** No event tells of files that are in no checkpoint yet. */
const AGAIN_MS = 2_500;

/** A checkpoint alone is compared with the one before it. */
function useDiff({ change, from, to, only }: ChangesSearch) {
  const isAlone = change === undefined && from === undefined && to !== undefined;
  const shown = useVerb('show', { checkpoint: to ?? 'last' }, { isEnabled: isAlone, isFixed: true });
  const before = isAlone ? shown.data?.previous : from;
  const isFixed = change !== undefined || to !== undefined;
  const diff = useVerb(
    'diff',
    change !== undefined
      ? { change, patch: true }
      : {
          patch: true,
          ...(before == null ? {} : { from: before }),
          ...(to === undefined ? {} : { to }),
          ...(only === undefined ? {} : { paths: [nameFromKey(only)] }),
        },
    {
      isEnabled: !isAlone || (shown.data !== undefined && before !== null),
      isFixed,
      keepsLast: !isFixed,
      ...(isFixed ? {} : { againMs: AGAIN_MS }),
    },
  );
  if (isAlone && shown.error !== null) return { data: undefined, error: shown.error, refetch: shown.refetch };
  if (isAlone && shown.data?.previous === null) {
    const nothing = {
      from: null,
      to: shown.data,
      changes: [],
      totals: shown.data.totals,
      rootChanges: [],
      patch: null,
      warnings: [],
      hunks: null,
    };
    return { data: nothing, error: null, refetch: shown.refetch };
  }
  return diff;
}

function rangeOf(
  { change, session }: ChangesSearch,
  diff: { readonly from: { readonly id: string } | null; readonly to: { readonly id: string } | null } | undefined,
): RecordedRange | null {
  if (diff?.to == null) return null;
  const upTo = numberOf(diff.to.id);
  const after = change !== undefined || diff.from === null ? upTo - 1 : numberOf(diff.from.id);
  return { after, upTo, session };
}

function ShowAlone({ file }: { readonly file: DiffFile }) {
  const { id: workspace } = useWorkspace();
  return (
    <Link
      className="button quiet small"
      to="/w/$workspace/changes"
      params={{ workspace }}
      search={(now: ChangesSearch) => ({ ...now, only: file.key })}
    >
      Show it alone
    </Link>
  );
}

function useSetSearch(): SetView {
  const navigate = useNavigate();
  const { id: workspace } = useWorkspace();
  return useCallback(
    (change) =>
      void navigate({
        to: '/w/$workspace/changes',
        params: { workspace },
        search: (now: ChangesSearch) => withoutUndefined({ ...now, ...change }) as never,
        replace: true,
      }),
    [navigate, workspace],
  );
}

function withoutUndefined(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function useViewKeys(isSideBySide: boolean, hidesWhitespace: boolean, set: SetView): void {
  const commands = useMemo<readonly Command[]>(
    () => [
      {
        keys: 's',
        label: isSideBySide ? 'Show the diff unified' : 'Show the diff side by side',
        run: () => set({ sides: isSideBySide ? undefined : 'two' }),
      },
      {
        keys: 'w',
        label: hidesWhitespace ? 'Show changes of white space' : 'Hide changes of white space',
        run: () => set({ space: hidesWhitespace ? undefined : 'hidden' }),
      },
    ],
    [isSideBySide, hidesWhitespace, set],
  );
  useCommands(commands);
}
