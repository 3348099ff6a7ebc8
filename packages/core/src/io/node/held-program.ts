import type { ChildProcess } from 'node:child_process';
import { SavepointError } from '../../model/errors.ts';
import type { HeldProgram, ProgramRun } from '../programs.ts';
import { errorCode } from './path.ts';
import { processIdentity } from './processes.ts';
import { killGroup, startError, startProgram } from './program-group.ts';

/** More than a first line and the messages of a failed start. */
const MAX_OUTPUT_BYTES = 64 * 1024;

/** As {@link Programs.hold}. */
export function holdProgram(
  program: Pick<ProgramRun, 'file' | 'args' | 'cwd' | 'env'>,
  timeoutMs: number,
): Promise<HeldProgram> {
  return new Promise((resolve, reject) => {
    const child = startProgram(program, 'pipe');
    const ended = new Promise<void>((done) => child.once('close', () => done()));
    // It may end before its input is closed.
    child.stdin?.on('error', () => undefined);
    let output = '';
    let errors = '';
    let isSettled = false;
    const fail = (error: SavepointError): void => {
      if (isSettled) return;
      isSettled = true;
      clearTimeout(timer);
      reject(error);
    };
    const timer = setTimeout(async () => {
      if (isSettled) return;
      await killGroup(child);
      fail(endedError(program, 'ETIMEDOUT', errors));
    }, timeoutMs);
    child.stdout?.setEncoding('latin1').on('data', (part: string) => {
      output = output.length > MAX_OUTPUT_BYTES ? output : output + part;
      const end = output.indexOf('\n');
      if (end < 0 || isSettled || child.pid === undefined) return;
      isSettled = true;
      clearTimeout(timer);
      letGo(child);
      const release = (ms: number): Promise<void> => releaseProgram(child, ended, ms);
      resolve({ process: processIdentity(child.pid), firstLine: output.slice(0, end), release });
    });
    child.stderr?.setEncoding('utf8').on('data', (part: string) => {
      errors = (errors + part).slice(-MAX_OUTPUT_BYTES);
    });
    child.on('error', (error) => {
      if (child.pid === undefined) fail(startError(program, errorCode(error), error));
    });
    child.on('close', () => fail(endedError(program, 'EPIPE', errors)));
  });
}

/** Lets this process end although the program still runs. */
function letGo(child: ChildProcess): void {
  child.unref();
  for (const pipe of [child.stdin, child.stdout, child.stderr]) {
    if (pipe !== null && 'unref' in pipe && typeof pipe.unref === 'function') pipe.unref();
  }
}

async function releaseProgram(child: ChildProcess, ended: Promise<void>, timeoutMs: number): Promise<void> {
  child.ref();
  child.stdin?.end();
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), timeoutMs);
  });
  const result = await Promise.race([ended, tooLate]);
  clearTimeout(timer);
  if (result !== 'late') return;
  await killGroup(child);
  await ended;
}

function endedError(program: Pick<ProgramRun, 'file'>, code: 'EPIPE' | 'ETIMEDOUT', errors: string): SavepointError {
  const path = program.file;
  const why = errors.trim().split('\n').at(-1) ?? '';
  const what = code === 'EPIPE' ? 'ended before it was ready' : 'did not become ready';
  const message = `The program ${JSON.stringify(path)} ${what}${why === '' ? '' : `: ${why}`}.`;
  return new SavepointError('IO', message, { path, operation: 'run', code });
}
