// @ts-check
/** Runs `savepoint studio` for the pictures, as a person does in a terminal. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { TOP } from '../steps.mjs';

const COMMAND = join(TOP, 'packages/cli/bundle/savepoint.js');

/**
 * @param {{ dir: string, home: string, store: string }} where
 * @returns {Promise<{ address: () => Promise<string>, stop: () => Promise<void> }>}
 */
export async function startStudio({ dir, home, store }) {
  /** @type {Set<import('node:child_process').ChildProcess>} */
  const running = new Set();
  const start = async () => {
    const child = spawn(process.execPath, [COMMAND, 'studio', '--no-open', '--json'], {
      cwd: dir,
      env: { PATH: process.env['PATH'] ?? '', HOME: home, SAVEPOINT_HOME: store, SAVEPOINT_DAEMON: 'off' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    running.add(child);
    let text = '';
    for await (const part of child.stdout) {
      text += String(part);
      if (text.includes('\n')) break;
    }
    return JSON.parse(text.slice(0, text.indexOf('\n')));
  };
  return {
    // An address lets one browser in, so each browser gets one of a server of its own.
    address: async () => (await start()).open,
    stop: async () => {
      for (const child of running) {
        child.kill('SIGTERM');
        if (child.exitCode === null) await once(child, 'exit');
      }
    },
  };
}
