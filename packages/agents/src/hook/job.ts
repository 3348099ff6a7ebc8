/** Background work that an agent does not wait for. It runs in a detached process. */

import { spawn } from 'node:child_process';
import { dirname } from 'node:path';
import type { Actor, CallId, SessionId } from '@savepoint/core';

export interface HookJob {
  /** Bytes of the folder to open, as a one-byte string. */
  readonly dir: string;
  readonly agent: Actor;
  readonly session: SessionId;
  readonly actor: Actor;
  readonly work:
    | { readonly kind: 'start'; readonly model: string | null }
    | {
        readonly kind: 'prompt';
        readonly text: string;
        readonly messageId: string | null;
        readonly model: string | null;
      }
    /** The capture that a call did not wait for. */
    | { readonly kind: 'catch-up' }
    | { readonly kind: 'end'; readonly call: CallId; readonly background: boolean }
    | { readonly kind: 'end-turn'; readonly by: string | null }
    | { readonly kind: 'close' };
}

/** Passed in the environment, so that other accounts of the machine cannot read the prompt. */
export const JOB_VARIABLE = 'SAVEPOINT_HOOK_JOB';
const MAX_TEXT_LENGTH = 4_000;

/**
 * @param script the program that runs hooks
 * @param name the name of the agent
 */
export function startJob(job: HookJob, script: string, name: string, env: NodeJS.ProcessEnv): void {
  const { work } = job;
  const sentJob =
    work.kind === 'prompt' ? { ...job, work: { ...work, text: work.text.slice(0, MAX_TEXT_LENGTH) } } : job;
  const child = spawn(process.execPath, [script, 'hook', name], {
    cwd: dirname(script),
    detached: true,
    stdio: 'ignore',
    windowsHide: true,
    env: { ...env, [JOB_VARIABLE]: JSON.stringify(sentJob) },
  });
  // A failure is harmless: the next capture finds the same files.
  child.on('error', () => undefined);
  child.unref();
}

/** The job of this process, or null. */
export function readJob(env: Readonly<Record<string, string | undefined>>): HookJob | null {
  const text = env[JOB_VARIABLE];
  return text === undefined ? null : (JSON.parse(text) as HookJob);
}
