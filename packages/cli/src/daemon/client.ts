/**
 * Lets the daemon answer a command that only reads. It loads nothing of the engine, because that takes most of the time
 * of a small command. Whatever goes wrong, the command does its work itself, and nothing was printed yet.
 */
import type { DiskPath, Progress } from '@savepoint/core';
import { type Interrupt, listenForInterrupts } from '../interrupt.ts';
import { ProgressLine } from '../progress.ts';
import { folderOfShell } from '../shell-folder.ts';
import { streamOf } from '../view.ts';
import { writeAll } from '../write.ts';
import { BUILD_HEADER, buildOnDisk, handshake } from './build.ts';
import { ANSWERED, COMMAND_ROUTE, type CommandAnswer, type CommandReply, zoneOffsets } from './command-request.ts';
import { socketOf } from './find-socket.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** A daemon that works says so several times in this time, in milliseconds. */
const SILENCE_MS = 3_000;
const MAX_REPLY_LENGTH = 512 * 1024 * 1024;
/** What `process.env` or an argument has instead of bytes that are not UTF-8. */
const UNDECODED = '\ufffd';
/** A copy of a workspace has a home of its own. */
const IN_COPY = /\/copies\/copy_[0-9a-f]{8}\/tree(?:\/|$)/;

/** @returns the exit status; null if the command must do the work itself, with the listener for interrupts */
export async function runByDaemon(
  args: readonly string[],
  env: Environment,
): Promise<number | { readonly interrupt: Interrupt } | null> {
  if (process.platform === 'win32' || env['SAVEPOINT_DAEMON'] === 'off') return null;
  if (!args.some((word) => ANSWERED.has(word)) || args.some((word) => word.includes(UNDECODED))) return null;
  // They may load other modules into this process.
  if (env['NODE_OPTIONS'] !== undefined) return null;
  const socket = socketOf(env);
  const body = socket === null ? null : requestBody(args, env);
  if (socket === null || body === null) return null;
  const interrupt = listenForInterrupts();
  const progress = process.stderr.isTTY === true && !args.includes('--json') ? new ProgressLine() : null;
  const answer = await ask(socket, body, { interrupt, progress });
  progress?.clear();
  if (answer === null) return { interrupt };
  try {
    await print(answer, env);
    for (const warning of answer.warnings) writeAll(2, warning);
    return answer.exit;
  } catch (error) {
    const { reportFailure } = await import('../run.ts');
    return reportFailure(error, args, env, interrupt);
  } finally {
    interrupt.end();
  }
}

async function print({ text, pagedIn }: CommandAnswer, env: Environment): Promise<void> {
  const bytes = Buffer.from(text, 'base64');
  if (pagedIn === null) writeAll(1, bytes);
  else (await import('../pager.ts')).page(bytes, env, pagedIn as DiskPath);
}

function requestBody(args: readonly string[], env: Environment): string | null {
  let folder: string;
  try {
    folder = process.cwd();
  } catch {
    return null;
  }
  const named = folderOfShell(env) ?? folder;
  const variables = Object.entries(env);
  if (folder.includes(UNDECODED) || IN_COPY.test(folder)) return null;
  if (variables.some(([name, value]) => `${name}${value}`.includes(UNDECODED))) return null;
  return JSON.stringify({
    args,
    folder: named,
    env: Object.fromEntries(variables),
    streams: [streamOf(1), streamOf(2)],
    zone: zoneOffsets(new Date()),
    node: process.execPath,
    script: process.argv[1] ?? '',
  });
}

/** @returns null without a complete answer */
async function ask(
  socketPath: string,
  body: string,
  { interrupt, progress }: { readonly interrupt: Interrupt; readonly progress: ProgressLine | null },
): Promise<CommandAnswer | null> {
  const own = buildOnDisk();
  if (own === null) return null;
  const { connect } = await import('node:net');
  return new Promise((resolve) => {
    const socket = connect(socketPath);
    const parts: Buffer[] = [];
    let length = 0;
    let isHead = true;
    const done = (answer: CommandAnswer | null): void => {
      socket.destroy();
      resolve(answer);
    };
    interrupt.signal.addEventListener('abort', () => done(null));
    socket.setTimeout(SILENCE_MS, () => done(null));
    socket.on('error', () => done(null));
    socket.on('close', () => done(null));
    socket.on('data', (part) => {
      parts.push(part);
      length += part.length;
      if (length > MAX_REPLY_LENGTH) return done(null);
      // A line that is not complete yet is not joined again and again.
      if (!part.includes(10)) return;
      const rest = Buffer.concat(parts);
      const head = isHead ? rest.indexOf('\r\n\r\n') : -4;
      if (isHead && (head < 0 || !/^HTTP\/1\.[01] 200 /.test(rest.toString('latin1', 0, 16)))) {
        return head < 0 ? undefined : done(null);
      }
      isHead = false;
      const lines = rest
        .subarray(head + 4)
        .toString('utf8')
        .split('\n');
      const last = lines.pop() ?? '';
      parts.splice(0, parts.length, Buffer.from(last));
      for (const line of lines) {
        const reply = parsedReply(line);
        if (reply === null) return done(null);
        if (!('progress' in reply)) return done(reply.answer);
        if (reply.progress !== null) progress?.show(reply.progress);
      }
    });
    // By HTTP 1.0, the answer comes as it is written.
    socket.write(
      `POST /${COMMAND_ROUTE} HTTP/1.0\r\nHost: savepoint\r\n${BUILD_HEADER}: ${handshake(own)}\r\n` +
        `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
  });
}

/** @returns null for what is not a reply, or declines */
function parsedReply(line: string): Exclude<CommandReply, { readonly declined: string }> | null {
  try {
    const reply = JSON.parse(line) as Partial<{ progress: Progress; answer: CommandAnswer }> | null;
    if (reply === null || typeof reply !== 'object') return null;
    if (reply.answer === undefined) return 'progress' in reply ? { progress: reply.progress ?? null } : null;
    const { text, pagedIn, warnings, exit } = reply.answer;
    const isAnswer =
      typeof text === 'string' &&
      (pagedIn === null || typeof pagedIn === 'string') &&
      Array.isArray(warnings) &&
      warnings.every((each) => typeof each === 'string') &&
      Number.isInteger(exit);
    return isAnswer ? { answer: reply.answer } : null;
  } catch {
    return null;
  }
}
