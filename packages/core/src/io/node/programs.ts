import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { MAX_OUTPUT_BYTES, type ProgramResult, type Programs } from '../programs.ts';
import { memoryOfGroup } from './group-memory.ts';
import { holdProgram } from './held-program.ts';
import { errorCode } from './path.ts';
import { hasGroups, killGroup, startError, startProgram } from './program-group.ts';

/** Milliseconds between two looks at the memory of a program. */
const MEASURE_MS = 500;
/** The longest delay of a timer. A longer one would fire immediately. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export const nodePrograms: Programs = {
  hold: holdProgram,

  run(program) {
    const nothing = { stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) };
    if (program.signal?.aborted) return Promise.resolve({ exit: null, signal: null, ended: 'aborted', ...nothing });
    return new Promise((resolve, reject) => {
      const child = startProgram(program, program.input === undefined ? 'ignore' : 'pipe');
      const output = new OutputBuffer(program.maxBytes ?? MAX_OUTPUT_BYTES);
      let ended: ProgramResult['ended'] = 'exit';
      let end: Promise<void> | null = null;
      let exceededMemory = false;
      const stop = (why: ProgramResult['ended']): void => {
        if (end !== null) return;
        ended = why;
        end = killGroup(child);
      };
      const abort = (): void => stop('aborted');
      const { timeoutMs } = program;
      const timer =
        timeoutMs === undefined || timeoutMs > MAX_TIMER_MS ? null : setTimeout(() => stop('timeout'), timeoutMs);
      const { maxMemory } = program;
      const measuring =
        maxMemory === undefined || !hasGroups
          ? null
          : setInterval(() => {
              if (end !== null || child.pid === undefined || memoryOfGroup(child.pid) <= maxMemory) return;
              exceededMemory = true;
              stop('too-much');
            }, MEASURE_MS);
      const forget = (): void => {
        if (measuring !== null) clearInterval(measuring);
        if (timer !== null) clearTimeout(timer);
        program.signal?.removeEventListener('abort', abort);
      };
      program.signal?.addEventListener('abort', abort);
      for (const name of ['stdout', 'stderr'] as const) {
        child[name]?.on('data', (part: Buffer) => {
          if (!output.append(name, part)) stop('too-much');
          else program.onOutput?.(part, name);
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
        resolve({ exit, signal, ended, ...(exceededMemory ? { exceededMemory } : {}), ...output.concat() });
      });
    });
  },
};

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
