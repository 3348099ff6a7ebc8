/** Automatic export: buckets are configured by the environment, and the work runs in a detached process. */

import { spawn } from 'node:child_process';
import { type DiskPath, textFromBytes } from '@savepoint/core';
import type { Exporter } from '@savepoint/core/frontend';

type Environment = Readonly<Record<string, string | undefined>>;

/** @param script the program that this process runs */
export function exporter(env: Environment, script: string): Exporter {
  return {
    open: async (place) => {
      // Loaded on demand, because it is rarely needed.
      const { bucketFromEnvironment } = await import('@savepoint/s3');
      return bucketFromEnvironment(place, env);
    },
    startProcess: (dir) => startExport(dir, env, script),
  };
}

/** Starts an export in the background; `savepoint status` shows the result. */
function startExport(dir: DiskPath, env: Environment, script: string): void {
  const folder = textFromBytes(dir);
  if (folder === null || script === '') return;
  const child = spawn(process.execPath, [script, 'bundle', 'export', '--patient'], {
    cwd: folder,
    detached: true,
    stdio: 'ignore',
    windowsHide: true,
    // PWD takes precedence over the current folder.
    env: { ...env, PWD: folder },
  });
  // If it fails, the export after the next checkpoint catches up.
  child.on('error', () => undefined);
  child.unref();
}
