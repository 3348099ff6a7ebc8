/**
 * Where to find the daemon. In the account's runtime folder:
 *
 *   savepoint/<digest of the home>/now -> <pid>     the current daemon
 *   savepoint/<digest of the home>/<pid>/s          its socket
 *   savepoint/<digest of the home>/<pid>/mnt, root  links to its mount namespace and its root folder: a process with a
 *                                                   different view of the file system must not ask it
 *   <home>/daemon -> …/<digest of the home>/now     so that a shell finds it without a digest or a user id
 *
 * Only their owner can enter these folders, so no other user can connect to a socket or create one there.
 */
import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { systemCode } from '../system-error.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Maximum length in bytes of a socket path that all systems support. */
const MAX_SOCKET_PATH_BYTES = 100;
const MAX_PID_DIGITS = 10;

export const SOCKET = 's';
export const CURRENT_LINK = 'now';

/** The link in the home. */
export function homeLink(home: string): string {
  return join(home, 'daemon');
}

/** Returns the folder of this home's daemons, and creates it if missing. `why`: why no safe folder is available. */
export function runtimeFolder(home: string, env: Environment): { readonly folder: string } | { readonly why: string } {
  const uid = process.getuid?.();
  if (uid === undefined) return { why: 'this system has no sockets that only their owner can access' };
  const given = env['XDG_RUNTIME_DIR'];
  const name = createHash('sha256').update(home).digest('hex').slice(0, 12);
  const reasons: string[] = [];
  for (const top of [
    ...(given !== undefined && isAbsolute(given) ? [join(given, 'savepoint')] : []),
    join(tmpdir(), `savepoint-${uid}`),
  ]) {
    const folder = join(top, name);
    if (Buffer.byteLength(join(folder, '9'.repeat(MAX_PID_DIGITS), SOCKET)) > MAX_SOCKET_PATH_BYTES) {
      reasons.push(`the path ${top} is too long for a socket`);
      continue;
    }
    const why = ownershipProblem(top, uid) ?? ownershipProblem(folder, uid);
    if (why === null) return { folder };
    reasons.push(why);
  }
  return { why: reasons.join('; ') };
}

/** Returns why the folder is not safe; null if only this account can enter it. */
function ownershipProblem(folder: string, uid: number): string | null {
  try {
    try {
      mkdirSync(folder, { mode: 0o700 });
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') throw error;
    }
    const stat = lstatSync(folder);
    if (!stat.isDirectory()) return `${folder} is not a folder (links are not followed)`;
    if (stat.uid !== uid) return `${folder} belongs to another user (uid ${stat.uid})`;
    if ((stat.mode & 0o077) !== 0) return `other users can access ${folder} (mode ${(stat.mode & 0o777).toString(8)})`;
    return null;
  } catch (error) {
    return `${folder} cannot be created (${systemCode(error) ?? 'EIO'})`;
  }
}
