/** Asks the daemon of a home for its status, or to stop. */
import { realpathSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { BUILD_HEADER, type Build, handshake } from './build.ts';
import { homeLink, SOCKET } from './runtime-folder.ts';

const TIMEOUT_MS = 1_000;
const MAX_RESPONSE_LENGTH = 64 * 1024;

export type DaemonStatus = Readonly<Record<string, unknown>> & { readonly pid: number };

/**
 * `none`: no process listens. `silent`: one does, and does not answer in time. `stopping`: it accepts no requests, because
 * it is shutting down or another build.
 */
export type DaemonAnswer = DaemonStatus | 'none' | 'silent' | 'stopping';

export function askDaemon(home: string, own: Build, what: 'status' | 'stop'): Promise<DaemonAnswer> {
  let socketPath: string;
  try {
    // The path through the home may be too long for a socket.
    socketPath = join(realpathSync(homeLink(home)), SOCKET);
  } catch {
    return Promise.resolve('none');
  }
  return new Promise((resolve) => {
    const done = (said: DaemonAnswer): void => {
      asked.destroy();
      resolve(said);
    };
    const asked = request(
      {
        socketPath,
        path: `/${what}`,
        method: what === 'status' ? 'GET' : 'POST',
        headers: { host: 'savepoint', [BUILD_HEADER]: handshake(own), connection: 'close' },
        timeout: TIMEOUT_MS,
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (part: string) => {
          text += part;
          if (text.length > MAX_RESPONSE_LENGTH) done('none');
        });
        response.on('error', () => done('none'));
        response.on('end', () => done(response.statusCode === 409 ? 'stopping' : parsed(text)));
      },
    );
    asked.on('timeout', () => done('silent'));
    asked.on('error', () => done('none'));
    asked.end();
  });
}

function parsed(text: string): DaemonStatus | 'none' {
  try {
    const value = JSON.parse(text) as DaemonStatus | null;
    return typeof value === 'object' && value !== null && typeof value.pid === 'number' ? value : 'none';
  } catch {
    return 'none';
  }
}
