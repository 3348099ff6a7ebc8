/** Previews an operation, and does exactly what its preview showed. */
import { type Answered, callVerb, type Input } from '../api/call.ts';
import type { JsonName } from '../data/names.ts';
import type { Decisions, Preview, TakeBackCall } from './requests.ts';

export interface Previewed {
  /** 3: a conflict. */
  readonly status: number;
  readonly preview: Preview;
}

export async function previewOf(workspace: string, call: TakeBackCall, decisions: Decisions): Promise<Previewed> {
  const { status, output } = await send(workspace, call, { ...decisions, dryRun: true });
  return { status, preview: output };
}

/** @throws CallFailed if the files changed since the preview: then nothing is done */
export async function perform(
  workspace: string,
  call: TakeBackCall,
  decisions: Decisions,
  fingerprint: string,
): Promise<Preview> {
  return (await send(workspace, call, { ...decisions, expected: fingerprint })).output;
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

/** @throws CallFailed */
export function send(workspace: string, call: TakeBackCall, extra: Extra): Promise<Answered<TakeBackCall['verb']>> {
  const { override, rebase, validate, ...common } = extra;
  const given = call.verb === 'planApply' ? { ...common, ...defined({ override, rebase, validate }) } : common;
  // The fields of a decision are fields of each of these verbs.
  return callVerb(workspace, call.verb, { ...call.input, ...given } as Input<TakeBackCall['verb']>);
}

function defined(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
