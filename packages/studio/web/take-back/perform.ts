/** Previews an operation, and does exactly what its preview showed. */
import { type Answered, callVerb, callWithChecks, type Input, type Output, type OutputLine } from '../api/call.ts';
import type { JsonName } from '../data/names.ts';
import type { Decisions, MergeCall, Preview, TakeBackCall } from './requests.ts';

export interface Previewed {
  /** 3: a conflict. */
  readonly status: number;
  readonly preview: Preview;
}

export async function previewOf(workspace: string, call: TakeBackCall, decisions: Decisions): Promise<Previewed> {
  const { status, output } = await send(workspace, call, {
    ...withoutChecks(call, decisions),
    dryRun: true,
    detail: { patch: true },
  });
  return { status, preview: output };
}

/**
 * @param onOutput receives what checks print
 * @throws CallFailed if the files changed since the preview: then nothing is done
 */
export async function perform(
  workspace: string,
  call: TakeBackCall,
  decisions: Decisions,
  fingerprint: string,
  onOutput: (line: OutputLine) => void,
): Promise<Preview> {
  return (await send(workspace, call, { ...decisions, expected: fingerprint }, { onOutput })).output;
}

/**
 * Runs the checks on the files as a merge would leave them. Nothing is merged.
 * @param fingerprint of the preview
 * @throws CallFailed CHECKS_FAILED if they find new failures, or if there are none
 */
export async function checkMerge(
  workspace: string,
  call: MergeCall,
  decisions: Decisions,
  fingerprint: string,
  { onOutput, signal }: Required<Watching>,
): Promise<NonNullable<Output<'forkMerge'>['checks']>> {
  const extra = { ...withoutChecks(call, decisions), check: [], dryRun: true, expected: fingerprint };
  const { output } = await send(workspace, call, extra, { onOutput, signal });
  return ('checks' in output ? output.checks : null) ?? [];
}

export type Undone = 'undone' | 'conflict' | 'not-the-last';

/** Undoes one operation, and no other. */
export async function undo(workspace: string, checkpoint: string): Promise<Undone> {
  const { output } = await callVerb(workspace, 'undo', { dryRun: true });
  if (output.undoes !== checkpoint) return 'not-the-last';
  if (output.outcome === 'conflict') return 'conflict';
  await callVerb(workspace, 'undo', { expected: output.fingerprint });
  return 'undone';
}

interface Extra extends Decisions {
  readonly dryRun?: boolean;
  readonly expected?: string;
  readonly detail?: { readonly patch?: boolean; readonly sides?: readonly JsonName[] };
}

export interface Watching {
  /** Receives what checks print, as it comes. */
  readonly onOutput: (line: OutputLine) => void;
  /** Ends the call, if it has not changed anything yet. */
  readonly signal?: AbortSignal;
}

/** @throws CallFailed */
export function send(
  workspace: string,
  call: TakeBackCall,
  extra: Extra,
  watching?: Watching,
): Promise<Answered<TakeBackCall['verb']>> {
  const { override, rebase, validate, onFailure, check, ...common } = extra;
  const ofPlan = call.verb === 'planApply' ? { override, rebase, validate, onFailure } : {};
  const ofMerge = call.verb === 'forkMerge' ? { override, check } : {};
  // The other fields of a decision are fields of each of these verbs.
  const input = { ...call.input, ...common, ...defined({ ...ofPlan, ...ofMerge }) } as Input<TakeBackCall['verb']>;
  if (watching === undefined) return callVerb(workspace, call.verb, input);
  return callWithChecks(workspace, call.verb, input, watching.onOutput, watching.signal);
}

/** A preview of a merge runs no checks, so there are no failures that a reason could be about. */
function withoutChecks({ verb }: TakeBackCall, decisions: Decisions): Decisions {
  if (verb !== 'forkMerge') return decisions;
  const { check: _, override: __, ...others } = decisions;
  return others;
}

function defined(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
