// @ts-check
import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { open } from '@savepoint/core';
import { nodePorts } from '@savepoint/core/node';
import { flushDisk, median, showMs, timedAsync } from './measure.mjs';
import { makeRepository, nameOf } from './repository.mjs';

/** Checkpoints of the same number of files in one repository and in several side by side. */

const SPLITS = [1, 5, 25];

/**
 * @typedef {object} Times
 * @property {number[]} first
 * @property {number[]} nothing
 * @property {number[]} one
 * @property {number[]} each
 */

/**
 * @param {{ base: string, runs: number, files: number }} options
 * @returns {Promise<string>} a table
 */
export async function measureRepositories({ base, runs, files }) {
  const worlds = SPLITS.map((count) => ({ count, dir: join(base, `split-${count}`), times: nothingYet() }));
  for (const { count, dir } of worlds) {
    mkdirSync(dir);
    for (let index = 0; index < count; index++) makeRepository(repositoryOf(dir, index), Math.floor(files / count));
  }
  flushDisk();
  // Take turns, so that other load on the machine affects all of them.
  for (let run = 0; run < runs; run++) {
    for (const { count, dir, times } of worlds)
      await measure({ count, dir, home: join(base, `home-${count}-${run}`), times, run });
  }
  const alone = /** @type {typeof worlds[0]} */ (worlds[0]).times;
  const against = (/** @type {number[]} */ ours, /** @type {number[]} */ one) =>
    `${showMs(ours)} | ${(median(ours) / median(one)).toFixed(2)} ×`;
  return [
    `${files.toLocaleString('en')} files in all, ${runs} runs, median, with the range in brackets; milliseconds, and the ratio to one repository.`,
    '',
    '| repositories | first checkpoint | | nothing changed | | one file changed | | one file in each changed | |',
    '|---|---|---|---|---|---|---|---|---|',
    ...worlds.map(
      ({ count, times }) =>
        `| ${count} | ${against(times.first, alone.first)} | ${against(times.nothing, alone.nothing)} | ${against(times.one, alone.one)} | ${against(times.each, alone.each)} |`,
    ),
    '',
  ].join('\n');
}

/** @returns {Times} */
function nothingYet() {
  return { first: [], nothing: [], one: [], each: [] };
}

/** @param {{ count: number, dir: string, home: string, times: Times, run: number }} world */
async function measure({ count, dir, home, times, run }) {
  const disk = (/** @type {string} */ path) => /** @type {import('@savepoint/core').DiskPath} */ (path);
  const places = { home: disk(home), userHome: null, globalIgnore: null };
  const savepoint = open({ dir: disk(dir), ports: nodePorts(), places });
  const checkpoint = () => timedAsync(() => savepoint.checkpoint());
  times.first.push(await checkpoint());
  // A scan always reads files again that are less than two seconds old.
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  await savepoint.checkpoint();
  times.nothing.push(await checkpoint());
  change(dir, 1, run);
  times.one.push(await checkpoint());
  change(dir, count, run);
  times.each.push(await checkpoint());
}

/**
 * @param {string} dir
 * @param {number} index
 */
function repositoryOf(dir, index) {
  return join(dir, `repository-${index}`);
}

/**
 * @param {string} dir
 * @param {number} count of repositories
 * @param {number} run
 */
function change(dir, count, run) {
  for (let index = 0; index < count; index++) {
    appendFileSync(join(repositoryOf(dir, index), nameOf(7 + run)), `// changed ${run}\n`);
  }
}
