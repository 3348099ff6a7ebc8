/**
 * Where a daemon is found. Below a folder of the account in the place for running things:
 *
 *   savepoint/<digest of the home>/now -> <pid>     the daemon that is asked
 *   savepoint/<digest of the home>/<pid>/s          its socket
 *   savepoint/<digest of the home>/<pid>/mnt, root  links to its mount namespace and its root folder: who sees other files
 *                                                   under the same paths must not ask it
 *   <home>/daemon -> …/<digest of the home>/now     so that a shell finds it without a digest or a user id
 *
 * Only their owner can enter these folders, so nobody else can connect, or put a socket there.
 */
import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { systemCode } from '../system-error.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Bytes of a socket's path that every system takes. */
const LONGEST = 100;
const LONGEST_PID = 10;

export const SOCKET = 's';
export const NOW = 'now';

/** The link in the home. */
export function homeLink(home: string): string {
  return join(home, 'daemon');
}

/** The folder of this home's daemons, made where it is missing; `why`: there is none that is safe. */
export function runtimeFolder(home: string, env: Environment): { readonly folder: string } | { readonly why: string } {
  const uid = process.getuid?.();
  if (uid === undefined) return { why: 'this system has no sockets that only their owner can reach' };
  const given = env['XDG_RUNTIME_DIR'];
  const name = createHash('sha256').update(home).digest('hex').slice(0, 12);
  const reasons: string[] = [];
  for (const top of [
    ...(given !== undefined && isAbsolute(given) ? [join(given, 'savepoint')] : []),
    join(tmpdir(), `savepoint-${uid}`),
  ]) {
    const folder = join(top, name);
    if (Buffer.byteLength(join(folder, '9'.repeat(LONGEST_PID), SOCKET)) > LONGEST) {
      reasons.push(`${top} is too long a path for a socket`);
      continue;
    }
    const why = notOurs(top, uid) ?? notOurs(folder, uid);
    if (why === null) return { folder };
    reasons.push(why);
  }
  return { why: reasons.join('; ') };
}

/** Why nothing may be put there; null: it is a folder that only we can enter. */
function notOurs(folder: string, uid: number): string | null {
  try {
    try {
      mkdirSync(folder, { mode: 0o700 });
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') throw error;
    }
    const stat = lstatSync(folder);
    if (!stat.isDirectory()) return `${folder} is no folder (a link is not followed)`;
    if (stat.uid !== uid) return `${folder} belongs to another user (uid ${stat.uid})`;
    if ((stat.mode & 0o077) !== 0) return `others can enter ${folder} (mode ${(stat.mode & 0o777).toString(8)})`;
    return null;
  } catch (error) {
    return `${folder} cannot be made (${systemCode(error) ?? 'EIO'})`;
  }
}
