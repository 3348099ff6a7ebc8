/** A workspace that was moved while it had copies. */

import { existsSync, readFileSync, readlinkSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { DiskPath, Savepoint } from '@savepoint/core';
import { whyNoOverlays } from '@savepoint/testkit';
import { expect, test } from 'vitest';
import { Place } from '../place.ts';
import { shellIn } from './shell-in.ts';

const PATH = process.env['PATH'] ?? '';
const OPTIONS = { description: 'Tried it' };

test.each(['copy', ...(whyNoOverlays() === null ? (['overlay'] as const) : [])] as const)(
  'a kept copy applies to the workspace where it is now, and no link of the workspace looks changed: %s',
  async (rung) => {
    const p = new Place();
    const places = { ...p.world.places, searchPath: PATH };
    p.write('a.txt', 'a\n');
    p.write('folder/b.txt', 'b\n');
    symlinkSync(p.at('a.txt'), p.at('link'));
    const old = p.at('link');
    const made = await p.open({ places }).openCopy({ purpose: 'try', rungs: [rung], proposal: OPTIONS });
    expect(made.copy.record.rung).toBe(rung);
    shellIn(made.copy, 'echo new >>a.txt; rm folder/b.txt; ln -s "$PWD/a.txt" second');
    await made.copy.close();
    const moved = `${p.world.workspace}-moved` as DiskPath;
    renameSync(p.at(''), moved);

    const savepoint = p.open({ dir: moved, places });
    const again = await savepoint.reopenCopy(made.copy.record.id);
    const { changes, notApplied } = await savepoint.diffCopy(again);
    expect([changes.map(({ path }) => path), notApplied]).toEqual([['a.txt', 'folder/b.txt', 'second'], []]);
    await savepoint.applyCopy(again, OPTIONS);
    await again.copy.drop();
    expect(readFileSync(join(moved, 'a.txt'), 'utf8')).toBe('a\nnew\n');
    expect(existsSync(join(moved, 'folder/b.txt'))).toBe(false);
    expect(readlinkSync(join(moved, 'link'))).toBe(join(old, '../a.txt'));
    // An overlay has the path that programs saw.
    expect(readlinkSync(join(moved, 'second'))).toBe(join(rung === 'copy' ? moved : join(old, '..'), 'a.txt'));
    expect(existsSync(p.at('') as DiskPath)).toBe(false);
    expect((await savepoint.copies()).copies).toEqual([]);
  },
);

test.skipIf(whyNoOverlays() !== null)('a fork in an overlay is looked at, used and merged after the move', async () => {
  const p = new Place();
  const places = { ...p.world.places, searchPath: PATH };
  const shell = (script: string) => ({ command: ['sh', '-c', script], variables: { PATH } });
  p.write('a.txt', 'a\n');
  await p.open({ places }).createForks(['f'], { command: shell('echo fork >>a.txt') });
  const ended = async (savepoint: Savepoint): Promise<void> => {
    const states = async () => (await savepoint.fork('f')).runs.map(({ state }) => state);
    await expect.poll(states, { timeout: 20_000 }).not.toContain('running');
  };
  await ended(p.open({ places }));
  const moved = `${p.world.workspace}-moved` as DiskPath;
  renameSync(p.at(''), moved);

  const savepoint = p.open({ dir: moved, places });
  expect((await savepoint.fork('f')).difference.changes.map(({ path }) => path)).toEqual(['a.txt']);
  await savepoint.runInFork('f', shell('pwd >>a.txt'));
  await ended(savepoint);
  await savepoint.mergeFork('f');
  expect(readFileSync(join(moved, 'a.txt'), 'utf8')).toBe(`a\nfork\n${moved}\n`);
  await savepoint.dropFork('f');
});
