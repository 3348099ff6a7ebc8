/** The local side of the protocol with the runner: sends a request and validates the untrusted response. */

import { readJson } from '../content/strict-json.ts';
import type { Clock, Random } from '../io/ports.ts';
import { SavepointError } from '../model/errors.ts';
import type { Channel, ExchangeResult } from './channel.ts';
import { runnerLine } from './runner-script.ts';

export type RunnerRequest =
  | { readonly what: 'read'; readonly path: string; readonly most: number }
  | { readonly what: 'write'; readonly path: string; readonly mode: number | null }
  | {
      readonly what: 'run';
      readonly command: readonly string[];
      readonly cwd: string | null;
      readonly env: Readonly<Record<string, string>>;
      readonly timeout: number | null;
      readonly most: number;
    };

export interface RunnerCall {
  readonly request: RunnerRequest;
  /** The content of the file to write, or the standard input of the command. */
  readonly input: Uint8Array;
  /** Milliseconds within which the runner has to answer; null for no limit. */
  readonly timeoutMs: number | null;
  readonly signal: AbortSignal | null;
  /** Limit for stdout and stderr together. */
  readonly mostBytes: number;
}

export interface RunnerResponse {
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  /** Null if the exchange ended before the runner was done. `cutReason` then says why. */
  readonly end: RunnerEnd | null;
  readonly cutReason: Exclude<ExchangeResult['ended'], 'exit'>;
}

export type RunnerEnd =
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly code: string; readonly at: 'path' | 'program' | 'cwd' }
  | {
      readonly kind: 'ran';
      readonly exit: number | null;
      readonly signal: string | null;
      readonly ended: ExchangeResult['ended'];
    };

/** How to reach node in the sandbox. */
export interface RunnerContext {
  readonly channel: Channel;
  readonly clock: Clock;
  readonly random: Random;
  readonly node: string;
}

/** The oldest version of node that Savepoint supports. */
export const MIN_NODE_VERSION = '20.19';
/** Milliseconds that a runner has to answer after it was stopped or its timeout expired. */
const GRACE_MS = 10_000;
const POLL_MS = 50;
/** Bytes per line, before base64 encoding. */
const CHUNK_BYTES = 48 * 1024;
/** Bytes that a shell and its startup files may print before the runner's greeting. */
const NOISE_BYTES = 64 * 1024;
const MAX_DETAIL_LENGTH = 500;

/**
 * Sends a request to the runner and returns its response.
 * @throws SavepointError SANDBOX_UNFIT, SANDBOX_LOST, SANDBOX_ANSWER, and CANCELLED if the signal was already aborted
 */
export async function askRunner(reach: RunnerContext, asked: RunnerCall): Promise<RunnerResponse> {
  const { channel, clock, random, node } = reach;
  const nonce = random.hex(16);
  const cutOff = new AbortController();
  let isOver = false;
  let tellOver = (): void => {};
  const over = new Promise<void>((resolve) => {
    tellOver = resolve;
  });
  const stopped = new Promise<void>((resolve) => {
    if (asked.signal?.aborted) resolve();
    asked.signal?.addEventListener('abort', () => resolve(), { once: true });
  });
  const abortAfterGrace = async (): Promise<void> => {
    for (let waited = 0; waited < GRACE_MS && !isOver; waited += POLL_MS) await clock.sleep(POLL_MS);
    if (!isOver) cutOff.abort();
  };
  async function* input(): AsyncGenerator<Buffer> {
    const header = Buffer.from(JSON.stringify({ ...asked.request, nonce }));
    yield Buffer.from(`${header.toString('base64')}\n`, 'latin1');
    for (let at = 0; at < asked.input.length; at += CHUNK_BYTES) {
      const part = Buffer.from(
        asked.input.buffer,
        asked.input.byteOffset + at,
        Math.min(CHUNK_BYTES, asked.input.length - at),
      );
      yield Buffer.from(`i ${part.toString('base64')}\n`, 'latin1');
    }
    yield Buffer.from('.\n');
    await Promise.race([stopped, over]);
    if (isOver) return;
    yield Buffer.from('stop\n');
    await over;
  }
  asked.signal?.addEventListener('abort', () => void abortAfterGrace(), { once: true });
  if (asked.signal?.aborted) throw new SavepointError('CANCELLED', 'Cancelled before the command started.');
  try {
    const spoken = await channel.exchange({
      line: runnerLine(node),
      input: input(),
      timeoutMs: asked.timeoutMs === null ? null : asked.timeoutMs + GRACE_MS,
      signal: cutOff.signal,
      mostBytes: 2 * asked.mostBytes + 16 * 1024 * 1024,
    });
    return parseResponse(spoken, nonce, reach, asked.mostBytes);
  } finally {
    isOver = true;
    tellOver();
  }
}

/** @param found the version of node in the sandbox; null if it has none */
export function sandboxUnfit(sandbox: string, found: string | null, node = 'node'): SavepointError {
  const what = found === null ? `no program ${JSON.stringify(node)}` : `node ${found}`;
  const message = `Savepoint cannot run in ${sandbox}: found ${what}, needs node ${MIN_NODE_VERSION} or newer.`;
  return new SavepointError('SANDBOX_UNFIT', message, { sandbox, found, wanted: MIN_NODE_VERSION });
}

export function invalidAnswer(sandbox: string, why: string): SavepointError {
  return new SavepointError('SANDBOX_ANSWER', `Invalid answer from ${sandbox}: ${why}.`, { sandbox, why });
}

function parseResponse(
  spoken: ExchangeResult,
  nonce: string,
  { channel, node }: RunnerContext,
  most: number,
): RunnerResponse {
  const greeting = Buffer.from(`savepoint ${nonce} `);
  const start = spoken.output.subarray(0, NOISE_BYTES).indexOf(greeting);
  if (start < 0) throw startFailure(spoken, channel.name, node);
  const strange = (why: string): SavepointError => invalidAnswer(channel.name, why);
  const outputs: Readonly<Record<'o' | 'e', Buffer[]>> = { o: [], e: [] };
  let end: RunnerEnd | null = null;
  let left = most;
  for (const line of linesOf(spoken.output, start)) {
    if (end !== null) throw strange('there is data after its end');
    const [kind, text] = [line[0], line.slice(2)];
    if (line[1] !== ' ') throw strange('it contains an unexpected line');
    if (kind === 'x') end = parseEnd(text) ?? fail(strange('its last line is invalid'));
    else if (kind === 'o' || kind === 'e') {
      if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) throw strange('it contains an invalid output');
      const part = Buffer.from(text, 'base64');
      left -= part.length;
      if (left < 0) throw strange('its outputs exceed the requested limit');
      outputs[kind].push(part);
    } else throw strange('it contains an unexpected line');
  }
  const [stdout, stderr] = [Buffer.concat(outputs.o), Buffer.concat(outputs.e)];
  if (end === null && spoken.ended === 'exit') throw connectionLost(channel.name, true, spoken.detail);
  return { stdout, stderr, end, cutReason: spoken.ended === 'exit' ? 'aborted' : spoken.ended };
}

/** Yields the lines after the greeting. A last line without a line feed was cut off and is skipped. */
function* linesOf(output: Buffer, start: number): Generator<string> {
  let from = output.indexOf(10, start) + 1;
  if (from === 0) return;
  for (let to = output.indexOf(10, from); to >= 0; to = output.indexOf(10, from)) {
    yield output.toString('latin1', from, to);
    from = to + 1;
  }
}

/** Returns null if the text is not a valid end. */
function parseEnd(text: string): RunnerEnd | null {
  let answer: Readonly<Record<string, unknown>>;
  try {
    const parsed: unknown = readJson(text);
    if (typeof parsed !== 'object' || parsed === null) return null;
    answer = parsed as Readonly<Record<string, unknown>>;
  } catch {
    return null;
  }
  const { failed, at, exit, signal, ended } = answer;
  if (failed !== undefined) {
    const isCode = typeof failed === 'string' && /^[A-Z][A-Z0-9_]{1,40}$/.test(failed);
    return isCode && (at === 'path' || at === 'program' || at === 'cwd') ? { kind: 'failed', code: failed, at } : null;
  }
  if (ended === undefined) return { kind: 'done' };
  const isEnded = ended === 'exit' || ended === 'timeout' || ended === 'aborted' || ended === 'too-much';
  return isExit(exit) && isSignal(signal) && isEnded ? { kind: 'ran', exit, signal, ended } : null;
}

function isExit(value: unknown): value is number | null {
  return value === null || (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 255);
}

function isSignal(value: unknown): value is string | null {
  return value === null || (typeof value === 'string' && /^SIG[A-Z0-9+]{2,12}$/.test(value));
}

/** Without a greeting, nothing was done: the runner does nothing before it has sent one. */
function startFailure(spoken: ExchangeResult, sandbox: string, node: string): SavepointError {
  const said = spoken.output.subarray(0, NOISE_BYTES).toString('latin1');
  const version = /^\s*v(\d{1,4}\.\d{1,4}\.\d{1,4})\s*$/.exec(said)?.[1];
  if (version !== undefined) return sandboxUnfit(sandbox, version);
  if (spoken.status === 127 || spoken.status === 126) return sandboxUnfit(sandbox, null, node);
  if (spoken.ended === 'too-much') return invalidAnswer(sandbox, 'it is too long and does not start with the greeting');
  return connectionLost(sandbox, false, spoken.ended === 'timeout' ? 'it did not answer in time' : spoken.detail);
}

function connectionLost(sandbox: string, began: boolean, detail: string): SavepointError {
  const shownDetail = detail.trim().slice(-MAX_DETAIL_LENGTH);
  const what = began ? `The connection to ${sandbox} was lost before it answered` : `${sandbox} cannot be reached`;
  const message = shownDetail === '' ? `${what}.` : `${what}: ${shownDetail}`;
  const more = began
    ? {}
    : { hint: 'Nothing was changed in the sandbox. Check that it is running and that you have access.' };
  return new SavepointError('SANDBOX_LOST', message, { sandbox, began, detail: shownDetail }, more);
}

function fail(error: SavepointError): never {
  throw error;
}
