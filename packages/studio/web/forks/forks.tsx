/** The forks of the workspace, side by side: what each changes, how its checks went, and whether they merge. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useMemo, useRef } from 'react';
import { shownText } from '../data/names.ts';
import { plural } from '../data/times.ts';
import { useWorkspace } from '../data/workspace.ts';
import { Empty, Failure, Loading, Warnings } from '../parts/message.tsx';
import { type Command, useCommands } from '../shell/keys.ts';
import { CreateForkDialog } from './create-fork-dialog.tsx';
import { DroppedForks } from './dropped-forks.tsx';
import { type ForkRow, useForkFiles, useForkVerb, useFreshForks } from './fork-queries.ts';
import { ForksTable } from './forks-table.tsx';
import type { ForksSearch } from './search.ts';

/** More columns than this are compared only if they are chosen. */
const MOST_AT_FIRST = 6;

export function Forks() {
  const { server } = useWorkspace();
  const search = useSearch({ from: '/w/$workspace/forks' });
  const set = useSetSearch();
  const { data, error, refetch } = useForkVerb('forkList', {});
  useFreshForks();
  const all = useMemo(() => data?.forks ?? [], [data]);
  const chosen = useMemo(() => chosenOf(all, search.names), [all, search.names]);
  useForkKeys(() => set({ from: 'now' }), !server.isReadOnly);
  if (error !== null && data === undefined) return <Failure error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Loading what="the forks" />;
  return (
    <>
      <div className="view-head">
        <h1>Forks</h1>
        {all.length > 2 && <Chooser all={all} chosen={chosen} onChoose={(names) => set({ names: names.join(',') })} />}
        <span className="space" />
        {!server.isReadOnly && (
          <button type="button" className="button" onClick={() => set({ from: 'now' })}>
            New fork
          </button>
        )}
      </div>
      <Warnings warnings={data.warnings} />
      {all.length === 0 ? (
        <Empty title="There are no forks">
          <p>
            A fork is a copy of the workspace with a timeline of its own, to try something in. Its changes are merged
            back when you want them. <code>savepoint fork create NAME -- COMMAND</code> runs an agent in one.
          </p>
        </Empty>
      ) : (
        <Comparison forks={chosen} />
      )}
      <DroppedForks dropped={data.dropped} />
      {search.from !== undefined && !server.isReadOnly && (
        <CreateForkDialog from={search.from} onClose={() => set({ from: undefined })} />
      )}
    </>
  );
}

function Comparison({ forks }: { readonly forks: readonly ForkRow[] }) {
  const names = forks.map(({ name }) => name);
  const files = useForkFiles(names);
  const { data, error } = useForkVerb('forkCompare', { names }, names.length > 1);
  return (
    <>
      {error !== null && <Failure error={error} />}
      <ForksTable forks={forks} files={files} compared={names.length > 1 ? data : undefined} />
    </>
  );
}

interface ChooserProps {
  readonly all: readonly ForkRow[];
  readonly chosen: readonly ForkRow[];
  readonly onChoose: (names: readonly string[]) => void;
}

function Chooser({ all, chosen, onChoose }: ChooserProps) {
  const isChosen = new Set(chosen.map(({ name }) => name));
  return (
    <fieldset className="choice fork-choice">
      <legend className="hidden">Forks that are compared</legend>
      {all.map(({ name }) => (
        <button
          key={name}
          type="button"
          aria-pressed={isChosen.has(name)}
          onClick={() =>
            onChoose(
              all.map((one) => one.name).filter((one) => (one === name ? !isChosen.has(one) : isChosen.has(one))),
            )
          }
        >
          {shownText(name)}
        </button>
      ))}
      <span className="hidden">{plural(chosen.length, 'fork')} compared</span>
    </fieldset>
  );
}

function chosenOf(all: readonly ForkRow[], names: string | undefined): readonly ForkRow[] {
  if (names === undefined) return all.slice(0, MOST_AT_FIRST);
  const wanted = new Set(names.split(','));
  const found = all.filter(({ name }) => wanted.has(name));
  return found.length === 0 ? all.slice(0, MOST_AT_FIRST) : found;
}

function useForkKeys(create: () => void, canChange: boolean): void {
  const latest = useRef(create);
  latest.current = create;
  const commands = useMemo<readonly Command[]>(
    () => [
      { keys: 'j', label: 'Next fork', run: () => stepFork(1) },
      { keys: 'k', label: 'Previous fork', run: () => stepFork(-1) },
      ...(canChange
        ? [{ keys: 'f', label: 'Create a fork of the files as they are now', run: () => latest.current() }]
        : []),
    ],
    [canChange],
  );
  useCommands(commands);
}

function stepFork(by: number): void {
  const all = [...document.querySelectorAll<HTMLElement>('[data-fork]')];
  const at = all.indexOf(document.activeElement as HTMLElement);
  const next = all[at < 0 ? 0 : at + by];
  next?.focus();
  next?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
}

function useSetSearch() {
  const navigate = useNavigate();
  const { id: workspace } = useWorkspace();
  return useCallback(
    (change: { readonly names?: string; readonly from?: string | undefined }) =>
      void navigate({
        to: '/w/$workspace/forks',
        params: { workspace },
        search: (now: ForksSearch) => withoutUndefined({ ...now, ...change }) as never,
        replace: true,
      }),
    [navigate, workspace],
  );
}

function withoutUndefined(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== ''));
}
