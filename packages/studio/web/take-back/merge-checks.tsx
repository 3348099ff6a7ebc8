/** The checks of the files as a merge would leave them, before it happens. */
import { useCallback, useEffect, useRef, useState } from 'react';
import { asWireError } from '../api/call.ts';
import { type CheckResult, CheckResults, failedResults, resultOfRun } from '../checks/check-results.tsx';
import { type PrintedLines, usePrintedLines } from '../checks/printed-lines.ts';
import { PrintedOutput } from '../checks/printed-output.tsx';
import { useWorkspace } from '../data/workspace.ts';
import { Failure } from '../parts/message.tsx';
import { checkMerge } from './perform.ts';
import type { Decisions, TakeBackCall } from './requests.ts';

type State =
  | { readonly kind: 'none' }
  | { readonly kind: 'running' }
  | { readonly kind: 'passed'; readonly results: readonly CheckResult[] }
  | { readonly kind: 'failed'; readonly results: readonly CheckResult[] }
  /** They did not run. */
  | { readonly kind: 'refused'; readonly error: unknown };

export interface MergeChecks {
  readonly state: State;
  readonly lines: PrintedLines;
  readonly run: () => void;
}

/** What a preview shows is checked. Another preview has not been checked. */
export function useMergeChecks(
  call: TakeBackCall | null,
  decisions: Decisions,
  fingerprint: string | undefined,
): MergeChecks {
  const { id: workspace } = useWorkspace();
  const [state, setState] = useState<State>({ kind: 'none' });
  const lines = usePrintedLines();
  const running = useRef<AbortController>(null);
  // The results of a closed dialog are not needed.
  useEffect(() => () => running.current?.abort(), []);
  const checked = useRef(fingerprint);
  useEffect(() => {
    // While the preview is loaded again, it is not known whether it is another one.
    if (fingerprint === undefined || fingerprint === checked.current) return;
    checked.current = fingerprint;
    setState({ kind: 'none' });
  }, [fingerprint]);
  const run = useCallback(() => {
    if (call?.verb !== 'forkMerge' || fingerprint === undefined) return;
    lines.clear();
    setState({ kind: 'running' });
    const ending = new AbortController();
    running.current = ending;
    checkMerge(workspace, call, decisions, fingerprint, { onOutput: lines.add, signal: ending.signal }).then(
      (checks) => setState({ kind: 'passed', results: checks.map(resultOfRun) }),
      (error: unknown) => {
        const { code, data } = asWireError(error);
        const results = code === 'CHECKS_FAILED' ? failedResults(data) : [];
        setState(results.length === 0 ? { kind: 'refused', error } : { kind: 'failed', results });
      },
    );
  }, [workspace, call, decisions, fingerprint, lines]);
  return { state, lines, run };
}

export interface MergeChecksViewProps {
  readonly checks: MergeChecks;
  /** Whether there is something to merge, without conflicts. */
  readonly canRun: boolean;
}

export function MergeChecksView({ checks: { state, lines, run }, canRun }: MergeChecksViewProps) {
  return (
    <div className="merge-checks">
      {state.kind !== 'running' && (
        <p className="ways-on">
          {state.kind === 'none' ? 'See how the merged files do before anything is written.' : ''}
          <button type="button" className="button" disabled={!canRun} onClick={run}>
            {state.kind === 'none' ? 'Run the checks' : 'Run the checks again'}
          </button>
        </p>
      )}
      {state.kind === 'running' && <PrintedOutput lines={lines} />}
      {(state.kind === 'passed' || state.kind === 'failed') && (
        <CheckResults title="Checks of the merged files" results={state.results} />
      )}
      {state.kind === 'passed' && state.results.length === 0 && <p>There is nothing to check.</p>}
      {state.kind === 'refused' && <Failure error={state.error} />}
    </div>
  );
}
