import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { FileRequest, TreePath } from '@savepoint/core';
import { expect, test } from 'vitest';
import { TimelineWorld } from './timeline-world.ts';

const create = (name: string): FileRequest => ({
  given: name,
  path: name as TreePath,
  edits: [{ op: 'create', content: `${name}\n`, mode: null }],
  expectedHash: null,
  force: false,
});

test('stats count changes by agents and edits: in effect, reverted, and the time of calls', async () => {
  const w = new TimelineWorld();
  const savepoint = w.open();
  const session = savepoint.session({ agent: 'one', id: 's-1' });
  await session.start();
  const took = [2, 4, 40];
  for (const [index, seconds] of took.entries()) {
    // A change from outside, which does not count.
    w.write(`outside-${index}`, 'x\n');
    await session.call({ tool: 'Bash', kind: 'shell', id: `c-${index}` }, () => {
      w.pass(seconds);
      for (let file = 0; file <= index; file++) w.write(`${index}/${file}`, 'x\n');
    });
  }
  await session.call({ tool: 'Bash', kind: 'shell', id: 'nothing' }, () => w.pass(1_000));
  await savepoint.edit([create('e-1'), create('e-2')]);
  const stats = await savepoint.stats();
  expect(stats).toMatchObject({
    changes: { all: 8, standing: 8, success: 1 },
    steps: { all: 4, takenBack: 0, rollBackRate: 0 },
    acts: { restore: 0, edit: 1, undo: 0, redo: 0, rollback: 0 },
    timeToApply: { calls: 3, median: 4_000, p95: 40_000 },
    threeFiles: { calls: 1, median: 40_000, p95: 40_000 },
    damaged: [],
  });
  await savepoint.undo();
  expect(await savepoint.stats()).toMatchObject({
    changes: { all: 8, standing: 6, success: 0.75 },
    steps: { all: 4, takenBack: 1, rollBackRate: 0.25 },
  });
  await savepoint.redo();
  expect(await savepoint.stats()).toMatchObject({ changes: { success: 1 }, acts: { undo: 1, redo: 1 } });
});

test('without changes there are no shares and no times', async () => {
  const w = new TimelineWorld();
  const savepoint = w.open();
  await savepoint.checkpoint();
  expect(await savepoint.stats()).toMatchObject({
    changes: { all: 0, success: null },
    steps: { all: 0, rollBackRate: null },
    timeToApply: { calls: 0, median: null, p95: null },
  });
});

test('if the clock was set back during a call, its time is unknown and the checkpoint is taken', async () => {
  const w = new TimelineWorld();
  const savepoint = w.open();
  const session = savepoint.session({ agent: 'one' });
  await session.start();
  await session.call({ tool: 'Bash', kind: 'shell' }, () => {
    w.pass(-3_600);
    w.write('a', 'a\n');
  });
  const { checkpoints } = await savepoint.list();
  expect(checkpoints[0]?.tool).toMatchObject({ name: 'Bash', took: null });
  expect((await savepoint.stats()).timeToApply.calls).toBe(0);
});

test('storage is reported by kind, and the kinds add up to the total', async () => {
  const w = new TimelineWorld();
  const savepoint = w.open();
  await savepoint.checkpoint();
  await savepoint.edit([create('a')]);
  const put = (name: string, bytes: number): void => {
    const file = path.join(w.onlyStore, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, Buffer.alloc(bytes));
  };
  const { storage: before } = await savepoint.stats();
  put('objects.git/objects/pack/x', 1);
  put('objects.git/objects/00/x', 10);
  put('objects.git/refs/x', 100);
  put('backups/x/y', 1_000);
  put('cache/x', 10_000);
  put('calls/x', 100_000);
  put('journal/x', 1_000_000);
  put('x', 10_000_000);
  const { storage } = await savepoint.stats();
  const grown = Object.fromEntries(
    Object.entries(storage).map(([kind, bytes]) => [kind, bytes - before[kind as keyof typeof before]]),
  );
  expect(grown).toEqual({
    packs: 1,
    loose: 10,
    refs: 100,
    backups: 1_000,
    cache: 10_000,
    calls: 100_000,
    journal: 1_000_000,
    other: 10_000_000,
    total: 11_111_111,
  });
});
