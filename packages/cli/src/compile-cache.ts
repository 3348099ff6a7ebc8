/** Enables Node's compile cache, which speeds up the next start (Node 22.1 and newer, on Linux). */
import { closeSync, constants, fstatSync, lstatSync, mkdirSync, openSync, type Stats } from 'node:fs';
import * as nodeModule from 'node:module';
import { isAbsolute, join } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;
type Enable = (folder: string) => { readonly status: number };

/** The status with which Node says that it uses the folder. Others: disabled, impossible, or it uses another one. */
const ENABLED = 1;

/**
 * The cache is the folder `compiled` in Savepoint's home. Node executes its content, so it is only used if no other user
 * can read or write either folder. Only successful commands create it or add to it, and only with `adds`. The path of the home is a guess,
 * because `nodePlaces` is not loaded yet. A wrong guess only costs time.
 */
export function useCompileCache(env: Environment, { adds }: { readonly adds: boolean }): void {
  const { enableCompileCache } = nodeModule as { readonly enableCompileCache?: Enable };
  if (enableCompileCache === undefined || process.platform !== 'linux') return;
  const data = env['XDG_DATA_HOME'] ?? join(env['HOME'] ?? '', '.local', 'share');
  const home = env['SAVEPOINT_HOME'] || join(data, 'savepoint');
  if (!isAbsolute(home)) return;
  const folder = join(home, 'compiled');
  const handle = isPrivateHome(home) ? openPrivate(folder) : null;
  if (handle !== null) {
    if (!enableIn(handle, enableCompileCache)) return;
    // Node writes the cache after this event, through the handle. Once that is closed, it cannot.
    process.on('exit', (status) => void ((adds && status === 0) || closeSync(handle)));
  } else if (adds) {
    process.on('exit', (status) => {
      const made = status === 0 && isPrivateHome(home) && create(folder) ? openPrivate(folder) : null;
      if (made !== null) enableIn(made, enableCompileCache);
    });
  }
}

function isPrivateHome(home: string): boolean {
  try {
    return isPrivate(lstatSync(home));
  } catch {
    return false;
  }
}

/** @returns null if there is no such folder, or if it is not private */
function openPrivate(folder: string): number | null {
  try {
    const handle = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
    if (isPrivate(fstatSync(handle))) return handle;
    closeSync(handle);
  } catch {
    // Without the cache, everything is compiled again.
  }
  return null;
}

function isPrivate(stat: Stats): boolean {
  return stat.isDirectory() && stat.uid === process.getuid?.() && (stat.mode & 0o077) === 0;
}

/**
 * From here on, Node uses the cache. It creates a folder for its version at once.
 * @returns whether it does; if not, the handle is closed
 */
function enableIn(handle: number, enableCompileCache: Enable): boolean {
  const umask = process.umask(0o077);
  let isUsed = false;
  try {
    isUsed = enableCompileCache(`/proc/self/fd/${handle}`).status === ENABLED;
  } finally {
    process.umask(umask);
    if (!isUsed) closeSync(handle);
  }
  return isUsed;
}

function create(folder: string): boolean {
  try {
    mkdirSync(folder, { mode: 0o700 });
    return true;
  } catch {
    // It exists, or the home cannot be written to. The next command starts without the cache.
    return false;
  }
}
