// @ts-check
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DRAWN, KeyedTerminal } from './keyed-terminal.mjs';
import { makeLongTimeline } from './long-timeline.mjs';
import { median, showMs } from './measure.mjs';

/**
 * The browser on a long timeline, in a pseudo-terminal: from the start of the process until the newest turn and its diff
 * are on the screen, and from a key until the terminal has the new rows. `made` is a folder from an earlier run.
 */

const KEYS = 100;
const PAUSE_MS = 100;

/** @param {{ base: string, runs: number, checkpoints: number }} setting @returns {Promise<string>} a table */
export async function measureBrowser({ base, runs, checkpoints }) {
  const [dir, home] = [join(base, 'browser'), join(base, 'browser-home')];
  mkdirSync(home, { recursive: true, mode: 0o700 });
  writeFileSync(join(home, 'config.json'), JSON.stringify({ max_checkpoints: 2 * checkpoints }));
  await makeLongTimeline({ dir, home, checkpoints });
  return table(await measured({ dir, home, runs }), checkpoints);
}

/** @param {{ dir: string, home: string, runs: number }} where */
export async function measured({ dir, home, runs }) {
  /** @type {Record<'list' | 'diff' | 'key' | 'end', number[]>} */
  const found = { list: [], diff: [], key: [], end: [] };
  for (let run = 0; run < runs; run++) {
    const began = performance.now();
    const terminal = new KeyedTerminal(['browse'], dir, home);
    await terminal.receives('claude');
    found.list.push(performance.now() - began);
    await terminal.receives(' path');
    found.diff.push(performance.now() - began);
    terminal.type('3');
    await terminal.receives('cp_');
    for (let key = 0; key < KEYS; key++) {
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      const pressed = performance.now();
      terminal.type('j');
      await terminal.receives(DRAWN);
      found.key.push(performance.now() - pressed);
    }
    const pressed = performance.now();
    terminal.type('G');
    await terminal.receives('first checkpoint here');
    found.end.push(performance.now() - pressed);
    terminal.type('q');
    await terminal.ended;
  }
  return found;
}

/** @param {Awaited<ReturnType<typeof measured>>} found @param {number} checkpoints */
export function table({ list, diff, key, end }, checkpoints) {
  const sorted = key.toSorted((a, b) => a - b);
  const most = sorted[Math.floor(sorted.length * 0.95)] ?? 0;
  return [
    `| with ${checkpoints.toLocaleString('en')} checkpoints | milliseconds |`,
    '|---|---|',
    `| from the start until the turns are shown | ${showMs(list)} |`,
    `| until the diff of the newest is shown | ${showMs(diff)} |`,
    `| a key that moves one row | ${median(key).toFixed(1)}, 95 % within ${most.toFixed(1)} |`,
    `| \`G\` to the oldest checkpoint, with its description | ${showMs(end)} |`,
    '',
  ].join('\n');
}
