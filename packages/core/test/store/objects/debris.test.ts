import { existsSync, readdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ObjectId } from '../../../src/model/ids.ts';
import { hashObject } from '../../../src/store/objects/object-hash.ts';
import { looseFile, noise, type StoreFixture, storeFixture } from '../store-fixture.ts';

/** A pack of one blob, and the common prefix of its file names. */
async function pack(fixture: StoreFixture, text: string): Promise<{ id: ObjectId; stem: string }> {
  const before = names(fixture);
  const batch = fixture.store.batch();
  const id = batch.add('blob', Buffer.from(text));
  await batch.finish();
  const made = names(fixture).find((name) => name.endsWith('.pack') && !before.includes(name)) as string;
  return { id, stem: basename(made, '.pack') };
}

function names({ path }: StoreFixture): string[] {
  return readdirSync(path('objects/pack')).sort();
}

describe('collectDebris', () => {
  test('removes the files of a writer that died before the first rename', async () => {
    const fixture = storeFixture();
    const { id } = await pack(fixture, 'kept');
    const before = names(fixture);
    const batch = fixture.store.batch();
    for (let at = 0; at < 2; at++) batch.addBlobFrom(17 * 1024 * 1024, (into) => into.fill(at).length);
    expect(names(fixture).length).toBe(before.length + 4);
    writeFileSync(fixture.path('objects/pack/tmp_savepoint_0.pack'), 'cut');
    writeFileSync(fixture.path('objects/pack/tmp_savepoint_1.idx'), '');
    const next = fixture.again();
    expect(next.collectDebris()).toMatchObject({ removed: 6, completed: 0 });
    expect(names(fixture)).toEqual(before);
    expect(next.read(id).data.toString()).toBe('kept');
    expect(next.collectDebris()).toEqual({ removed: 0, bytes: 0, completed: 0 });
    batch.abandon();
  });

  test('completes the rename of the second file if a writer died between its renames', async () => {
    const fixture = storeFixture();
    for (const lost of ['idx', 'pack'] as const) {
      const { id, stem } = await pack(fixture, `cut before ${lost}`);
      renameSync(
        fixture.path('objects/pack', `${stem}.${lost}`),
        fixture.path('objects/pack', `tmp_savepoint_77.${lost}`),
      );
      const next = fixture.again();
      expect(next.has(id)).toBe(false);
      expect(next.collectDebris()).toMatchObject({ removed: 0, completed: 1 });
      expect(next.read(id).data.toString()).toBe(`cut before ${lost}`);
      expect(fixture.git('fsck', '--full', '--no-dangling')).toBe('');
    }
  });

  test('completes nothing if a file is damaged', async () => {
    const fixture = storeFixture();
    const { stem } = await pack(fixture, 'x');
    rmSync(fixture.path('objects/pack', `${stem}.idx`));
    writeFileSync(fixture.path('objects/pack/tmp_savepoint_77.idx'), noise(2000));
    expect(fixture.again().collectDebris()).toMatchObject({ removed: 1, completed: 0 });
    expect(names(fixture)).toEqual([`${stem}.pack`]);
  });

  test('finishes an interrupted removal', async () => {
    const fixture = storeFixture();
    const { id, stem } = await pack(fixture, 'going');
    const kept = await pack(fixture, 'kept');
    const gone = `tmp_savepoint_gone_${stem.slice('pack-'.length)}.pack`;
    renameSync(fixture.path('objects/pack', `${stem}.pack`), fixture.path('objects/pack', gone));
    const next = fixture.again();
    next.collectDebris();
    expect(names(fixture)).toEqual([`${kept.stem}.idx`, `${kept.stem}.pack`]);
    expect(next.has(id)).toBe(false);
    // A pack that was meanwhile written again is not affected by the debris of the earlier one with the same name.
    writeFileSync(fixture.path('objects/pack', `tmp_savepoint_gone_${kept.stem.slice('pack-'.length)}.pack`), 'x');
    next.collectDebris();
    expect(names(fixture)).toEqual([`${kept.stem}.idx`, `${kept.stem}.pack`]);
    expect(next.read(kept.id).data.toString()).toBe('kept');
  });

  test('leaves a pack without an index and an index without a pack alone; verifyObjects names both', async () => {
    const fixture = storeFixture();
    const one = await pack(fixture, 'one');
    const two = await pack(fixture, 'two');
    rmSync(fixture.path('objects/pack', `${one.stem}.idx`));
    rmSync(fixture.path('objects/pack', `${two.stem}.pack`));
    const before = names(fixture);
    expect(fixture.again().collectDebris()).toEqual({ removed: 0, bytes: 0, completed: 0 });
    expect(names(fixture)).toEqual(before);
    const problems = await fixture.again().verifyObjects({ deep: false, pace: fixture.pace });
    expect(problems.map(({ file }) => basename(file)).sort()).toEqual([`${one.stem}.pack`, `${two.stem}.idx`].sort());
    fixture.git('index-pack', fixture.path('objects/pack', `${one.stem}.pack`));
    expect(fixture.again().read(one.id).data.toString()).toBe('one');
  });

  test("removes git's own leftovers when they are a day old", () => {
    const fixture = storeFixture();
    const old = new Date(Date.now() - 25 * 60 * 60 * 1000);
    const object = looseFile(fixture, hashObject('blob', Buffer.from('x'))).replace(/[^/]+$/, 'tmp_obj_Ab12Cd');
    const paths = ['tmp_pack_AbCdEf', 'tmp_idx_AbCdEf', '.tmp-123-pack-x.pack'].map((name) =>
      fixture.path('objects/pack', name),
    );
    for (const path of [...paths, object]) writeFileSync(path, 'x');
    const next = fixture.again();
    expect(next.collectDebris()).toMatchObject({ removed: 0 });
    for (const path of [...paths, object]) utimesSync(path, old, old);
    expect(next.collectDebris()).toEqual({ removed: 4, bytes: 4, completed: 0 });
    for (const path of [...paths, object]) expect(existsSync(path)).toBe(false);
  });
});
