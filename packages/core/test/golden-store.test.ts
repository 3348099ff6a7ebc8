import { createHash } from 'node:crypto';
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { CheckpointId } from '@savepoint/core';
import { schemasOf, VERBS } from '@savepoint/core/frontend';
import { fixedClock, type Manifest, realPorts } from '@savepoint/testkit';
import { describe, expect, it } from 'vitest';
import { GOLDEN_VERSIONS, GoldenStore } from './fixtures/golden-store/golden-store.ts';

/**
 * Stores written by earlier versions can be opened, shown, restored, verified and continued (docs/format.md,
 * "Versions").
 */

/** Paths that are in no checkpoint: too large, a folder of dependencies, purged. */
const NEVER_HELD = /^(large\.bin|node_modules(\/.*)?|purged\.txt)$/;

function held(state: Manifest | undefined): Manifest {
  return Object.fromEntries(Object.entries(state ?? {}).filter(([name]) => !NEVER_HELD.test(name)));
}

describe.each(GOLDEN_VERSIONS)('a store of %s', (version) => {
  it('lists and shows all checkpoints as its own version did', async () => {
    const store = await GoldenStore.of(version);
    const savepoint = store.open();
    const { checkpoints, damaged } = await savepoint.list();
    expect(damaged).toEqual([]);
    expect(checkpoints.map(({ id }) => id).sort()).toEqual(Object.keys(store.expected.shown).sort());
    const { output } = await schemasOf(VERBS.show);
    for (const { id } of checkpoints) {
      const shown = await VERBS.show.handle(savepoint, { checkpoint: id }, {});
      const parsed = output.parse(JSON.parse(JSON.stringify(shown)));
      // Early versions recorded the changes of a shell call as sure.
      const changes = parsed.changes?.map((one) => (one.grade === 'likely' ? { ...one, sure: true } : one)) ?? null;
      expect({ ...parsed, changes }).toMatchObject(store.expected.shown[id] as object);
    }
  });

  it('has its pins, frozen paths, open calls, sessions and kept heads', async () => {
    const store = await GoldenStore.of(version);
    const savepoint = store.open();
    expect([...(await savepoint.pinned())].sort()).toEqual([1, 5]);
    expect((await savepoint.frozen()).map(({ path }) => path)).toEqual(['private.txt']);
    expect((await savepoint.sessions()).sessions.map(({ id }) => id).sort()).toEqual(['s-2', 's/1 ü']);
    expect(store.git('for-each-ref', '--format=%(refname)', 'refs/savepoint/kept').toString().trim()).not.toBe('');
    // Calls are open for a limited time only, so the clock is set back to that time.
    const then = store.open({ ports: realPorts({ clock: fixedClock(1_700_001_500_000) }) });
    await expect(then.rollback({ session: 's/1 ü' }, { least: 'likely' })).rejects.toMatchObject({
      code: 'CALL_OPEN',
      data: { calls: expect.arrayContaining([expect.objectContaining({ call: 'c-3' })]) },
    });
  });

  it('is undamaged, for Savepoint and for git', async () => {
    const store = await GoldenStore.of(version);
    expect((await store.open().verify({ deep: true })).damage).toEqual([]);
    store.git('fsck', '--full', '--strict', '--no-dangling');
  });

  it('restores each checkpoint byte for byte', async () => {
    const store = await GoldenStore.of(version);
    const { states, trees } = store.expected;
    const savepoint = store.open();
    expect(trees.length).toBeGreaterThan(8);
    // The last checkpoint of each state. The others have the same trees.
    const lastOf = new Map(Object.entries(states).map(([id, state]) => [state, id]));
    for (const [state, id] of lastOf) {
      await savepoint.restore(id, { mode: 'exact' });
      expect(held(store.now()), id).toEqual(held(trees[state]));
    }
  });

  it('can be continued: a checkpoint, an undo of an old operation, a branch that moves back', async () => {
    const store = await GoldenStore.of(version);
    const savepoint = store.open();
    const before = store.now();
    appendFileSync(store.at('workspace/run.sh'), 'echo two\n');
    const { checkpoint } = await savepoint.checkpoint({ message: 'goes on' });
    const numbers = Object.keys(store.expected.shown).map((id) => Number(id.slice(3)));
    expect(checkpoint.number).toBe(Math.max(...numbers) + 1);
    // The fixture has no file that its checkpoints skipped because of its size.
    expect(checkpoint.changes).toMatchObject([
      { path: 'large.bin', operation: 'delete', uncapturedBefore: 'too-large' },
      { path: 'run.sh', operation: 'write' },
    ]);
    // An old call of an agent of which nothing is known has no end.
    expect(checkpoint.changes?.[1]?.by).toMatchObject({ authors: [{ actor: { kind: 'outside' } }], grade: 'likely' });
    await savepoint.restore(checkpoint.previous as CheckpointId);
    expect(store.now()).toEqual(before);
    await savepoint.undo();
    expect(readFileSync(store.at('workspace/run.sh'), 'utf8')).toMatch(/echo two\n$/);
    const head = (): string => readFileSync(store.at('workspace/.git/refs/heads/main'), 'utf8').trim();
    const [now, first] = [head(), (await savepoint.show('cp_1')).roots[0]?.commit];
    expect(now).not.toBe(first);
    await savepoint.restore('cp_1', { git: true, mode: 'exact' });
    expect(head()).toBe(first);
    await savepoint.undo();
    expect(head()).toBe(now);
    expect((await savepoint.verify({ deep: true })).damage).toEqual([]);
  });

  it('takes no checkpoint only because it lacks the time of a skipped file, and has it in the next one', async () => {
    const store = await GoldenStore.of(version);
    const savepoint = store.open({ rules: { maxFileBytes: 50_000 } });
    // What its checkpoints skipped, and the fixture does not have.
    writeFileSync(store.at('workspace/large.bin'), Buffer.alloc(60_000, 'x'));
    mkdirSync(store.at('workspace/node_modules'), { recursive: true });
    const last = Math.max(...Object.keys(store.expected.shown).map((id) => Number(id.slice(3))));
    await savepoint.edit([{ path: 'run.sh', edits: [{ op: 'write', content: 'one' }] }]);
    const { checkpoints } = await savepoint.list();
    expect(checkpoints.filter(({ number }) => number > last).map(({ trigger }) => trigger)).toEqual(['edit']);
    expect((await savepoint.checkpoint()).checkpoint.changes).toEqual([]);
    writeFileSync(store.at('workspace/large.bin'), Buffer.alloc(60_000, 'y'));
    const unknown = { uncapturedBefore: 'too-large', beforeSize: 60_000, uncapturedAfter: 'too-large' };
    expect((await savepoint.diff()).changes).toMatchObject([{ path: 'large.bin', operation: 'write', ...unknown }]);
    expect((await savepoint.verify({ deep: true })).damage).toEqual([]);
  });

  it('undoes its operations one by one', async () => {
    const store = await GoldenStore.of(version);
    const savepoint = store.open();
    const undone: string[] = [];
    for (;;) {
      const { undo } = await savepoint.status();
      if (undo === null) break;
      undone.push(undo.id);
      await savepoint.undo();
    }
    expect(undone.length).toBeGreaterThan(2);
    expect((await savepoint.verify({ deep: true })).damage).toEqual([]);
  });

  it.each([
    ['the same bundles as its own version', 'expected.json', { descriptions: true }],
    [
      'the same bundles without descriptions as the first version that leaves them out',
      'without-descriptions.json',
      {},
    ],
  ] as const)('creates %s', async (_name, golden, texts) => {
    const store = await GoldenStore.of(version);
    const savepoint = store.open();
    for (const [name, flavour] of [
      ['plain', {}],
      ['private', { private: true }],
      ['messages', { messages: true }],
      ['all', { private: true, messages: true }],
    ] as const) {
      await savepoint.createBundle(store.disk(`${name}.bundle`), { ...flavour, ...texts });
      const digest = createHash('sha256')
        .update(readFileSync(store.at(`${name}.bundle`)))
        .digest('hex');
      expect(digest, name).toBe(store.golden(golden).bundles[name]);
    }
  });
});
