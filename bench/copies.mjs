#!/usr/bin/env node
// @ts-check
/**
 * Measures how long the copy of a folder takes, beside `cp -a`, in turns so that a busy machine slows both.
 * Usage: npm run build && node bench/copies.mjs [FILES]   default: 10000
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open } from '../packages/core/dist/node.js';

const files = Number(process.argv[2] ?? 10_000);
const place = mkdtempSync(join(tmpdir(), 'savepoint-bench-'));
const folder = join(place, 'folder');
/** @type {number[]} */
const ratios = [];
try {
  for (let n = 0; n < files; n++) {
    const below = join(folder, 'node_modules', `package-${n % 400}`, `part-${n % 3}`);
    if (n < 1200) mkdirSync(below, { recursive: true });
    writeFileSync(join(below, `file-${n}`), `${n}\n`.repeat(n % 2_000));
  }
  const savepoint = open({ dir: folder, home: join(place, 'home') });
  await savepoint.checkpoint();
  // Nothing is removed before the end: some file systems create files slowly for a while after others were removed.
  for (let round = 1; round <= 5; round++) {
    const began = performance.now();
    execFileSync('cp', ['-a', folder, join(place, `cp-${round}`)]);
    const cp = performance.now() - began;
    const start = performance.now();
    await savepoint.openCopy({ purpose: 'try', rungs: ['copy'] });
    const own = performance.now() - start;
    ratios.push(own / cp);
    console.log(`round ${round}: cp -a ${cp.toFixed(0)} ms, copy ${own.toFixed(0)} ms`);
  }
  console.log(`${files} files, median: ${ratios.sort((a, b) => a - b)[2]?.toFixed(2)} x cp -a`);
} finally {
  rmSync(place, { recursive: true, force: true });
}
