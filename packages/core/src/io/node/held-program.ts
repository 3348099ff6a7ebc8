import type { ChildProcess } from 'node:child_process';
import type { HeldProgram, ProgramNotHeld, ProgramToHold } from '../programs.ts';
import { errorCode } from './path.ts';
import { processIdentity } from './processes.ts';
import { killGroup, startError, startProgram } from './program-group.ts';

/** More than a first line and the messages of a failed start. */
const MAX_OUTPUT_LENGTH = 64 * 1024;

/** As `Programs.hold`. */
export function holdProgram(program: ProgramToHold, timeoutMs: number): Promise<HeldProgram | ProgramNotHeld> {
  return new Promise((resolve, reject) => {
    const child = startProgram(program, 'pipe');
    const { pid } = child;
    child.on('error', (error) => {
      if (child.pid === undefined) reject(startError(program, errorCode(error), error));
    });
    if (pid === undefined) return;
    const process = processIdentity(pid);
    // It may end before its input is closed.
    child.stdin?.on('error', () => undefined);
    let output = '';
    let errors = '';
    const timer = setTimeout(() => void killGroup(child), timeoutMs);
    const ended = new Promise<void>((done) => {
      child.on('close', () => {
        clearTimeout(timer);
        resolve({ held: false, errors });
        done();
      });
    });
    child.stderr?.setEncoding('utf8').on('data', (part: string) => {
      errors = (errors + part).slice(-MAX_OUTPUT_LENGTH);
    });
    child.stdout?.setEncoding('latin1').on('data', (part: string) => {
      if (output.length < MAX_OUTPUT_LENGTH) output += part;
      const end = output.indexOf('\n');
      if (end < 0) return;
      clearTimeout(timer);
      letGo(child);
      const firstLine = output.slice(0, end);
      resolve({ held: true, process, firstLine, release: (ms) => release(child, ended, ms) });
    });
  });
}

/** Lets this process end although the program still runs. */
function letGo(child: ChildProcess): void {
  child.unref();
  for (const pipe of [child.stdin, child.stdout, child.stderr]) {
    if (pipe !== null && 'unref' in pipe && typeof pipe.unref === 'function') pipe.unref();
  }
}

async function release(child: ChildProcess, ended: Promise<void>, timeoutMs: number): Promise<void> {
  // Its exit keeps this process alive again.
  child.ref();
  child.stdin?.end();
  const timer = setTimeout(() => void killGroup(child), timeoutMs);
  await ended;
  clearTimeout(timer);
}
