/** Starts programs in process groups of their own, and kills such groups. */
import { type ChildProcess, spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { SavepointError } from '../../model/errors.ts';
import { nameToJson, textFromBytes } from '../../model/names.ts';
import type { ProgramRun } from '../programs.ts';
import { errorCode } from './path.ts';

/** Time between SIGTERM and SIGKILL. */
const GRACE_MS = 2_000;
const KILL_WAIT_MS = 500;
const POLL_MS = 20;
export const hasGroups = process.platform !== 'win32';

/** Starts a program in its own process group. */
export function startProgram(
  program: Pick<ProgramRun, 'file' | 'args' | 'cwd' | 'env'>,
  input: 'ignore' | 'pipe',
): ChildProcess {
  const { file, args, env } = program;
  const cwd = textFromBytes(program.cwd);
  // node would replace bytes that are not valid text, and so name another folder.
  if (cwd === null) throw startError(program, 'EILSEQ', null);
  try {
    return spawn(file, args, {
      cwd,
      env: { ...env },
      stdio: [input, 'pipe', 'pipe'],
      detached: hasGroups,
      windowsHide: true,
    });
  } catch (error) {
    throw startError(program, errorCode(error), error);
  }
}

/** Kills a program and everything in its group, waits briefly until they are gone, and closes its outputs. */
export async function killGroup(child: ChildProcess): Promise<void> {
  const send = (signal: 'SIGTERM' | 'SIGKILL' | 0): boolean => {
    if (!hasGroups || child.pid === undefined) return child.exitCode === null && child.kill(signal);
    try {
      return process.kill(-child.pid, signal);
    } catch (error) {
      // EPERM (macOS): only dead processes are left in the group.
      return errorCode(error) !== 'ESRCH' && errorCode(error) !== 'EPERM';
    }
  };
  const gone = async (ms: number): Promise<void> => {
    for (let waited = 0; waited < ms && send(0); waited += POLL_MS) {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  };
  send('SIGTERM');
  await gone(GRACE_MS);
  // Killing takes a moment. Zombies that no parent reaps (a container without an init) remain forever.
  if (send('SIGKILL')) await gone(KILL_WAIT_MS);
  // Processes that left the group could keep the pipes open indefinitely.
  child.stdout?.destroy();
  child.stderr?.destroy();
}

export function startError(program: Pick<ProgramRun, 'file' | 'cwd'>, code: string, cause: unknown): SavepointError {
  const operation = 'run';
  if (code === 'EILSEQ' || (code === 'ENOENT' && !isFolder(program.cwd)) || code === 'ENOTDIR') {
    const path = nameToJson(program.cwd);
    const why = code === 'EILSEQ' ? 'its name is not UTF-8' : `no such folder, ${code}`;
    const message = `${JSON.stringify(program.file)} cannot be run in that folder (${why}).`;
    return new SavepointError('IO', message, { path, operation, code }, { cause });
  }
  const path = program.file;
  const message =
    code === 'ENOENT'
      ? `The program ${JSON.stringify(path)} was not found in the PATH.`
      : `The program ${JSON.stringify(path)} cannot be started (${code}).`;
  const hint = 'Install it, or add it to the PATH.';
  return new SavepointError('IO', message, { path, operation, code }, { hint, cause });
}

function isFolder(path: string): boolean {
  try {
    return statSync(Buffer.from(path, 'latin1')).isDirectory();
  } catch {
    return false;
  }
}
