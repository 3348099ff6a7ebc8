/** Asks the daemon which folders have not changed, for a command that does its work itself. */
import type { Watcher } from '@savepoint/core/ports';
import { BUILD_HEADER, buildOnDisk, handshake } from './build.ts';
import { socketOf } from './find-socket.ts';
import { UNCHANGED_ROUTE, type UnchangedRequest } from './unchanged-request.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Without an answer in this time, the command visits all folders. */
const PATIENCE_MS = 1_000;
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/**
 * @param home the home of the command
 * @param isEnabled whether the user's settings allow a daemon
 */
export function daemonWatcher(home: string, env: Environment, isEnabled: () => Promise<boolean>): Watcher | null {
  // These options may load other modules into this process.
  if (env['NODE_OPTIONS'] !== undefined) return null;
  if (process.platform === 'win32' || env['SAVEPOINT_DAEMON'] === 'off' || env['SAVEPOINT_WATCH'] === 'off')
    return null;
  let isSilent = false;
  return {
    ask: async (question) => {
      // A daemon that hangs costs this time once.
      if (isSilent) return null;
      const socket = socketOf(env);
      const own = buildOnDisk();
      if (socket === null || own === null || !(await isEnabled())) return null;
      const request: UnchangedRequest = { ...question, home };
      const answer = await post(socket, handshake(own), JSON.stringify(request));
      isSilent = answer === null;
      return answer;
    },
  };
}

/** @returns null without a complete answer */
async function post(socketPath: string, build: string, body: string): Promise<string | null> {
  const { connect } = await import('node:net');
  return new Promise((resolve) => {
    const socket = connect(socketPath);
    const parts: Buffer[] = [];
    let length = 0;
    const done = (answer: string | null): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(answer);
    };
    const timer = setTimeout(() => done(null), PATIENCE_MS);
    socket.on('error', () => done(null));
    socket.on('data', (part) => {
      length += part.length;
      if (length > MAX_ANSWER_BYTES) done(null);
      else parts.push(part);
    });
    socket.on('end', () => done(bodyOf(Buffer.concat(parts))));
    socket.on('close', () => done(null));
    socket.write(
      `POST /${UNCHANGED_ROUTE} HTTP/1.0\r\nHost: savepoint\r\n${BUILD_HEADER}: ${build}\r\n` +
        `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
  });
}

/** @returns null without a complete and successful response */
function bodyOf(response: Buffer): string | null {
  const end = response.indexOf('\r\n\r\n');
  const head = response.toString('latin1', 0, Math.max(end, 0));
  const length = /^content-length: (\d+)$/im.exec(head)?.[1];
  const body = response.subarray(end + 4);
  if (!/^HTTP\/1\.[01] 200 /.test(head) || length === undefined || body.length !== Number(length)) return null;
  return body.toString('utf8');
}
