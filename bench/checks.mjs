// @ts-check
/**
 * Measures what `savepoint check` adds to a check, on an unchanged folder. The check is the program `true`, so nearly all of
 * the time is Savepoint's. The start of the command is measured on its own, with `savepoint --version`.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { median, showMs, wholeCommand } from './measure.mjs';
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
    const added = Math.round(median(whole) - median(start));
    lines.push(`| ${files.toLocaleString('en')} | ${showMs(start)} | ${showMs(whole)} | ${added} |`);
  }
  return [
    `${runs} runs, median, with the range in brackets; milliseconds.`,
    '',
    '| files | `savepoint --version` | `savepoint check` | difference |',
    '|---|---|---|---|',
    ...lines,
    '',
  ].join('\n');
}
