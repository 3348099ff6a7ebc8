// @ts-check
/** Measures what a long timeline costs: the same questions with many checkpoints and with few. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startLongLived } from './long-lived.mjs';
import { median, showMs } from './measure.mjs';
import { makeRepository } from './repository.mjs';

const FEW = 10;
const FILES = 100;

/**
 * @param {{ base: string, runs: number, checkpoints: number }} options
 * @returns {Promise<string>} a table in Markdown
 */
export async function measureTimeline({ base, runs, checkpoints }) {
  /** @type {Record<string, number[][]>} */
  const times = { list: [], show: [], diff: [] };
  for (const length of [FEW, checkpoints]) {
    const project = join(base, `timeline-${length}`);
    const home = join(base, `timeline-home-${length}`);
    makeRepository(project, FILES);
    const process = await startLongLived(project, home);
    for (let made = 0; made < length; made++) {
      writeFileSync(join(project, 'changing.txt'), `${made}\n`);
      await process.does('checkpoint');
    }
    await process.does('idle');
    for (const [work, columns] of Object.entries(times)) {
      const column = [];
      for (let run = 0; run < runs; run++) column.push(await process.does(work));
      columns.push(column);
    }
    await process.end();
    for (const folder of [project, home]) rmSync(folder, { recursive: true, force: true });
  }
  const lines = Object.entries(times).map(([work, [few = [], many = []]]) => {
    return `| ${work} | ${showMs(many)} | ${showMs(few)} | ${(median(many) / median(few)).toFixed(2)} × |`;
  });
  return [
    `${runs} runs, median, with the range in brackets; milliseconds.`,
    '',
    `| | with ${checkpoints.toLocaleString('en')} checkpoints | with ${FEW} | ratio |`,
    '|---|---|---|---|',
    ...lines,
    '',
  ].join('\n');
}
