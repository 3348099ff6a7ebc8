#!/usr/bin/env node
// @ts-check
/**
 * Measures how long the copy of a folder takes, file by file, beside `cp -a`, in turns so that a busy machine slows both.
 * Usage: npm run build && node bench/copies.mjs [FILES]   default: 10000
 * The part `copies` of `npm run bench` is the same.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { open } from '@savepoint/core/node';
import { median, showMs, timed, timedAsync } from './measure.mjs';

/**
 * @param {{ base: string, runs: number, files: number }} given
 * @returns {Promise<string>} a table in Markdown
 */
export async function measureCopies({ base, runs, files }) {
  const folder = join(base, 'copied');
  for (let n = 0; n < files; n++) {
    const below = join(folder, 'node_modules', `package-${n % 400}`, `part-${n % 3}`);
    if (n < 1200) mkdirSync(below, { recursive: true });
    writeFileSync(join(below, `file-${n}`), `${n}\n`.repeat(n % 2_000));
  }
  const savepoint = open({ dir: folder, home: join(base, 'copies-home') });
  await savepoint.checkpoint();
  /** @type {number[]} */
  const cp = [];
  /** @type {number[]} */
  const own = [];
  // Nothing is removed before the end: some file systems create files slowly for a while after others were removed.
  for (let run = 0; run < runs; run++) {
    cp.push(timed(() => execFileSync('cp', ['-a', folder, join(base, `cp-${run}`)])));
    own.push(
      await timedAsync(async () => {
        await savepoint.openCopy({ purpose: 'try', rungs: ['copy'] });
      }),
    );
  }
  const ratios = own.map((ms, run) => ms / (cp[run] ?? ms));
  return [
    `${runs} runs in turns, median, with the range in brackets; milliseconds.`,
    '',
    '| files | `cp -a` | copy | against `cp -a` |',
    '|---|---|---|---|',
    `| ${files.toLocaleString('en')} | ${showMs(cp)} | ${showMs(own)} | ${median(ratios).toFixed(2)} × |`,
    '',
  ].join('\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const base = mkdtempSync(join(tmpdir(), 'savepoint-bench-'));
  try {
    console.log(await measureCopies({ base, runs: 5, files: Number(process.argv[2] ?? 10_000) }));
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}
