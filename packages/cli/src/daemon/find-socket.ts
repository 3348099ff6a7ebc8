/** Finds the socket of the daemon that may answer a command of this process. Loads nothing of the engine. */
import { lstatSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, isAbsolute, join } from 'node:path';
import { homeLink, SOCKET } from './runtime-folder.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The fields of `/proc/PID/status` that say what a process may do. */
const RIGHTS = /^(?:Uid|Gid|Groups|CapEff|NoNewPrivs|Seccomp|Seccomp_filters):.*$/gm;

/** @returns null if no daemon of this user, with the same rights and the same view of the files, may be asked */
export function socketOf(env: Environment): string | null {
  try {
    // The path through the home may be too long for a socket.
    const folder = realpathSync(homeLink(guessedHome(env)));
    const [place, socket] = [lstatSync(folder), lstatSync(join(folder, SOCKET))];
    const uid = process.geteuid?.();
    if (place.uid !== uid || socket.uid !== uid || (place.mode & 0o077) !== 0 || !socket.isSocket()) return null;
    const isSame = process.platform !== 'linux' || (hasSameView(folder) && hasSameRights(basename(folder)));
    return isSame ? join(folder, SOCKET) : null;
  } catch {
    return null;
  }
}

/** A wrong guess costs time: the daemon compares it with the real one. */
function guessedHome({ SAVEPOINT_HOME: given = '', XDG_DATA_HOME: data, HOME: home = '' }: Environment): string {
  if (given !== '') return given;
  if (process.platform === 'darwin') return join(home, 'Library', 'Application Support', 'Savepoint');
  return join(data !== undefined && isAbsolute(data) ? data : join(home, '.local', 'share'), 'savepoint');
}

/** A process in a container or another mount namespace sees other files. */
function hasSameView(folder: string): boolean {
  return [
    ['mnt', '/proc/self/ns/mnt'],
    ['root', '/proc/self/root'],
  ].every(([name = '', own = '']) => isSameFile(join(folder, name), own));
}

/** A process in a sandbox must not get from the daemon what it may not read itself. */
function hasSameRights(pid: string): boolean {
  return isSameFile(`/proc/${pid}/ns/user`, '/proc/self/ns/user') && rightsOf(pid) === rightsOf('self');
}

function rightsOf(pid: string): string {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8').match(RIGHTS) ?? [];
  return [...status, profileOf(pid)].join('\n');
}

/** The profile of AppArmor, SELinux or another security module. */
function profileOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/attr/current`, 'utf8');
  } catch {
    return '';
  }
}

function isSameFile(one: string, other: string): boolean {
  const [a, b] = [statSync(one, { bigint: true }), statSync(other, { bigint: true })];
  return a.dev === b.dev && a.ino === b.ino;
}
