/** A workspace that was moved while it had copies. */

import { existsSync, readFileSync, readlinkSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { DiskPath } from '@savepoint/core';
import { whyNoOverlays } from '@savepoint/testkit';
import { expect, test } from 'vitest';
import { Place } from '../place.ts';
import { shellIn } from './shell-in.ts';

const OPTIONS = { description: 'Tried it' };

test.each(['copy', ...(whyNoOverlays() === null ? (['overlay'] as const) : [])] as const)(
  'a kept copy applies to the workspace where it is now, and no link of the workspace looks changed: %s',
  async (rung) => {
    const p = new Place();
    const places = { ...p.world.places, searchPath: process.env['PATH'] ?? '' };
    p.write('a.txt', 'a\n');
    p.write('folder/b.txt', 'b\n');
    symlinkSync(p.at('a.txt'), p.at('link'));
    const old = p.at('link');
    const made = await p.open({ places }).openCopy({ purpose: 'try', rungs: [rung], proposal: OPTIONS });
    expect(made.copy.record.rung).toBe(rung);
    shellIn(made.copy, 'echo new >>a.txt; rm folder/b.txt; ln -s "$PWD/a.txt" second');
    await made.copy.close();
    const moved = `${p.at('')}-moved`;
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
