/** Previews an operation, and does exactly what its preview showed. */
import { type Answered, callVerb, type Input } from '../api/call.ts';
import type { Preview, TakeBackCall } from './requests.ts';

/** What a person decided about conflicts. */
export interface Decisions {
  readonly skipConflicts?: boolean;
  readonly ours?: Input<'rollback'>['ours'];
  readonly theirs?: Input<'rollback'>['theirs'];
  readonly force?: boolean;
  /** Why a plan is applied although its checks failed. */
  readonly override?: string;
  /** Checks that run after a plan is applied; empty: all. Absent: none. */
  readonly validate?: string[];
}

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

/**
 * Undoes one operation, and no other.
 * @returns why it was not undone; null if it was
 */
export async function undo(workspace: string, checkpoint: string): Promise<string | null> {
  const { output } = await callVerb(workspace, 'undo', { dryRun: true });
  if (output.undoes !== checkpoint)
    return 'Something else was done since. Undo that first, or take this back on the timeline.';
  if (output.outcome === 'conflict')
    return 'Files changed since in the same lines, so nothing was undone. Run `savepoint undo` to decide about each.';
  await callVerb(workspace, 'undo', { expected: output.fingerprint });
  return null;
}

interface Extra extends Decisions {
  readonly dryRun?: boolean;
  readonly expected?: string;
}

function send(workspace: string, call: TakeBackCall, extra: Extra): Promise<Answered<TakeBackCall['verb']>> {
  const { override: _override, validate: _validate, ...withoutReason } = extra;
  switch (call.verb) {
    case 'rollback':
      return callVerb(workspace, 'rollback', { ...call.input, ...withoutReason });
    case 'restore':
      return callVerb(workspace, 'restore', { ...call.input, ...withoutReason });
    case 'planApply':
      return callVerb(workspace, 'planApply', { ...call.input, ...extra });
    case 'planRollback': {
      const { ours: _ours, theirs: _theirs, skipConflicts: _skip, ...allowed } = withoutReason;
      return callVerb(workspace, 'planRollback', { ...call.input, ...allowed });
    }
  }
}
