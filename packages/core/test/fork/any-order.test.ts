/** Random edits in three forks and in the workspace: merged in any order, the same conflicts or the same tree. */

import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Savepoint } from '@savepoint/core';
import { seededRandom, testEffort } from '@savepoint/testkit';
import { expect, test } from 'vitest';
import { Place } from '../place.ts';

const NAMES = ['a', 'b', 'c'];
const ORDERS = [
  ['a', 'b', 'c'],
  ['a', 'c', 'b'],
  ['b', 'a', 'c'],
  ['b', 'c', 'a'],
  ['c', 'a', 'b'],
  ['c', 'b', 'a'],
];
const FILES = ['one.txt', 'two.txt', 'sub/three.txt'];

function filesIn(folder: string, below = ''): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of readdirSync(join(folder, below)).sort()) {
    const path = below === '' ? name : `${below}/${name}`;
    if (statSync(join(folder, path)).isDirectory()) Object.assign(found, filesIn(folder, path));
    else found[path] = readFileSync(join(folder, path), 'utf8');
  }
  return found;
}

async function mergedIn(savepoint: Savepoint, order: readonly string[]): Promise<readonly string[]> {
  const conflicts: string[] = [];
  for (const name of order) {
    try {
      await savepoint.mergeFork(name);
    } catch (error) {
      expect(error).toMatchObject({ code: 'CONFLICT' });
      conflicts.push(name);
    }
  }
  return conflicts;
}

test('the order of merges does not matter', { timeout: 3_600_000 }, async () => {
  const seed = Number(process.env['SAVEPOINT_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
  const { integer: below } = seededRandom(seed);
  const rounds = testEffort({ quick: 1, ci: 2, long: 60 });
  for (let round = 0; round < rounds; round++) {
    const p = new Place();
    const lines = Array.from({ length: 30 }, (_, index) => `line ${index}`);
    for (const file of FILES) p.write(file, `${lines.join('\n')}\n`);
    const savepoint = p.open();
    const created = await savepoint.createForks(NAMES, { rungs: ['copy'] });
    const folders = [p.at(''), ...created.map(({ files }) => Buffer.from(files, 'latin1').toString())];
    for (const [who, folder] of folders.entries()) {
      for (let edit = below(4); edit >= 0; edit--) {
        const file = join(folder, FILES[below(FILES.length)] ?? '');
        const kind = below(10);
        if (kind === 0) rmSync(file, { force: true });
        else if (kind === 1) writeFileSync(join(folder, `new-${below(3)}.txt`), `new by ${below(2)}\n`);
        else if (filesIn(folder)[file.slice(folder.length).replace(/^\//, '')] !== undefined) {
          const text = readFileSync(file, 'utf8').split('\n');
          text[below(30)] = `line of ${who}`;
          writeFileSync(file, text.join('\n'));
        }
      }
    }
    await savepoint.checkpoint();
    const start = filesIn(p.at(''));
    const results: { readonly conflicts: readonly string[]; readonly files: Record<string, string> }[] = [];
    for (const order of ORDERS) {
      const before = (await savepoint.list()).checkpoints[0]?.number ?? 0;
      const conflicts = await mergedIn(savepoint, order);
      results.push({ conflicts, files: filesIn(p.at('')) });
      while (((await savepoint.status()).undo?.number ?? 0) > before) await savepoint.undo();
      expect(filesIn(p.at('')), `seed ${seed}, round ${round}`).toEqual(start);
    }
    const clean = results.filter(({ conflicts }) => conflicts.length === 0);
    // Which fork conflicts depends on the order, but not whether one does.
    expect([0, ORDERS.length], `seed ${seed}, round ${round}`).toContain(clean.length);
    for (const { files } of clean) expect(files, `seed ${seed}, round ${round}`).toEqual(clean[0]?.files);
  }
});
