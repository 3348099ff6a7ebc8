// @ts-check
/**
 * Measures checkpoints, restores, whole commands, memory and disk in repositories, each figure beside that of git on the
 * same files, in turns.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { measureSubject, SHORT_RUNS } from './speed/measure-subject.mjs';
import { copyOfClone, madeUp } from './speed/subject.mjs';
import { rangesOf, speedTable } from './speed/table.mjs';

/**
 * @param {{ base: string, runs: number, sizes: readonly number[], clones: readonly string[] }} options
 * `sizes`: files of repositories that are made up; `clones`: folders of others, or NAME=FOLDER
 * @returns {Promise<string>} a table in Markdown
 */
export async function measureSpeed({ base, runs, sizes, clones }) {
  const made = sizes.map((size) => (/** @type {string} */ dir) => madeUp(size, dir));
  const copied = clones.map((clone) => (/** @type {string} */ dir) => copyOfClone(clone, dir));
  const all = [];
  for (const [nth, make] of [...made, ...copied].entries()) {
    const folder = join(base, `speed-${nth}`);
    const subject = make(join(folder, 'project'));
    console.log(`${subject.name}: ${subject.facts['files']} files, ${subject.facts['commits']} commits …`);
    const started = performance.now();
    const measured = { subject, figures: await measureSubject({ base: folder, subject, runs }) };
    console.log(`${rangesOf(measured)}\n  measured in ${Math.round((performance.now() - started) / 1_000)} s`);
    all.push(measured);
    rmSync(folder, { recursive: true, force: true });
  }
  return `Runs: ${runs}, short ones ${runs * SHORT_RUNS}; the median, in milliseconds or MB.\n\n${speedTable(all)}`;
}
