/** How checkpoints leave this machine by themselves: buckets by the environment, and the work in a process that outlives this one. */

import { spawn } from 'node:child_process';
import { type DiskPath, textFromBytes } from '@savepoint/core';
import type { Exporter } from '@savepoint/core/faces';

type Environment = Readonly<Record<string, string | undefined>>;

/** @param script the program that this process runs */
export function exporter(env: Environment, script: string): Exporter {
  return {
    open: async (place) => {
      // Loaded here only: few need it.
      const { bucketFromEnvironment } = await import('@savepoint/s3');
      return bucketFromEnvironment(place, env);
    },
    elsewhere: (dir) => startExport(dir, env, script),
  };
}

/** Nobody waits for it; how it went stands in `savepoint status`. */
function startExport(dir: DiskPath, env: Environment, script: string): void {
  const folder = textFromBytes(dir);
  if (folder === null || script === '') return;
  const child = spawn(process.execPath, [script, 'bundle', 'export', '--patient'], {
    cwd: folder,
    detached: true,
    stdio: 'ignore',
    windowsHide: true,
    // The shell's own name for the folder would go first.
    env: { ...env, PWD: folder },
  });
  // What it cannot do is done after the next checkpoint.
  child.on('error', () => undefined);
  child.unref();
}
