/** A session, or a range of the timeline, step by step. It only reads: no file of the workspace changes. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { ChangedFiles } from '../changes/changed-files.tsx';
import { useVerb, useVerbPages } from '../data/verb-query.ts';
import { useWorkspace } from '../data/workspace.ts';
import { diffFiles } from '../diff/diff-file.ts';
import { useSideKey } from '../diff/use-side-key.ts';
import { Empty, Failure, Loading, Warnings } from '../parts/message.tsx';
import { type Command, useCommands } from '../shell/keys.ts';
import { ReplayBar } from './replay-bar.tsx';
import { ReplayHead } from './replay-head.tsx';
import type { ReplaySearch } from './search.ts';
import { StepHead } from './step-head.tsx';
import { placeOf, type Step, stepsOf } from './steps.ts';
import { nextSpeed, usePlaying } from './use-playing.ts';

const PAGE = 500;
/** Steps that are loaded; older ones are seen with a range. */
const MOST = 5_000;

export function Replay() {
  const search = useSearch({ from: '/w/$workspace/replay' });
  const set = useSetSearch();
  const { session } = search;
  const pages = useVerbPages('list', { view: 'turns', limit: PAGE, ...(session === undefined ? {} : { session }) });
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = pages;
  const loaded = pages.data?.pages.length ?? 0;
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && loaded * PAGE < MOST) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, loaded, fetchNextPage]);
  useSideKey(search.sides === 'two', (sides) => set({ sides }));
  const steps = useMemo(() => stepsOf(pages.data?.pages ?? [], search), [pages.data, search]);
  const isComplete = !hasNextPage || loaded * PAGE >= MOST;
  if (pages.error !== null && pages.data === undefined)
    return <Failure error={pages.error} retry={() => void pages.refetch()} />;
  return (
    <>
      <ReplayHead search={search} onChange={set} />
      {!isComplete || pages.data === undefined ? (
        <Loading what="the steps" />
      ) : steps.length === 0 ? (
        <Empty title="There is nothing to replay">
          <p>
            {search.session === undefined && search.from === undefined && search.to === undefined
              ? 'The first turn of an agent that changes a file appears here.'
              : 'No step is in this range. Choose another session, or clear the range.'}
          </p>
        </Empty>
      ) : (
        <Steps steps={steps} at={search.at} isSideBySide={search.sides === 'two'} onStep={(at) => set({ at })} />
      )}
    </>
  );
}

interface StepsProps {
  readonly steps: readonly Step[];
  readonly at: string | undefined;
  readonly isSideBySide: boolean;
  readonly onStep: (at: string) => void;
}

function Steps({ steps, at, isSideBySide, onStep }: StepsProps) {
  const current = placeOf(steps, at);
  const [file, setFile] = useState<string>();
  const toFile = useCallback((key: string) => setFile(key), []);
  const step = steps[current] as Step;
  const { data, error, refetch } = useStepDiff(step);
  useStepDiff(steps[current + 1]);
  const isShown = step.from === null || data?.to?.id === step.to || error !== null;
  const go = useCallback(
    (to: number) => {
      const wanted = steps[Math.max(0, Math.min(steps.length - 1, to))];
      setFile(undefined);
      if (wanted !== undefined) onStep(wanted.id);
    },
    [steps, onStep],
  );
  const playing = usePlaying(current, isShown, current === steps.length - 1, () => go(current + 1));
  useReplayKeys(current, steps.length, go, playing);
  const files = useMemo(() => (data === undefined ? [] : diffFiles(data.changes, data.patch)), [data]);
  return (
    <>
      <ReplayBar steps={steps} current={current} playing={playing} onGo={go} />
      <StepHead step={step} />
      {error !== null ? (
        <Failure error={error} retry={() => void refetch()} />
      ) : step.from === null ? (
        <Empty title="The state before is not known">
          <p>It is the first checkpoint, or the one before was dropped, so there is no difference to show.</p>
        </Empty>
      ) : data === undefined ? (
        <Loading what="the changes" />
      ) : (
        <>
          <Warnings warnings={data.warnings} />
          {files.length === 0 ? (
            <Empty title="No file changed in this step">
              <p>The agent answered, or what it did was taken back before the step ended.</p>
            </Empty>
          ) : (
            <ChangedFiles
              of={`${data.from?.id} ${data.to?.id}`}
              files={files}
              from={data.from?.id ?? null}
              to={data.to?.id ?? null}
              hasAuthors
              isSideBySide={isSideBySide}
              file={file}
              onFile={toFile}
            />
          )}
        </>
      )}
    </>
  );
}

function useStepDiff(step: Step | undefined) {
  const isKnown = step !== undefined && step.from !== null;
  return useVerb(
    'diff',
    { patch: true, from: step?.from ?? 'last', to: step?.to ?? 'last' },
    { isEnabled: isKnown, isFixed: true, keepsLast: true },
  );
}

function useReplayKeys(
  current: number,
  count: number,
  go: (to: number) => void,
  { setPlaying, setSpeed }: ReturnType<typeof usePlaying>,
): void {
  const latest = useRef({ current, count, go });
  latest.current = { current, count, go };
  const commands = useMemo<readonly Command[]>(() => {
    const step = (by: number) => () => {
      setPlaying(() => false);
      latest.current.go(latest.current.current + by);
    };
    return [
      { keys: 'ArrowRight', label: 'Next step', run: step(1) },
      { keys: 'ArrowLeft', label: 'Previous step', run: step(-1) },
      { keys: 'Home', label: 'First step', run: () => latest.current.go(0) },
      { keys: 'End', label: 'Last step', run: () => latest.current.go(latest.current.count - 1) },
      {
        keys: 'Space',
        label: 'Play or pause',
        run: () => {
          const { current: at, count: all, go: to } = latest.current;
          setPlaying((isPlaying) => !isPlaying);
          if (at === all - 1) to(0);
        },
      },
      { keys: '+', label: 'Play faster', run: () => setSpeed((speed) => nextSpeed(speed, 1)) },
      { keys: '-', label: 'Play slower', run: () => setSpeed((speed) => nextSpeed(speed, -1)) },
    ];
  }, [setPlaying, setSpeed]);
  useCommands(commands);
}

function useSetSearch() {
  const navigate = useNavigate();
  const { id: workspace } = useWorkspace();
  return useCallback(
    (change: { readonly [Name in keyof ReplaySearch]?: ReplaySearch[Name] | undefined }) =>
      void navigate({
        to: '/w/$workspace/replay',
        params: { workspace },
        search: (now: ReplaySearch) =>
          Object.fromEntries(
            Object.entries({ ...now, ...change }).filter(([, value]) => value !== undefined && value !== ''),
          ) as never,
        replace: true,
      }),
    [navigate, workspace],
  );
}
