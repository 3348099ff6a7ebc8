/** One fork: its facts, its commands with their output, and its diff against where it left the workspace. */
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import { ChangedFiles } from '../changes/changed-files.tsx';
import { PrintedOutput } from '../checks/printed-output.tsx';
import { shownName, shownText } from '../data/names.ts';
import { agoText, plural } from '../data/times.ts';
import { useWorkspace } from '../data/workspace.ts';
import { type DiffFile, diffFiles } from '../diff/diff-file.ts';
import { useSideKey } from '../diff/use-side-key.ts';
import { Counts } from '../parts/counts.tsx';
import { Empty, Failure, Loading } from '../parts/message.tsx';
import { useNow } from '../parts/use-now.ts';
import { type Command, useCommands } from '../shell/keys.ts';
import { ComparedWith, WORKSPACE } from './compared-with.tsx';
import { ForkActs } from './fork-acts.tsx';
import { ForkChecks, ForkState } from './fork-facts.tsx';
import { type ForkRow, useForkVerb, useFreshForks } from './fork-queries.ts';
import { ForkRuns } from './fork-runs.tsx';
import type { ForkSearch } from './search.ts';
import { type ForkCheck, useForkCheck } from './use-fork-check.ts';

const MINUTE = 60_000;

export function Fork() {
  const { fork: name } = useParams({ from: '/w/$workspace/forks/$fork' });
  const { data: fork, error, refetch } = useForkVerb('forkShow', { name });
  useFreshForks();
  useActKeys();
  const check = useForkCheck(name);
  if (error !== null && fork?.name !== name) return <Failure error={error} retry={() => void refetch()} />;
  if (fork?.name !== name) return <Loading what="the fork" />;
  return (
    <>
      <Head fork={fork} check={check} />
      {check.isBusy && <PrintedOutput lines={check.lines} />}
      <Place fork={fork} />
      <ForkRuns fork={fork} />
      <ForkDiff name={name} base={fork.base} />
    </>
  );
}

function Head({ fork, check }: { readonly fork: ForkRow; readonly check: ForkCheck }) {
  const { id: workspace } = useWorkspace();
  const now = useNow(MINUTE);
  const { name, state, totals, checkpoint, created, branch, checks } = fork;
  return (
    <div className="view-head changes-head">
      <div className="title">
        <h1>{shownText(name)}</h1>
        <p>
          <Link to="/w/$workspace/forks" params={{ workspace }}>
            fork
          </Link>{' '}
          of{' '}
          <Link to="/w/$workspace/changes" params={{ workspace }} search={{ to: checkpoint }}>
            {checkpoint}
          </Link>{' '}
          · {agoText(created, now)}
          {branch !== null && ` · branch ${shownText(branch)}`} · {plural(totals.files, 'file')}
        </p>
      </div>
      <Counts added={totals.added} removed={totals.removed} />
      <ForkState state={state} />
      <ForkChecks checks={checks} />
      <span className="space" />
      <ForkActs fork={fork} check={check} />
    </div>
  );
}

/** Where its files are, to open them elsewhere. */
function Place({ fork: { name, folder } }: { readonly fork: ForkRow }) {
  return (
    <p className="fork-place">
      {folder === null ? (
        <>
          It has no folder yet: <code>savepoint fork open {shownText(name)}</code> makes one.
        </>
      ) : (
        <code>{shownName(folder)}</code>
      )}
    </p>
  );
}

function ForkDiff({ name, base }: Pick<ForkRow, 'name' | 'base'>) {
  const { file, sides, with: other } = useSearch({ from: '/w/$workspace/forks/$fork' });
  const set = useSetSearch(name);
  const found = useForkVerb('forkDiff', { name, patch: true, ...(other === undefined ? {} : { other }) });
  const { error, refetch } = found;
  // Not the answer about another comparison.
  const data = found.isPlaceholderData ? undefined : found.data;
  const isAgainstNow = other === WORKSPACE;
  const files = useMemo(() => {
    const all = data === undefined ? [] : diffFiles(data.changes, data.patch);
    return isAgainstNow ? all : all.map(withoutImage);
  }, [data, isAgainstNow]);
  const toFile = useCallback((key: string) => set({ file: key }), [set]);
  useSideKey(sides === 'two', (wanted) => set({ sides: wanted }));
  const choice = (
    <ComparedWith fork={{ name }} other={other} onOther={(wanted) => set({ with: wanted, file: undefined })} />
  );
  if (error !== null && data === undefined) {
    return (
      <>
        {choice}
        <Failure error={error} retry={() => void refetch()} />
      </>
    );
  }
  if (data === undefined) return <Loading what="the changes" />;
  return (
    <>
      {choice}
      {files.length === 0 ? (
        <NoDifference isMerge={other === undefined} />
      ) : (
        <ChangedFiles
          of={`fork ${name} with ${other ?? ''}`}
          files={files}
          from={other === undefined ? base : null}
          to={null}
          hasAuthors={false}
          isSideBySide={sides === 'two'}
          file={file}
          onFile={toFile}
        />
      )}
    </>
  );
}

function NoDifference({ isMerge }: { readonly isMerge: boolean }) {
  return isMerge ? (
    <Empty title="Nothing to merge">
      <p>The fork has no changes that the workspace does not have.</p>
    </Empty>
  ) : (
    <Empty title="The files are the same">
      <p>Ignored files are not compared.</p>
    </Empty>
  );
}

/** The page can read images of checkpoints and of the workspace, not those of a fork. */
function withoutImage(file: DiffFile): DiffFile {
  if (!file.isImage) return file;
  return { ...file, isImage: false, notes: [...file.notes, 'An image: it is not shown for a fork.'] };
}

function useSetSearch(fork: string) {
  const navigate = useNavigate();
  const { id: workspace } = useWorkspace();
  return useCallback(
    (change: {
      readonly file?: string | undefined;
      readonly sides?: 'two' | undefined;
      readonly with?: string | undefined;
    }) =>
      void navigate({
        to: '/w/$workspace/forks/$fork',
        params: { workspace, fork },
        search: (now: ForkSearch) =>
          Object.fromEntries(Object.entries({ ...now, ...change }).filter(([, value]) => value !== undefined)) as never,
        replace: true,
      }),
    [navigate, workspace, fork],
  );
}

/** The keys press the buttons, so that what cannot be done now does nothing. */
function useActKeys(): void {
  const commands = useMemo<readonly Command[]>(
    () => [
      { keys: 'v', label: 'Check this fork', run: () => press('check') },
      { keys: 'm', label: 'Merge this fork', run: () => press('merge') },
      { keys: 'x', label: 'Drop this fork', run: () => press('drop') },
    ],
    [],
  );
  useCommands(commands);
}

function press(act: string): void {
  document.querySelector<HTMLButtonElement>(`.view-head [data-act="${act}"]`)?.click();
}
