/** Shows what taking back would do, conflicts first, and then does exactly that. */
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { Output } from '../api/call.ts';
import { usePrintedLines } from '../checks/printed-lines.ts';
import { PrintedOutput } from '../checks/printed-output.tsx';
import { useResolveConflicts } from '../conflicts/request.ts';
import { asSentence } from '../data/names.ts';
import { useOpenCalls } from '../data/open-calls.ts';
import { refresh } from '../data/verb-query.ts';
import { useWorkspace } from '../data/workspace.ts';
import { Dialog } from '../parts/dialog.tsx';
import { LineForm } from '../parts/line-form.tsx';
import { Failure, Loading } from '../parts/message.tsx';
import { useToast } from '../parts/toasts.tsx';
import { ChecksAfter, isRolledBack, RolledBack } from './checks-after.tsx';
import { MergeChecksView, useMergeChecks } from './merge-checks.tsx';
import { type Previewed, perform, previewOf } from './perform.ts';
import { PreviewView } from './preview-view.tsx';
import {
  callFor,
  type Decisions,
  type Preview,
  type Selection,
  type TakeBackCall,
  type TakeBackRequest,
} from './requests.ts';
import { useUndo } from './use-undo.ts';

type State =
  | { readonly kind: 'loading' }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'shown'; readonly call: TakeBackCall; readonly previewed: Previewed; readonly isBusy: boolean }
  | { readonly kind: 'rolled-back'; readonly steps: Output<'planApply'>['steps'] };

export interface TakeBackDialogProps {
  readonly request: TakeBackRequest;
  readonly onClose: () => void;
}

export function TakeBackDialog({ request, onClose }: TakeBackDialogProps) {
  const { id: workspace } = useWorkspace();
  const client = useQueryClient();
  const toast = useToast();
  const undo = useUndo();
  const [decisions, setDecisions] = useState<Decisions>(request.decisions ?? {});
  const resolve = useResolveConflicts();
  const { onDone, onRefused } = request;
  const [state, setState] = useState<State>({ kind: 'loading' });
  const look = useCallback(() => {
    let isWanted = true;
    setState({ kind: 'loading' });
    callFor(workspace, request.selection)
      .then(async (call) => ({ call, previewed: await previewOf(workspace, call, decisions) }))
      .then(
        (found) => {
          if (!isWanted) return;
          setState({ kind: 'shown', ...found, isBusy: false });
          if (found.previewed.preview.outcome === 'conflict') onRefused?.();
        },
        (error: unknown) => {
          if (!isWanted) return;
          setState({ kind: 'failed', error });
          onRefused?.();
        },
      );
    return () => {
      isWanted = false;
    };
  }, [workspace, request, decisions, onRefused]);
  useEffect(look, [look]);
  // A call that was in the way may have ended.
  const isHeldUp =
    state.kind === 'shown' && 'openCalls' in state.previewed.preview && state.previewed.preview.openCalls.length > 0;
  const calls = useOpenCalls(workspace);
  const known = useRef(calls);
  useEffect(() => {
    if (known.current === calls) return;
    known.current = calls;
    if (isHeldUp) look();
  }, [calls, isHeldUp, look]);

  const preview = state.kind === 'shown' ? state.previewed.preview : null;
  const merge = useMergeChecks(state.kind === 'shown' ? state.call : null, decisions, preview?.fingerprint);
  const running = usePrintedLines();
  const hasChecks = decisions.validate !== undefined || decisions.check !== undefined;

  const takeBack = async (): Promise<void> => {
    if (state.kind !== 'shown') return;
    setState({ ...state, isBusy: true });
    running.clear();
    try {
      const done = await perform(workspace, state.call, decisions, state.previewed.preview.fingerprint, running.add);
      if ('steps' in done && done.steps.some(isRolledBack)) {
        setState({ kind: 'rolled-back', steps: done.steps });
        await refresh(client, workspace);
        return;
      }
      onClose();
      onDone?.();
      const checkpoint = done.checkpoint?.id;
      const hasFailed = 'steps' in done && done.steps.some(({ failed }) => failed);
      const found = hasFailed ? ' Its checks found new failures, or gave no answer.' : '';
      if (checkpoint === undefined) toast({ text: 'There was nothing left to take back.' });
      else
        toast({
          text: `${asSentence(done.description)}${found}`,
          action: { label: 'Undo', run: () => undo(checkpoint) },
        });
      await refresh(client, workspace);
    } catch (error) {
      setState({ kind: 'failed', error });
      onRefused?.();
    }
  };

  const isBusy = state.kind === 'shown' && state.isBusy;
  const needsReason = merge.state.kind === 'failed' && decisions.override === undefined;
  const isPossible = preview?.outcome === 'ready' && merge.state.kind !== 'running' && !needsReason;
  const resolveEach = (): void => {
    if (state.kind !== 'shown') return;
    onClose();
    const { rebase, override, validate, onFailure, force } = decisions;
    const more = {
      ...(rebase && { rebase }),
      ...(override && { override }),
      ...(validate && { validate }),
      ...(onFailure && { onFailure }),
      ...(force && { force }),
    };
    resolve({ call: state.call, more });
  };
  return (
    <Dialog
      title={request.title}
      onClose={onClose}
      foot={
        state.kind === 'rolled-back' ? (
          <button type="button" className="button main" onClick={onClose}>
            Close
          </button>
        ) : (
          <>
            <span className="hint">
              {merge.state.kind === 'failed'
                ? 'The checks run once more, and your reason is recorded with the checkpoint.'
                : 'Everything that is overwritten is in a checkpoint first. You can undo it.'}
            </span>
            <button type="button" className="button" onClick={onClose}>
              Cancel
            </button>
            <button
              type="button"
              className="button main"
              disabled={!isPossible || isBusy}
              onClick={() => void takeBack()}
            >
              {request.act ?? 'Take back'}
              {merge.state.kind === 'failed' && ' nevertheless'}
            </button>
          </>
        )
      }
    >
      {request.asksWhy === true && (
        <Reason what="applied" onReason={(override) => setDecisions((now) => ({ ...now, override }))} />
      )}
      {isApply(request.selection) && state.kind !== 'rolled-back' && (
        <ChecksAfter
          decisions={decisions}
          hasPhases={request.selection.kind === 'apply' && request.selection.hasPhases}
          isBusy={isBusy}
          onDecide={setDecisions}
        />
      )}
      {isBusy && hasChecks && <PrintedOutput lines={running} />}
      {state.kind === 'rolled-back' && <RolledBack steps={state.steps} />}
      {state.kind === 'shown' && state.call.verb === 'forkMerge' && !isBusy && (
        <MergeChecksView checks={merge} canRun={preview?.outcome === 'ready'} />
      )}
      {merge.state.kind === 'failed' && !isBusy && (
        <Reason
          what="merged"
          reason={decisions.override}
          onReason={(override) => setDecisions((now) => ({ ...now, check: [], override }))}
        />
      )}
      {state.kind === 'loading' && <Loading what="the preview" />}
      {state.kind === 'failed' && <Failure error={state.error} retry={look} />}
      {preview?.outcome === 'conflict' && onRefused === undefined && state.kind === 'shown' && (
        <WaysOn
          preview={preview}
          canRebase={state.call.verb === 'planApply' && decisions.rebase !== true}
          onRebase={() => setDecisions((now) => ({ ...now, rebase: true }))}
          onResolve={resolveEach}
        />
      )}
      {preview !== null && (
        <PreviewView
          preview={preview}
          isMerge={state.kind === 'shown' && state.call.verb === 'forkMerge'}
          decisions={decisions}
          onDecide={setDecisions}
        />
      )}
    </Dialog>
  );
}

/** A plan, also one whose conflicts were resolved before. */
function isApply(selection: Selection): boolean {
  return selection.kind === 'apply' || (selection.kind === 'call' && selection.call.verb === 'planApply');
}

interface WaysOnProps {
  readonly preview: Preview;
  readonly canRebase: boolean;
  readonly onRebase: () => void;
  readonly onResolve: () => void;
}

/** What else can be done about conflicts than to choose a side for a whole file. */
function WaysOn({ preview, canRebase, onRebase, onResolve }: WaysOnProps) {
  const canResolve = preview.plan.conflicts.some(({ sides }) => sides !== null);
  if (canRebase) {
    return (
      <p className="ways-on">
        Files changed since the plan was made.
        <button type="button" className="button" onClick={onRebase}>
          Merge with these changes
        </button>
      </p>
    );
  }
  if (!canResolve) return null;
  return (
    <p className="ways-on">
      You can decide about each place, and edit the result, before anything is written.
      <button type="button" className="button" onClick={onResolve}>
        Resolve the conflicts
      </button>
    </p>
  );
}

interface ReasonProps {
  readonly what: 'applied' | 'merged';
  /** What was given before. */
  readonly reason?: string | undefined;
  readonly onReason: (reason: string) => void;
}

/** Only a person may let through what failed its checks, and the reason is recorded. */
function Reason({ what, reason, onReason }: ReasonProps) {
  const [text, setText] = useState(reason ?? '');
  return (
    <LineForm
      label={`Why it is ${what} although its checks failed`}
      placeholder={`Its checks failed. Why is it ${what} nevertheless?`}
      act="Record the reason"
      text={text}
      onText={setText}
      onSubmit={onReason}
    />
  );
}
