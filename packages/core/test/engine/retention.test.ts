import { randomBytes } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { type OpenOptions, type Savepoint, SavepointError, type TreePath } from '@savepoint/core';
import { fixedClock, realPorts } from '@savepoint/testkit';
import { describe, expect, test } from 'vitest';
import { Place } from '../place.ts';

/** What clean-up drops, what it never drops, and when it runs automatically. */
class Kept extends Place {
  with(retention: NonNullable<OpenOptions['retention']>, options: Partial<OpenOptions> = {}): Savepoint {
    return this.open({ retention, ...options });
  }

  /** Takes `count` checkpoints, each with different content. */
  async fill(count: number, bytes = 8): Promise<void> {
    for (let at = 0; at < count; at++) {
      this.write('a', randomBytes(bytes));
      await this.open().checkpoint();
    }
  }

  async ids(): Promise<readonly string[]> {
    return (await this.open().list()).checkpoints.map(({ id }) => id);
  }

  /** Files below a folder of the store. */
  async files(folder: string): Promise<readonly string[]> {
    return readdirSync(path.join(await this.store(), folder), { recursive: true }).map(String);
  }
}

test('pins and the newest are never dropped, whatever the policy says', async () => {
  const p = new Kept();
  await p.fill(6);
  await p.open().pin('cp_2');
  const { dropped } = await p.open().gc({ retention: { maxCheckpoints: 1, keepAtLeast: 1, maxStoreBytes: 0 } });
  expect([...dropped].sort()).toEqual(['cp_1', 'cp_3', 'cp_4', 'cp_5']);
  expect(await p.ids()).toEqual(['cp_6', 'cp_2']);
  expect((await p.open().verify({ deep: true })).damage).toEqual([]);
  await p.open().pin('cp_2', { unpin: true });
  await p.open().gc({ retention: { maxStoreBytes: 0 } });
  expect(await p.ids()).toEqual(['cp_6']);
});

test('by age, against the time of the newest', async () => {
  const p = new Kept();
  const clock = fixedClock(Date.parse('2026-01-01T00:00:00Z'));
  const at = async (hours: number): Promise<void> => {
    clock.advance(hours * 3_600_000);
    p.write('a', randomBytes(8));
    await p.with({}, { ports: { ...realPorts(), clock } }).checkpoint();
  };
  await at(0);
  await at(1);
  await at(10);
  await at(1);
  await p.open().gc({ retention: { maxAgeDays: 2 / 24, keepAtLeast: 1 } });
  // The changes of cp_3 are relative to cp_2.
  expect(await p.ids()).toEqual(['cp_4', 'cp_3', 'cp_2']);
});

test('by sessions: the newest keep all their checkpoints, and checkpoints without a session are not counted', async () => {
  const p = new Kept();
  p.write('a', '0');
  await p.open().checkpoint();
  await p.open().checkpoint();
  for (const id of ['one', 'two', 'three']) {
    const session = p.open().session({ agent: 'mine', id });
    for (let at = 0; at < 3; at++) await session.prompt(`${at}`);
  }
  await p.open().gc({ retention: { maxSessions: 2, keepAtLeast: 1 } });
  const { checkpoints } = await p.open().list();
  expect(checkpoints.map(({ id, session }) => `${id} ${session}`)).toEqual([
    'cp_11 three',
    'cp_10 three',
    'cp_9 three',
    'cp_8 two',
    'cp_7 two',
    'cp_6 two',
    'cp_5 one',
    'cp_2 null',
    'cp_1 null',
  ]);
});

test('by size: the oldest are dropped first, then operations are refused before they begin', async () => {
  const p = new Kept();
  await p.fill(6, 100_000);
  const limit = 450_000;
  p.write('a', randomBytes(100_000));
  const { checkpoint } = await p.with({ maxStoreBytes: limit }).checkpoint();
  expect(checkpoint.id).toBe('cp_7');
  const left = await p.ids();
  expect(left[0]).toBe('cp_7');
  expect(left.length).toBeLessThan(6);
  expect(left).not.toContain('cp_1');
  p.write('b', randomBytes(200_000));
  await p.open().checkpoint();
  const tight = p.with({ maxStoreBytes: 100_000 });
  const calls = [() => tight.checkpoint(), () => tight.session({ agent: 'mine' }).prompt('Do it.')];
  for (const call of calls) {
    const refused = await call().catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(SavepointError);
    expect((refused as SavepointError).code).toBe('STORE_FULL');
  }
  // A full store does not close the way back.
  p.write('a', 'changed');
  expect((await tight.restore('last')).plan.paths.map(({ path }) => path)).toEqual(['a']);
  await tight.undo();
  expect((await p.ids()).at(-1)).toBe('cp_8');
});

test('backups count towards the size; the state of dropped sessions is removed', async () => {
  const p = new Kept();
  const limit = 1_500_000;
  const savepoint = p.with({ maxStoreBytes: limit });
  const session = savepoint.session({ agent: 'mine', id: 'old' });
  await session.prompt('Do it.');
  expect(await p.files('sessions')).toHaveLength(1);
  for (let at = 0; at < 10; at++) {
    // Highly compressible but different contents: backups take much more space than objects.
    const text = `${at}\n`.repeat(100_000);
    const edits = [{ op: 'write', content: text, exact: true } as const];
    await savepoint.edit([{ given: 'a', path: 'a' as TreePath, edits, expectedHash: null, force: false }]);
    const copies = (await savepoint.stats()).storage;
    expect(copies.packs + copies.backups).toBeLessThan(limit + 300_000);
  }
  expect(await p.ids()).not.toContain('cp_1');
  expect((await p.open().verify({ deep: true })).damage).toEqual([]);
  expect(await p.files('sessions')).toEqual([]);
});

test('operations and captures of sessions merge packs and refs automatically', async () => {
  const p = new Kept();
  p.write('a', 'one\n');
  await p.open().checkpoint();
  const savepoint = p.open();
  for (let at = 0; at < 60; at++) {
    await savepoint.edit([
      {
        given: 'a',
        path: 'a' as never,
        edits: [{ op: 'write', content: `${at}\n`, exact: true }],
        expectedHash: null,
        force: false,
      },
    ]);
  }
  await savepoint.idle();
  expect((await p.files('objects.git/objects/pack')).filter((name) => name.endsWith('.pack')).length).toBeLessThan(52);
  expect((await p.files('objects.git/refs/savepoint')).length).toBeLessThan(52);
  expect((await p.ids()).length).toBe(61);
});

test('at the end of a session, in the background', async () => {
  const p = new Kept();
  const savepoint = p.with({ maxSessions: 1, keepAtLeast: 1 });
  const warnings: string[] = [];
  savepoint.on('warning', ({ message }) => void warnings.push(message));
  const [one, two] = [savepoint.session({ agent: 'mine', id: '1' }), savepoint.session({ agent: 'mine', id: '2' })];
  for (let at = 0; at < 3; at++) await one.prompt(`${at}`);
  await one.close();
  await savepoint.idle();
  for (let at = 0; at < 2; at++) await two.prompt(`${at}`);
  await two.close({ retire: false });
  await savepoint.idle();
  expect(await p.ids()).toHaveLength(5);
  await two.close();
  await savepoint.idle();
  expect(await p.ids()).toEqual(['cp_5', 'cp_4', 'cp_3']);
  expect(warnings).toEqual([]);
});

describe('limits that the user chose', () => {
  test('are not restricted by the default of keepAtLeast', async () => {
    const p = new Kept();
    await p.fill(6);
    expect((await p.open().previewGc()).dropped).toEqual([]);
    // The changes of cp_4 are relative to cp_3.
    expect((await p.open().previewGc({ retention: { maxCheckpoints: 3 } })).dropped).toEqual(['cp_1', 'cp_2']);
    expect((await p.open().previewGc({ retention: { maxCheckpoints: 3, keepAtLeast: 50 } })).dropped).toEqual([]);
    expect((await p.with({ maxCheckpoints: 3 }).gc()).dropped).toEqual(['cp_1', 'cp_2']);
    expect(await p.ids()).toEqual(['cp_6', 'cp_5', 'cp_4', 'cp_3']);
  });

  test('apply automatically in a store that was created under them', async () => {
    const p = new Kept();
    await p.fill(6);
    const savepoint = p.with({ maxCheckpoints: 3 });
    expect((await savepoint.status()).unconfirmedDrops).toBe(0);
    expect((await savepoint.tidyUp())?.dropped).toEqual(['cp_1', 'cp_2']);
  });

  test('an older store loses nothing before the user has confirmed it with gc', async () => {
    const p = new Kept();
    await p.fill(6);
    rmSync(path.join(await p.store(), 'retention.json'));
    const savepoint = p.with({ maxCheckpoints: 3 });
    expect(await savepoint.tidyUp()).toBeNull();
    expect(await p.ids()).toHaveLength(6);
    expect((await savepoint.status()).unconfirmedDrops).toBe(2);
    await savepoint.gc();
    expect((await savepoint.status()).unconfirmedDrops).toBe(0);
    await p.fill(3);
    expect((await savepoint.tidyUp())?.dropped).toEqual(['cp_3', 'cp_4', 'cp_5']);
  });

  test('an older store that would lose nothing follows them from then on', async () => {
    const p = new Kept();
    await p.fill(2);
    rmSync(path.join(await p.store(), 'retention.json'));
    const savepoint = p.with({ maxCheckpoints: 3 });
    expect(await savepoint.tidyUp()).toBeNull();
    await p.fill(4);
    expect((await savepoint.tidyUp())?.dropped).toEqual(['cp_1', 'cp_2']);
  });
});
