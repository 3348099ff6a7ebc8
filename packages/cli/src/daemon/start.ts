/** Starting a daemon for the hooks that come next, once this one has been answered. */
import { spawn } from 'node:child_process';
import { closeSync, openSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { buildOnDisk } from './build.ts';
import { runtimeFolder } from './place.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Milliseconds; of many hooks at once one starts it, and one that cannot live is not started over and over. */
const PAUSE_MS = 5_000;
/** It stays: with a young generation of a quarter of the usual size it takes a tenth less memory, and is no slower. */
const NODE_OPTIONS = ['--max-semi-space-size=4'];

/**
 * @param home where stores are kept
 * @param script the program that this process runs
 */
export function startDaemon(home: string, script: string, env: Environment): void {
  if (process.platform === 'win32' || script === '' || env['SAVEPOINT_DAEMON'] === 'off') return;
  if (buildOnDisk() === null || 'why' in runtimeFolder(home, env) || wasTriedJustNow(home)) return;
  const child = spawn(process.execPath, [...NODE_OPTIONS, script, 'daemon', 'run'], {
    cwd: '/',
    detached: true,
    stdio: 'ignore',
    env: { ...env },
  });
  child.on('error', () => undefined);
  child.unref();
}

function wasTriedJustNow(home: string): boolean {
  const file = join(home, 'daemon.tried');
  try {
    const age = Date.now() - statSync(file).mtimeMs;
    if (Math.abs(age) < PAUSE_MS) return true;
    utimesSync(file, new Date(), new Date());
    return false;
  } catch {
    try {
      closeSync(openSync(file, 'wx', 0o600));
      return false;
    } catch {
      // Another hook made it in this moment, or there is no home.
      return true;
    }
  }
}
