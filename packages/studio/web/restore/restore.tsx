/** Goes back to any point: which files, with or without the conversation. It shows first what would happen, with diffs. */
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useMemo, useState } from 'react';
import { callVerb, type Input } from '../api/call.ts';
import { useResolveConflicts } from '../conflicts/request.ts';
import { asSentence, shownLines, shownText } from '../data/names.ts';
import { clockText, plural } from '../data/times.ts';
import { useWorkspace } from '../data/workspace.ts';
import type { DiffFile } from '../diff/diff-file.ts';
import { DiffList } from '../diff/diff-list.tsx';
import { Empty, Failure, Loading } from '../parts/message.tsx';
import { ChosenFiles } from './chosen-files.tsx';
import { Points } from './points.tsx';
import { chosenPaths, previewFiles, type RestorePreview } from './preview-files.ts';
import { RestoreNotes } from './restore-notes.tsx';
import { RestoreOptions, without } from './restore-options.tsx';
import { type RestoreSearch, restoreInput } from './search.ts';
import { type Done, type RestoreAct, useRestore } from './use-restore.ts';

export function Restore() {
  const search = useSearch({ from: '/w/$workspace/restore' });
  const set = useSetSearch();
  const act = useRestore();
  const { server } = useWorkspace();
  if (server.isReadOnly) {
    return (
      <Empty title="Nothing can be restored here">
        <p>
          Studio was started with <code>--read-only</code>. Start it without that, or run{' '}
          <code>savepoint restore {shownText(search.to ?? 'last')} --dry-run</code> to look at it.
        </p>
      </Empty>
    );
  }
  return (
    <div className="restore">
      <div className="restore-side">
        <div className="view-head">
          <h1>Restore</h1>
        </div>
        <RestoreOptions search={search} onChange={set} />
        <h3>Go back to</h3>
        <Points
          chosen={search.to}
          onPoint={({ to, session }) => {
            const { file: _file, except: _except, session: _session, ...rest } = search;
            set({ ...rest, to, ...(session === null ? {} : { session }) });
          }}
        />
      </div>
      {search.to === undefined ? (
        <Empty title="Choose where to go back to">
          <p>Before a turn, everything that it did is undone, and all that came after it. You see it first.</p>
        </Empty>
      ) : (
        <What key={search.to} search={search} onChange={set} act={act} />
      )}
    </div>
  );
}

interface WhatProps {
  readonly search: RestoreSearch;
  readonly onChange: (search: RestoreSearch) => void;
  readonly act: RestoreAct;
}

function What({ search, onChange, act }: WhatProps) {
  const whole = usePreview(restoreInput(search, null));
  const files = useMemo(() => (whole.data === undefined ? [] : previewFiles(whole.data)), [whole.data]);
  const except = useMemo(() => new Set(search.except), [search.except]);
  const chosen = useMemo(() => (whole.data === undefined ? [] : chosenPaths(whole.data, except)), [whole.data, except]);
  // Also if the files that stay would not change now: they may again, before it is done.
  const isPart = except.size > 0;
  const isNone = isPart && chosen.length === 0;
  const input = restoreInput(search, isPart ? chosen : null);
  const part = usePreview(input, isPart && !isNone);
  const preview = isPart ? part.data : whole.data;
  const choose = useCallback(
    (keys: readonly string[], isChosen: boolean) => {
      const left = new Set(search.except);
      for (const key of keys)
        if (isChosen) left.delete(key);
        else left.add(key);
      onChange({ ...without(search, 'except'), ...(left.size > 0 ? { except: [...left] } : {}) });
    },
    [search, onChange],
  );
  const resolve = useResolveConflicts();
  const error = whole.error ?? part.error;
  if (error !== null) {
    const again = (): void => void Promise.all([whole.refetch(), isPart && part.refetch()]);
    return <Failure error={error} retry={again} />;
  }
  if (whole.data === undefined) return <Loading what="what would be restored" />;
  const shown = preview ?? whole.data;
  return (
    <div className="restore-what">
      <Head preview={shown} input={input} act={act} isReady={preview !== undefined} isNone={isNone} />
      {act.done?.target.id === shown.target.id && <Outcome done={act.done} />}
      {preview !== undefined && (
        <RestoreNotes
          preview={preview}
          onMode={(mode) => onChange({ ...search, mode })}
          onResolve={() =>
            resolve({
              call: { verb: 'restore', input },
              isDoneWithView: true,
            })
          }
        />
      )}
      {files.length > 0 && (
        <Files
          files={mergedWith(files, preview)}
          except={except}
          search={search}
          onFile={(file) => onChange({ ...search, file })}
          onChoose={choose}
        />
      )}
    </div>
  );
}

interface HeadProps {
  readonly preview: RestorePreview;
  readonly input: Input<'restore'>;
  readonly act: RestoreAct;
  /** Whether it is the preview of exactly what is chosen. */
  readonly isReady: boolean;
  readonly isNone: boolean;
}

function Head({ preview, input, act, isReady, isNone }: HeadProps) {
  const { target, outcome, conversation, plan, heads } = preview;
  const goesBack = conversation?.possible === true;
  const isPossible = outcome === 'ready' || (outcome === 'nothing' && goesBack);
  const files = plan.paths.filter(({ before, after }) => (before ?? after)?.kind !== 'folder').length;
  const folders = plan.paths.length - files;
  const words = [
    ...(files > 0 ? [plural(files, 'file')] : folders > 0 ? [plural(folders, 'folder')] : []),
    ...(heads.length > 0 ? [plural(heads.length, 'branch', 'branches')] : []),
    ...(goesBack ? ['the conversation'] : []),
  ];
  return (
    <div className="view-head changes-head">
      <div className="title">
        <h2 title={shownText(target.description)}>
          {target.id} <span>{shownText(target.description)}</span>
        </h2>
        <p>{clockText(target.time)}</p>
      </div>
      <span className="space" />
      {isNone && <span className="tag">No file is chosen.</span>}
      {!isNone && outcome === 'nothing' && !goesBack && (
        <span className="tag">Nothing to restore: the files are already so.</span>
      )}
      {!isNone && (isPossible || outcome !== 'nothing') && (
        <button
          type="button"
          className="button main"
          disabled={!isPossible || !isReady || act.isBusy}
          onClick={() => act.run(input, preview.fingerprint)}
        >
          {words.length === 0 ? 'Restore' : `Restore ${words.join(' and ')}`}
        </button>
      )}
    </div>
  );
}

/** What was done last, as long as the view is open: how a conversation continues must not vanish with a toast. */
function Outcome({ done }: { readonly done: Done }) {
  const { conversation, conversationRewound, error, continue: next, description, checkpoint } = done;
  return (
    <div className="outcome" role="status">
      <p>
        {conversation?.only === true ? 'Only the conversation went back.' : asSentence(shownText(description))}
        {checkpoint !== null && ` It is in ${checkpoint.id}; undo brings the files back.`}
      </p>
      {conversationRewound && next !== null && (
        <p>
          The conversation continues with <code>{shownText(next.command.join(' '))}</code>
        </p>
      )}
      {error !== null && (
        <p className="bad">
          The conversation did not go back: {shownLines(error.message)} {shownLines(error.hint)}
        </p>
      )}
    </div>
  );
}

interface FilesProps {
  readonly files: readonly DiffFile[];
  readonly except: ReadonlySet<string>;
  readonly search: RestoreSearch;
  readonly onFile: (key: string) => void;
  readonly onChoose: (keys: readonly string[], isChosen: boolean) => void;
}

function Files({ files, except, search, onFile, onChoose }: FilesProps) {
  const [top, setTop] = useState<string>();
  const acts = useCallback(
    ({ key }: DiffFile) => (except.has(key) ? <span className="tag">stays as it is</span> : null),
    [except],
  );
  return (
    <div className="changes">
      <ChosenFiles files={files} except={except} current={top} onFile={onFile} onChoose={onChoose} />
      <DiffList
        files={files}
        from={null}
        before={FOLDER}
        to={search.to ?? null}
        hasAuthors={false}
        isSideBySide={false}
        file={search.file}
        onFile={onFile}
        onTop={setTop}
        fileActs={acts}
      />
    </div>
  );
}

const FOLDER = { folder: 'now' } as const;

/** What is chosen may be merged in another way than together with the rest. */
function mergedWith(files: readonly DiffFile[], part: RestorePreview | undefined): readonly DiffFile[] {
  if (part === undefined) return files;
  const found = new Map(previewFiles(part).map((file) => [file.key, file]));
  return files.map((file) => found.get(file.key) ?? file);
}

/** No event tells of files that are in no checkpoint yet. */
const AGAIN_MS = 10_000;

function usePreview(input: Input<'restore'>, isEnabled = true) {
  const { id: workspace } = useWorkspace();
  return useQuery<RestorePreview>({
    queryKey: [workspace, 'live', 'restore', input],
    queryFn: async ({ signal }) =>
      (await callVerb(workspace, 'restore', { ...input, dryRun: true, detail: { patch: true } }, signal)).output,
    enabled: isEnabled,
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: AGAIN_MS,
  });
}

function useSetSearch(): (search: RestoreSearch) => void {
  const navigate = useNavigate();
  const { id: workspace } = useWorkspace();
  return useCallback(
    (search) =>
      void navigate({ to: '/w/$workspace/restore', params: { workspace }, search: search as never, replace: true }),
    [navigate, workspace],
  );
}
