// @ts-check
/** Measures how long eight forks of a workspace with two repositories take, and their disk, in each way the machine has. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { open } from '@savepoint/core/node';
import { flushDisk, median, showMs, timed, timedAsync } from './measure.mjs';
import { git, makeRepository } from './repository.mjs';

const FORKS = 8;
const COMMAND = { command: ['true'], variables: { PATH: process.env['PATH'] ?? '' } };

/**
 * @typedef {object} Row
 * @property {string} what
 * @property {number[]} ms
 * @property {number} bytes
 */

/**
 * @param {{ base: string, runs: number, files: number }} given
 * @returns {Promise<string>}
 */
export async function measureForks({ base, runs, files }) {
  const project = join(base, 'forked');
  for (const name of ['one', 'two']) makeRepository(join(project, name), files / 2);
  const once = used(project);
  /** @type {Row[]} */
  const rows = [];
  const notes = new Set();
  for (const rung of /** @type {const} */ (['overlay', 'reflink', 'copy'])) {
    let isPossible = true;
    /** @type {Row} */
    const row = { what: `fork create --count ${FORKS}, ${rung}`, ms: [], bytes: 0 };
    for (let run = 0; run < runs; run++) {
      const home = join(base, 'forks-home');
      const savepoint = open({ dir: project, home });
      await savepoint.checkpoint();
      flushDisk();
      const before = free(base);
      const names = Array.from({ length: FORKS }, (_, index) => `f-${index + 1}`);
      /** @type {Awaited<ReturnType<typeof savepoint.createForks>>} */
      let made = [];
      const options = rung === 'overlay' ? { rungs: [rung], command: COMMAND } : { rungs: [rung] };
      row.ms.push(
        await timedAsync(async () => {
          made = await savepoint.createForks(names, options);
        }),
      );
      flushDisk();
      const found = made[0]?.fork.copy.rung;
      // Only clones share blocks that `du` would count more than once. Other programs change what is free, too.
      row.bytes = found === 'reflink' ? before - free(base) : used(join(home, 'copies'));
      if (found !== rung) notes.add(`${rung} is not possible here: ${made[0]?.notes[0] ?? `it became ${found}`}`);
      for (const name of names) await savepoint.dropFork(name, { force: true });
      rmSync(home, { recursive: true, force: true });
      isPossible = found === rung;
      if (!isPossible) break;
    }
    if (isPossible) rows.push(row);
  }
  rows.push(beside(`${FORKS} times cp -a`, runs, base, (to) => execFileSync('cp', ['-a', project, to])));
  rows.push(
    beside(
      `${FORKS} times git worktree add in both`,
      runs,
      base,
      (to) => {
        mkdirSync(to);
        for (const name of ['one', 'two'])
          git(join(project, name), 'worktree', 'add', '-q', '--detach', join(to, name));
      },
      () => {
        for (const name of ['one', 'two']) git(join(project, name), 'worktree', 'prune');
      },
    ),
  );
  const copies = (rows.find(({ what }) => what.includes('cp -a'))?.bytes ?? once * FORKS) || 1;
  return [
    `${files.toLocaleString('en')} files in two repositories, ${runs === 1 ? 'one run' : `${runs} runs, median, with the range in brackets`}; milliseconds for all ${FORKS}. Disk: against \`cp -a\`.`,
    '',
    '|  | ms | for each | disk |',
    '|---|---|---|---|',
    ...rows.map(
      ({ what, ms, bytes }) =>
        `| ${what} | ${showMs(ms)} | ${Math.round(median(ms) / FORKS)} | ${(bytes / 1e6).toFixed(0)} MB (${((100 * bytes) / copies).toFixed(1)} %) |`,
    ),
    '',
    ...[...notes].map((note) => `- ${note}`),
    '',
  ].join('\n');
}

/**
 * @param {string} what
 * @param {number} runs
 * @param {string} base
 * @param {(to: string) => unknown} make
 * @param {() => unknown} [after]
 * @returns {Row}
 */
function beside(what, runs, base, make, after = () => undefined) {
  /** @type {Row} */
  const row = { what, ms: [], bytes: 0 };
  const top = join(base, 'beside');
  for (let run = 0; run < runs; run++) {
    mkdirSync(top);
    flushDisk();
    row.ms.push(
      timed(() => {
        for (let index = 0; index < FORKS; index++) make(join(top, `copy-${index}`));
        // Forks are durable before they exist.
        flushDisk();
      }),
    );
    row.bytes = used(top);
    rmSync(top, { recursive: true });
    after();
  }
  return row;
}

/** Free bytes of the file system. @param {string} folder */
function free(folder) {
  const [, line = ''] = execFileSync('df', ['-B1', '--output=avail', folder], { encoding: 'utf8' }).split('\n');
  return Number(line.trim());
}

/** @param {string} folder */
function used(folder) {
  return Number(execFileSync('du', ['-s', '-B1', folder], { encoding: 'utf8' }).split('\t')[0]);
}
