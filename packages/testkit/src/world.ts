import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bytesFromText, type DiskPath } from '@savepoint/core';
import type { Places, Ports } from '@savepoint/core/ports';
import { realPorts } from './ports.ts';

/** A temporary folder on the real disk with everything Savepoint needs, isolated from the user who runs the tests. */
export interface World {
  /** The folder that contains everything, with links resolved. */
  readonly folder: DiskPath;
  /** An empty folder for the workspace. */
  readonly workspace: DiskPath;
  readonly places: Places;
  readonly ports: Ports;
  /** For child processes: HOME, SAVEPOINT_HOME and git's own settings point into this world. */
  readonly env: Readonly<Record<string, string>>;
  remove(): void;
}

/**
 * @param atEnd receives the function that removes the world, such as vitest's `onTestFinished` or `afterAll`. Without
 * it the caller calls `remove`.
 * @param parent the folder in which it creates its own
 */
export function world(atEnd?: (remove: () => void) => void, parent = tmpdir()): World {
  const folder = realpathSync.native(mkdtempSync(join(parent, 'savepoint-test-')));
  const at = (name: string): string => join(folder, name);
  for (const name of ['user', 'home', 'workspace']) mkdirSync(at(name), { mode: 0o700 });
  const remove = (): void => removeFolder(folder);
  atEnd?.(remove);
  const disk = (path: string): DiskPath => bytesFromText(path) as DiskPath;
  return {
    folder: disk(folder),
    workspace: disk(at('workspace')),
    places: { home: disk(at('home')), userHome: disk(at('user')), globalIgnore: null },
    ports: realPorts(),
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: at('user'),
      SAVEPOINT_HOME: at('home'),
      SAVEPOINT_DAEMON: 'off',
      ...(process.env['SAVEPOINT_WATCH'] === undefined ? {} : { SAVEPOINT_WATCH: process.env['SAVEPOINT_WATCH'] }),
      LC_ALL: 'C',
      ...GIT_ENV,
    },
    remove,
  };
}

/** Removes a folder, even if a background process is still writing to it. */
export function removeFolder(folder: string): void {
  for (let tries = 1; ; tries++) {
    try {
      rmSync(folder, { recursive: true, force: true });
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOTEMPTY' || tries === 50) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
    }
  }
}

/** Git without any configuration, and with a fixed author and time. */
export const GIT_ENV: Readonly<Record<string, string>> = {
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: process.platform === 'win32' ? 'NUL' : '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
  GIT_AUTHOR_NAME: 'Test',
  GIT_AUTHOR_EMAIL: 'test@example.invalid',
  GIT_AUTHOR_DATE: '1700000000 +0000',
  GIT_COMMITTER_NAME: 'Test',
  GIT_COMMITTER_EMAIL: 'test@example.invalid',
  GIT_COMMITTER_DATE: '1700000000 +0000',
};
