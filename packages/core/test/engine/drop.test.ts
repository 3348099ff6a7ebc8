import { createHash } from 'node:crypto';
import type { ChangeId, Savepoint } from '@savepoint/core';
import { describe, expect, test } from 'vitest';
import { failure } from '../failure.ts';
import { Place } from '../place.ts';

/** Dropping checkpoints by name: what goes, what is refused, and what stays consistent. */

async function ids(savepoint: Savepoint): Promise<readonly string[]> {
  return (await savepoint.list()).checkpoints.map(({ id }) => id);
}

function blobOf(text: string): string {
  return createHash('sha1').update(`blob ${text.length}\0${text}`).digest('hex');
}

/** cp_1 to cp_4, each with another content of a.txt. */
async function four(p: Place): Promise<Savepoint> {
  for (const content of ['one', 'two', 'three', 'four']) {
    p.write('a.txt', `${content}\n`);
    await p.open().checkpoint();
  }
  return p.open();
}

describe('drop', () => {
  test('drops the named checkpoints and their contents; later ones keep their changes', async () => {
    const p = new Place();
    const savepoint = await four(p);
    const before = await savepoint.show('cp_4');
    expect((await savepoint.previewDrop(['cp_3', 'cp_2'])).chosen.map(({ id }) => id)).toEqual(['cp_2', 'cp_3']);
    expect(await ids(savepoint)).toHaveLength(4);
    const done = await savepoint.drop(['cp_2', 'cp_3']);
    expect(done).toMatchObject({ dropped: ['cp_2', 'cp_3'], kept: 2 });
    expect(await ids(savepoint)).toEqual(['cp_4', 'cp_1']);
    expect(await savepoint.show('cp_4')).toEqual(before);
    // The content before the change of cp_4 was that of cp_3.
    const change = before.changes?.[0]?.before;
    expect(change?.kind === 'file' && change.id).toBe(blobOf('three\n'));
    expect((await savepoint.diffChange('cp_4.1')).patch.text.toString()).toContain('-three\n+four\n');
    expect((await savepoint.verify({ deep: true })).damage).toEqual([]);
    // A number is never used again.
    expect(await failure(savepoint.show('cp_3'))).toMatchObject({ code: 'UNKNOWN_CHECKPOINT' });
    p.write('a.txt', 'five\n');
    expect((await savepoint.checkpoint()).checkpoint.id).toBe('cp_5');
  });

  test('refuses the newest and pinned ones by name, and then drops nothing', async () => {
    const p = new Place();
    const savepoint = await four(p);
    await savepoint.pin('cp_2');
    expect(await failure(savepoint.drop(['cp_1', 'cp_2', 'cp_4']))).toMatchObject({
      code: 'CHECKPOINT_NEEDED',
      data: {
        checkpoints: [
          { id: 'cp_2', why: 'pinned' },
          { id: 'cp_4', why: 'newest' },
        ],
      },
    });
    expect(await ids(savepoint)).toHaveLength(4);
    await savepoint.drop(['cp_2'], { pinned: true });
    expect(await ids(savepoint)).toEqual(['cp_4', 'cp_3', 'cp_1']);
    expect(await savepoint.pinned()).toEqual(new Set());
    expect((await savepoint.verify({ deep: true })).damage).toEqual([]);
    expect(await failure(savepoint.drop(['cp_2']))).toMatchObject({ code: 'UNKNOWN_CHECKPOINT' });
  });

  test('refuses what an undo needs, and the record of an undo; together they go', async () => {
    const p = new Place();
    const savepoint = await four(p);
    await savepoint.restore('cp_1'); // cp_5, after cp_4
    await savepoint.undo(); // cp_6
    await savepoint.redo(); // cp_7
    p.write('a.txt', 'later\n');
    await savepoint.checkpoint(); // cp_8
    const why = async (...names: readonly string[]): Promise<readonly string[]> =>
      (await savepoint.previewDrop(names)).refused.map((one) => `${one.id} ${one.why}`);
    expect(await why('cp_4')).toEqual(['cp_4 undo']);
    expect(await why('cp_6')).toEqual(['cp_6 undo']);
    expect(await why('cp_7')).toEqual(['cp_7 reverts']);
    expect(await why('cp_6', 'cp_7')).toEqual(['cp_6 reverts']);
    expect(await why('cp_5', 'cp_6', 'cp_7')).toEqual([]);
    await savepoint.drop(['cp_5', 'cp_6', 'cp_7']);
    expect((await savepoint.status()).undo).toBeNull();
    expect(await failure(savepoint.undo())).toMatchObject({ code: 'NOTHING_TO_UNDO' });
    expect((await savepoint.verify({ deep: true })).damage).toEqual([]);
  });

  test('refuses the record of a rollback as long as the change that it reverted is there', async () => {
    const p = new Place();
    const savepoint = await four(p);
    await savepoint.rollback({ changes: ['cp_4.1' as ChangeId] }, { least: 'open' }); // cp_5
    p.write('b.txt', 'b\n');
    await savepoint.checkpoint(); // cp_6
    expect((await savepoint.previewDrop(['cp_5'])).refused).toEqual([{ id: 'cp_5', why: 'reverts' }]);
    await savepoint.drop(['cp_4', 'cp_5']);
    expect(p.read('a.txt')).toBe('three\n');
    expect((await savepoint.verify({ deep: true })).damage).toEqual([]);
  });

  test('the change after a dropped checkpoint is shown, but not rolled back; a restore across it asks', async () => {
    const p = new Place();
    const savepoint = await four(p);
    p.write('b.txt', 'b\n');
    await savepoint.checkpoint(); // cp_5
    await savepoint.drop(['cp_2']);
    expect((await savepoint.show('cp_3')).changes).toMatchObject([{ path: 'a.txt' }]);
    const { details } = await savepoint.previewRollback({ changes: ['cp_3.1' as ChangeId] }, { least: 'open' });
    expect(details.skipped.map(({ why }) => why)).toEqual(['the state before it is no longer in the store']);
    // Who wrote `two` is no longer recorded.
    expect(await failure(savepoint.restore('cp_1'))).toMatchObject({
      code: 'CONFLICT',
      data: { paths: [{ path: 'a.txt' }, { path: 'b.txt' }] },
    });
    expect(p.read('a.txt')).toBe('four\n');
    await savepoint.restore('cp_3');
    expect(p.read('a.txt')).toBe('three\n');
  });
});
