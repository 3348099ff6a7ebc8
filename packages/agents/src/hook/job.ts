/** Work that an agent need not wait for: it goes on in a process of its own, which outlives the hook. */

import { spawn } from 'node:child_process';
import { dirname } from 'node:path';
import type { Actor, CallId, SessionId } from '@savepoint/core';

export interface Job {
  /** Bytes of the folder to open, as a one-byte string. */
  readonly dir: string;
  readonly agent: Actor;
  readonly session: SessionId;
  readonly actor: Actor;
  readonly work:
    | { readonly kind: 'start' }
    | { readonly kind: 'prompt'; readonly text: string; readonly messageId: string | null }
    /** The capture that a call did not wait for. */
    | { readonly kind: 'catch-up' }
    | { readonly kind: 'end'; readonly call: CallId; readonly background: boolean }
    | { readonly kind: 'settle'; readonly by: string | null }
    | { readonly kind: 'close' };
}

/** In the environment, so that no other account of the machine can read what a person wrote. */
export const JOB_VARIABLE = 'SAVEPOINT_HOOK_JOB';
const LONGEST_TEXT = 4_000;

/**
 * @param script the program that runs hooks
 * @param name of the agent
 */
export function startJob(job: Job, script: string, name: string, env: NodeJS.ProcessEnv): void {
  const { work } = job;
  const told = work.kind === 'prompt' ? { ...job, work: { ...work, text: work.text.slice(0, LONGEST_TEXT) } } : job;
  const child = spawn(process.execPath, [script, 'hook', name], {
    cwd: dirname(script),
    detached: true,
    stdio: 'ignore',
    windowsHide: true,
    env: { ...env, [JOB_VARIABLE]: JSON.stringify(told) },
  });
  // What it cannot do it leaves undone: the next capture finds the same files.
  child.on('error', () => undefined);
  child.unref();
}

/** The job that this process was started for; null: none. */
export function jobIn(env: Readonly<Record<string, string | undefined>>): Job | null {
  const text = env[JOB_VARIABLE];
  return text === undefined ? null : (JSON.parse(text) as Job);
}
