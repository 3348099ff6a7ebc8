import { type ChildProcess, spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { SavepointError } from '../../model/errors.ts';
import { nameToJson, textFromBytes } from '../../model/names.ts';
import { MAX_OUTPUT_BYTES, type ProgramResult, type ProgramRun, type Programs } from '../programs.ts';
import { errorCode } from './path.ts';

/** Time between SIGTERM and SIGKILL. */
const GRACE_MS = 2_000;
const KILL_WAIT_MS = 500;
const POLL_MS = 20;
/** The longest delay of a timer. A longer one would fire immediately. */
const MAX_TIMER_MS = 2 ** 31 - 1;

const hasGroups = process.platform !== 'win32';

export const nodePrograms: Programs = {
  run(program) {
    const nothing = { stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) };
    if (program.signal?.aborted) return Promise.resolve({ exit: null, signal: null, ended: 'aborted', ...nothing });
    return new Promise((resolve, reject) => {
      const child = start(program);
      const output = new OutputBuffer(program.maxBytes ?? MAX_OUTPUT_BYTES);
      let ended: ProgramResult['ended'] = 'exit';
      let end: Promise<void> | null = null;
      const stop = (why: ProgramResult['ended']): void => {
        if (end !== null) return;
        ended = why;
        end = killGroup(child);
      };
      const abort = (): void => stop('aborted');
      const { timeoutMs } = program;
      const timer =
        timeoutMs === undefined || timeoutMs > MAX_TIMER_MS ? null : setTimeout(() => stop('timeout'), timeoutMs);
      const forget = (): void => {
        if (timer !== null) clearTimeout(timer);
        program.signal?.removeEventListener('abort', abort);
      };
      program.signal?.addEventListener('abort', abort);
      for (const name of ['stdout', 'stderr'] as const) {
        child[name]?.on('data', (part: Buffer) => {
          if (!output.append(name, part)) stop('too-much');
        });
      }
      if (child.stdin !== null) feed(child.stdin, program.input ?? []);
      child.on('error', (error) => {
        if (child.pid !== undefined) return;
        forget();
        reject(startError(program, errorCode(error), error));
      });
      child.on('close', async (exit, signal) => {
        forget();
        await end;
        resolve({ exit, signal, ended, ...output.concat() });
      });
    });
  },
};

function start(program: ProgramRun): ChildProcess {
  const { file, args, env, input } = program;
  const cwd = textFromBytes(program.cwd);
  // node would replace bytes that are not valid text, and so name another folder.
  if (cwd === null) throw startError(program, 'EILSEQ', null);
  try {
    return spawn(file, args, {
      cwd,
      env: { ...env },
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      detached: hasGroups,
      windowsHide: true,
    });
  } catch (error) {
    throw startError(program, errorCode(error), error);
  }
}

function feed(stdin: Writable, input: Uint8Array | Iterable<Uint8Array> | AsyncIterable<Uint8Array>): void {
  // A program may exit without reading its input.
  stdin.on('error', () => undefined);
  if (input instanceof Uint8Array) stdin.end(input);
  else pipeline(input, stdin).catch(() => undefined);
}

/** Collects both outputs of a program, with a common limit. */
class OutputBuffer {
  readonly #parts: Readonly<Record<'stdout' | 'stderr', Buffer[]>> = { stdout: [], stderr: [] };
  #left: number;

  constructor(mostBytes: number) {
    this.#left = mostBytes;
  }

  /** @returns false if the limit was exceeded */
  append(name: 'stdout' | 'stderr', part: Buffer): boolean {
    const taken = part.subarray(0, this.#left);
    this.#left -= taken.length;
    if (taken.length > 0) this.#parts[name].push(taken);
    return taken.length === part.length;
  }

  concat(): { readonly stdout: Buffer; readonly stderr: Buffer } {
    return { stdout: Buffer.concat(this.#parts.stdout), stderr: Buffer.concat(this.#parts.stderr) };
  }
}

/** Kills a program and everything in its group, waits briefly until they are gone, and closes its outputs. */
async function killGroup(child: ChildProcess): Promise<void> {
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

function startError(program: ProgramRun, code: string, cause: unknown): SavepointError {
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
