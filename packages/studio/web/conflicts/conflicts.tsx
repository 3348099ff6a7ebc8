/** Resolves the conflicts of an operation, file by file. Nothing is written before all are resolved; then all is written at once. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useBlocker, useNavigate, useRouter } from '@tanstack/react-router';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { nameKey, shownName, shownText } from '../data/names.ts';
import { plural } from '../data/times.ts';
import { useWorkspace } from '../data/workspace.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Empty, Failure, Loading } from '../parts/message.tsx';
import { type Command, useCommands } from '../shell/keys.ts';
import { send } from '../take-back/perform.ts';
import type { Decisions, Preview } from '../take-back/requests.ts';
import { useTakeBack } from '../take-back/take-back.tsx';
import { type ConflictsAddress, fragmentOf } from './address.ts';
import { ConflictList } from './conflict-list.tsx';
import { carried, type Draft, type Drafts, decisionsOf, hasDecisions, openIn, ownDraft } from './drafts.ts';
import { draftOf, type FilePick, isPickOf, picksOf } from './picks.ts';
import { type OpenedConflicts, useOpenedConflicts, wordsOf } from './request.ts';
import { SideConflict } from './side-conflict.tsx';
import { type ConflictFile, conflictFiles, textSides } from './sides.ts';
import { TextConflict } from './text-conflict.tsx';

export function Conflicts() {
  const opened = useOpenedConflicts();
  if (opened !== null) return <Resolve key={JSON.stringify(opened.call)} request={opened} />;
  return (
    <Empty title="There are no conflicts to resolve">
      <p>
        When something is taken back, restored, applied or merged and does not fit what changed since, its preview leads
        here.
      </p>
    </Empty>
  );
}

function Resolve({ request }: { readonly request: OpenedConflicts }) {
  const [drafts, setDrafts] = useState<Drafts>(new Map());
  const [wanted, setWanted] = useState(request.file);
  // What the address said at first: later, it only follows.
  const [picks] = useState(request.picks);
  const preview = usePreview(request, null);
  const files = useMemo(() => (preview.data === undefined ? [] : conflictFiles(preview.data)), [preview.data]);
  const current = files.find(({ key }) => key === wanted) ?? files[0];
  const done = useRef(false);
  const blocker = useLeaving(() => !done.current && hasDecisions(drafts));
  const [refused, setRefused] = useState<ReadonlySet<string>>(new Set());
  const setDraft = useCallback((key: string, draft: Draft | null) => {
    if (draft === null) setRefused((now) => new Set([...now, key]));
    else setDrafts((now) => new Map([...now, [key, draft]]));
  }, []);
  const step = useStep(files, current, drafts, setWanted);
  const finish = useFinish(request, files, drafts, () => {
    done.current = true;
  });
  useAddress(request, files, drafts, wanted);
  if (preview.error !== null) return <Failure error={preview.error} retry={() => void preview.refetch()} />;
  if (preview.data === undefined) return <Loading what="the conflicts" />;
  const { title, act } = wordsOf(request.call);
  const waiting = files.filter(
    (file) => isPickOf(picks[file.key], file) && !drafts.has(file.key) && !refused.has(file.key),
  );
  const open = files.reduce((sum, file) => sum + openIn(file, drafts.get(file.key)), 0);
  const unresolved = files.filter((file) => openIn(file, drafts.get(file.key)) > 0).length;
  return (
    <>
      <div className="view-head">
        <h1>{title}</h1>
        <p className="hint" role="status">
          {files.length === 0
            ? 'No conflict is left.'
            : unresolved === 0
              ? `${files.length === 1 ? 'The file is' : `All ${files.length} files are`} resolved. Nothing is written yet.`
              : `${unresolved} of ${plural(files.length, 'file')} to resolve. Nothing is written until all are resolved.`}
        </p>
        <span className="space" />
        <button type="button" className="button main" disabled={open > 0} onClick={finish}>
          {act} …
        </button>
      </div>
      {current === undefined ? (
        <Empty title="The files changed, and nothing conflicts any more">
          <p>Look at the preview to see what is done now.</p>
        </Empty>
      ) : (
        <div className="conflicts">
          <ConflictList files={files} drafts={drafts} current={current.key} onFile={setWanted} />
          {waiting.map((file) => (
            <PickedFile
              key={file.key}
              request={request}
              file={file}
              pick={picks[file.key] as FilePick}
              onDraft={setDraft}
            />
          ))}
          {waiting.includes(current) ? (
            <Loading what="the file" />
          ) : (
            <File
              key={current.key}
              request={request}
              file={current}
              draft={drafts.get(current.key)}
              onDraft={setDraft}
              onStep={step}
            />
          )}
        </div>
      )}
      {blocker.status === 'blocked' && (
        <Dialog
          title="Leave without writing the results?"
          onClose={blocker.reset}
          foot={
            <>
              <button type="button" className="button" onClick={blocker.proceed}>
                Leave
              </button>
              <button type="button" className="button main" onClick={blocker.reset}>
                Stay
              </button>
            </>
          }
        >
          <p>What you decided here is lost then. No file was changed.</p>
        </Dialog>
      )}
    </>
  );
}

interface PickedFileProps {
  readonly request: OpenedConflicts;
  readonly file: ConflictFile;
  readonly pick: FilePick;
  readonly onDraft: (key: string, draft: Draft | null) => void;
}

/** Decides about a file as the address says, once its contents are there. */
function PickedFile({ request, file, pick, onDraft }: PickedFileProps) {
  const { data, error } = usePreview(request, file);
  useEffect(() => {
    if (data === undefined && error === null) return;
    const whole = data?.detail?.sides.find((one) => nameKey(one.path) === file.key);
    const draft = draftOf(pick, file, whole === undefined ? null : textSides(whole));
    onDraft(file.key, draft !== null && request.hasViewBefore ? ownDraft(draft) : draft);
  }, [data, error, file, pick, onDraft, request.hasViewBefore]);
  return null;
}

interface FileProps {
  readonly request: OpenedConflicts;
  readonly file: ConflictFile;
  readonly draft: Draft | undefined;
  readonly onDraft: (key: string, draft: Draft) => void;
  readonly onStep: (by: 1 | -1) => void;
}

function File({ request, file, draft, onDraft, onStep }: FileProps) {
  const { key, version, entries, path, why } = file;
  const { data, error, refetch } = usePreview(request, file);
  const whole = data?.detail?.sides.find((one) => nameKey(one.path) === key) ?? null;
  const sides = useMemo(() => (whole === null ? null : textSides(whole)), [whole]);
  const note = useCallback((next: Draft) => onDraft(key, next), [onDraft, key]);
  const isStale = draft !== undefined && draft.version !== version;
  const taken = useMemo(
    () => (isStale && draft.kind === 'text' && sides !== null ? carried(draft, sides, version) : null),
    [isStale, draft, sides, version],
  );
  useEffect(() => {
    if (taken !== null) note(taken);
  }, [taken, note]);
  const text = taken ?? (draft?.kind === 'text' ? draft : undefined);
  const isUnseen = text?.given === 'unseen' && sides !== null;
  useEffect(() => {
    if (isUnseen) note({ ...text, given: 'seen' });
  }, [isUnseen, text, note]);
  return (
    <section className="conflict-file" aria-label={shownName(path)}>
      <div className="file-head">
        <h2>{shownName(path)}</h2>
        <span className="why">{shownText(why)}</span>
      </div>
      {text?.given !== undefined && (
        <p className="notice" role="alert">
          Lines of this result were edited by hand and came with the address. Look at all of it before you write it.
        </p>
      )}
      {text?.isCarried === true && (
        <p className="notice" role="alert">
          This file changed meanwhile. Your decisions are kept; look at the result once more.
        </p>
      )}
      {isStale && taken === null && data !== undefined && (
        <p className="notice" role="alert">
          This file changed meanwhile.
          {draft.kind === 'text' && ' Your result is kept, but does not have these changes: compare it with yours.'}
          <button type="button" className="button small" onClick={() => note({ ...draft, version })}>
            {draft.kind === 'text' ? 'Keep my result' : 'Decide the same'}
          </button>
        </p>
      )}
      {error !== null ? (
        <Failure error={error} retry={() => void refetch()} />
      ) : data === undefined ? (
        <Loading what="the file" />
      ) : entries === null ? (
        <Empty title="This cannot be resolved here">
          <p>It needs another decision first. Go back, and choose in the preview.</p>
        </Empty>
      ) : sides === null ? (
        <SideConflict
          file={file}
          sides={whole}
          chosen={draft?.kind === 'side' && !isStale ? draft.side : null}
          onChoose={(side) => note({ kind: 'side', side, version })}
        />
      ) : (
        <TextConflict key={version} file={file} sides={sides} draft={text} onDraft={note} onBeyond={onStep} />
      )}
    </section>
  );
}

/** What the operation would do now, with the contents of one file. Asked again with each event. */
function usePreview({ call, more }: OpenedConflicts, file: ConflictFile | null) {
  const { id: workspace } = useWorkspace();
  const sides = file === null ? [] : [file.path];
  return useQuery<Preview>({
    queryKey: [workspace, 'live', 'conflicts', call, more, sides, file?.version],
    queryFn: async () => (await send(workspace, call, { ...more, dryRun: true, detail: { sides } })).output,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Goes to the next file, first to one that is not resolved. */
function useStep(
  files: readonly ConflictFile[],
  current: ConflictFile | undefined,
  drafts: Drafts,
  onFile: (key: string) => void,
): (by: 1 | -1) => void {
  const step = useCallback(
    (by: 1 | -1) => {
      const at = current === undefined ? -1 : files.indexOf(current);
      const order = files.map((_, index) => files[(at + by * (index + 1) + files.length * 2) % files.length]);
      const next = order.find((file) => file !== undefined && openIn(file, drafts.get(file.key)) > 0) ?? order[0];
      if (next !== undefined) onFile(next.key);
    },
    [files, current, drafts, onFile],
  );
  const commands = useMemo<readonly Command[]>(
    () => [
      { keys: ']', label: 'Next file with conflicts', run: () => step(1) },
      { keys: '[', label: 'Previous file with conflicts', run: () => step(-1) },
    ],
    [step],
  );
  useCommands(commands);
  return step;
}

/** Shows the preview with all decisions, which then does exactly that. */
function useFinish(
  { call, more, isDoneWithView, hasViewBefore }: OpenedConflicts,
  files: readonly ConflictFile[],
  drafts: Drafts,
  onDone: () => void,
): () => void {
  const { id: workspace } = useWorkspace();
  const router = useRouter();
  const open = useTakeBack();
  const client = useQueryClient();
  return () =>
    open({
      ...wordsOf(call),
      selection: { kind: 'call', call },
      decisions: { ...more, ...decisionsOf(files, drafts) },
      onDone: () => {
        onDone();
        if (isDoneWithView) void router.navigate({ to: '/w/$workspace/restore', params: { workspace }, replace: true });
        else if (hasViewBefore) router.history.back();
        else void router.navigate({ to: '/w/$workspace/timeline', params: { workspace }, replace: true });
      },
      // What changed meanwhile is shown again, with the decisions.
      onRefused: () => void client.invalidateQueries({ queryKey: [workspace, 'live', 'conflicts'] }),
    });
}

/** Keeps the address up to date with what is decided. */
function useAddress(
  { call, more, isDoneWithView }: OpenedConflicts,
  files: readonly ConflictFile[],
  drafts: Drafts,
  file: string | null,
): void {
  const { id: workspace } = useWorkspace();
  const navigate = useNavigate();
  const hash = useMemo(
    () => fragmentOf({ call, more: shared(more), isDoneWithView, file, picks: picksOf(files, drafts) }),
    [call, more, isDoneWithView, file, files, drafts],
  );
  const isDecided = drafts.size > 0 || file !== null;
  useEffect(() => {
    if (!isDecided) return;
    const timer = setTimeout(
      () =>
        void navigate({
          to: '/w/$workspace/conflicts',
          params: { workspace },
          hash,
          hashScrollIntoView: false,
          state: true,
          replace: true,
        }),
      ADDRESS_MS,
    );
    return () => clearTimeout(timer);
  }, [navigate, workspace, hash, isDecided]);
}

/** While a person types, the address waits. */
const ADDRESS_MS = 300;

function shared({ rebase, validate }: Decisions): ConflictsAddress['more'] {
  return { ...(rebase === undefined ? {} : { rebase }), ...(validate === undefined ? {} : { validate }) };
}

/** Another address of the same view does not leave it. */
function useLeaving(wouldLose: () => boolean) {
  return useBlocker({
    shouldBlockFn: ({ current, next }) => current.pathname !== next.pathname && wouldLose(),
    enableBeforeUnload: wouldLose,
    withResolver: true,
  });
}
