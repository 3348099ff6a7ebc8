/** Builds a sandbox from a channel: anything that can run a program and transfer lines of text in both directions. */

import { givenDiskPath } from '../io/given-path.ts';
import type { Clock, Random } from '../io/ports.ts';
import { SavepointError } from '../model/errors.ts';
import { type DiskPath, type JsonName, nameToJson } from '../model/names.ts';
import {
  askRunner,
  invalidAnswer,
  type RunnerCall,
  type RunnerContext,
  type RunnerEnd,
  type RunnerRequest,
  type RunnerResponse,
} from './ask-runner.ts';
import type { Channel } from './channel.ts';
import { type CommandResult, MAX_COMMAND_BYTES, type Sandbox, type SandboxCommand } from './sandbox.ts';

/** Options of a sandbox that uses a channel. */
export interface ChannelSandboxOptions {
  readonly channel: Channel;
  readonly ports: { readonly clock: Clock; readonly random: Random };
  /** Path of node in the sandbox, or a name to look up in its PATH. Default `node`. */
  readonly node?: string;
}

/** Timeout for transferring one file. */
const FILE_TIMEOUT_MS = 10 * 60_000;
const SLACK_BYTES = 1024;
const IN_SANDBOX = { platform: 'linux' } as const;

/**
 * Returns a sandbox that uses the channel.
 * @throws SavepointError USAGE if a shell would not read `node` as one plain word
 */
export function channelSandbox({ channel, ports, node = 'node' }: ChannelSandboxOptions): Sandbox {
  if (!/^[\w@%+=:,./-]+$/.test(node) || node.startsWith('-')) {
    throw new SavepointError('USAGE', `${JSON.stringify(node)} is not the path of a program.`, { argument: 'node' });
  }
  const reach: RunnerContext = { channel, clock: ports.clock, random: ports.random, node };
  return {
    name: channel.name,
    run: (command) => run(reach, command),

    async read(given, { signal, mostBytes = MAX_COMMAND_BYTES } = {}) {
      const path = givenDiskPath(IN_SANDBOX, given);
      const request: RunnerRequest = { what: 'read', path: base64(path), most: mostBytes };
      const input = Buffer.alloc(0);
      const answer = await askFile(reach, path, { request, input, signal, mostBytes: mostBytes + SLACK_BYTES });
      return answer?.stdout ?? null;
    },

    async write(given, content, { signal, mode } = {}) {
      const path = givenDiskPath(IN_SANDBOX, given);
      const request: RunnerRequest = { what: 'write', path: base64(path), mode: mode ?? null };
      const answer = await askFile(reach, path, { request, input: content, signal, mostBytes: SLACK_BYTES });
      if (answer === null) throw failure('write', nameToJson(path), 'ENOENT');
    },

    close: () => channel.close(),
  };
}

async function run(reach: RunnerContext, asked: SandboxCommand): Promise<CommandResult> {
  const { id, command, env, input, timeoutMs, signal, mostBytes = MAX_COMMAND_BYTES } = asked;
  const cwd = asked.cwd === undefined ? null : givenDiskPath(IN_SANDBOX, asked.cwd);
  const nothing = { id, exit: null, signal: null, stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) };
  if (signal?.aborted) return { ...nothing, ended: 'aborted' };
  const request: RunnerRequest = {
    what: 'run',
    command,
    cwd: cwd === null ? null : base64(cwd),
    env: env ?? {},
    timeout: timeoutMs ?? null,
    most: mostBytes,
  };
  const {
    stdout,
    stderr,
    end,
    cutReason: cut,
  } = await askRunner(reach, {
    request,
    input: input ?? Buffer.alloc(0),
    timeoutMs: timeoutMs ?? null,
    signal: signal ?? null,
    mostBytes,
  });
  if (end === null) return { ...nothing, stdout, stderr, ended: cut };
  if (end.kind === 'done') throw invalidAnswer(reach.channel.name, 'it lacks the result of the command');
  if (end.kind === 'failed') {
    const where = end.at === 'cwd' && cwd !== null ? nameToJson(cwd) : command[0];
    throw failure('run', where, end.code);
  }
  return { id, exit: end.exit, signal: end.signal, ended: end.ended, stdout, stderr };
}

interface AskedFile extends Pick<RunnerCall, 'request' | 'input' | 'mostBytes'> {
  readonly signal: AbortSignal | undefined;
}

/** @returns null if the file does not exist */
async function askFile(reach: RunnerContext, path: DiskPath, asked: AskedFile): Promise<RunnerResponse | null> {
  const answer = await askRunner(reach, { ...asked, timeoutMs: FILE_TIMEOUT_MS, signal: asked.signal ?? null });
  const end: RunnerEnd | null = answer.end;
  if (end === null) {
    if (answer.cutReason === 'aborted')
      throw new SavepointError('CANCELLED', 'Cancelled while a file was being transferred.');
    const why = answer.cutReason === 'timeout' ? 'it did not end in time' : 'it exceeds the size limit';
    throw invalidAnswer(reach.channel.name, why);
  }
  if (end.kind === 'ran') throw invalidAnswer(reach.channel.name, 'it is the result of a command, not of a file');
  if (end.kind === 'done') return answer;
  if (end.code === 'ENOENT' || end.code === 'ENOTDIR') return null;
  throw failure(asked.request.what, nameToJson(path), end.code);
}

function failure(operation: string, path: JsonName, code: string): SavepointError {
  const what = typeof path === 'string' ? JSON.stringify(path) : 'A file whose name is not UTF-8';
  const done = { run: 'run', read: 'read', write: 'written' }[operation] ?? operation;
  return new SavepointError('IO', `${what} in the sandbox cannot be ${done} (${code}).`, { path, operation, code });
}

function base64(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('base64');
}
