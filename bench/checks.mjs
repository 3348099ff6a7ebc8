// @ts-check
/**
 * Measures what Savepoint adds to a check, on an unchanged folder: in a process that stays, and as the command. The check is
 * the program `true`, so nearly all of the time is Savepoint's. The start of the command is measured on its own, with
 * `savepoint --version`.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { open } from '@savepoint/core/node';
import { median, showMs, timedAsync, wholeCommand } from './measure.mjs';
import { makeRepository } from './repository.mjs';

const SIZES = [1_000, 50_000];

/**
 * @param {{ base: string, runs: number, command: string }} options
 * @returns {Promise<string>} a table in Markdown
 */
export async function measureChecks({ base, runs, command }) {
  const lines = [];
  for (const files of SIZES) {
    const project = join(base, `checks-${files}`);
    const home = join(base, `checks-home-${files}`);
    makeRepository(project, files);
    mkdirSync(home, { mode: 0o700 });
    const check = { command: ['true'], kind: 'lint' };
    writeFileSync(join(project, '.savepoint.json'), JSON.stringify({ checks: { nothing: check } }));
    const run = (/** @type {string[]} */ ...args) =>
      wholeCommand([process.execPath, command, ...args], project, { SAVEPOINT_HOME: home, SAVEPOINT_DAEMON: 'off' }).ms;
    run('checkpoint');
    run('trust', '--yes');
    // A scan reads files again that are less than two seconds old, and the first copy tries overlays out.
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    run('check', '--only', 'nothing');
    /** @type {number[]} */
    const whole = [];
    /** @type {number[]} */
    const start = [];
    for (let n = 0; n < runs; n++) {
      start.push(run('--version'));
      whole.push(run('check', '--only', 'nothing'));
    }
    /** @type {number[]} */
    const staying = [];
    const savepoint = open({ dir: project, home, watch: true });
    // The first look at the folder begins to watch it.
    for (let n = 0; n < 2; n++) await savepoint.check({ only: ['nothing'] });
    for (let n = 0; n < runs; n++) staying.push(await timedAsync(() => savepoint.check({ only: ['nothing'] })));
    savepoint.close();
    const added = Math.round(median(whole) - median(start));
    const name = files.toLocaleString('en');
    lines.push(`| ${name} | ${showMs(staying)} | ${showMs(start)} | ${showMs(whole)} | ${added} |`);
  }
  return [
    `${runs} runs, median, with the range in brackets; milliseconds.`,
    '',
    '| files | in a process that stays | `savepoint --version` | `savepoint check` | difference |',
    '|---|---|---|---|---|',
    ...lines,
    '',
  ].join('\n');
}
