import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Events, type Savepoint, SavepointError } from '@savepoint/core';
import { describe, expect, it } from 'vitest';
import { VerbsWorld } from '../verbs/verbs-world.ts';

/** What every API call guarantees: it can be cancelled, it emits events, and it does not disturb other calls. */

async function withHistory(): Promise<VerbsWorld> {
  const w = new VerbsWorld();
  for (let i = 0; i < 300; i++) w.write(`d${i % 7}/f${i}.txt`, `${i}\n`);
  await w.open().checkpoint();
  for (let i = 0; i < 300; i += 2) w.write(`d${i % 7}/f${i}.txt`, `${i} again\n`);
  return w;
}

describe('a signal', () => {
  const calls: readonly [string, (savepoint: Savepoint, signal: AbortSignal) => Promise<unknown>][] = [
    ['checkpoint', (s, signal) => s.checkpoint({ signal })],
    ['status', (s, signal) => s.status({ signal })],
    ['diff', (s, signal) => s.diff({ signal })],
    ['restore', (s, signal) => s.restore('cp_1', { signal })],
    ['a preview', (s, signal) => s.previewRestore('cp_1', { signal })],
    ['undo', (s, signal) => s.undo({ signal })],
    ['redo', (s, signal) => s.redo({ signal })],
    ['verify', (s, signal) => s.verify({ deep: true, signal })],
    ['gc', (s, signal) => s.gc({ signal })],
    ['recover', (s, signal) => s.recover({ signal })],
  ];

  it.each(calls)('that is already aborted stops %s, and nothing is changed', async (_name, call) => {
    const w = await withHistory();
    const before = (await w.open().list()).checkpoints.length;
    const error = await call(w.open(), AbortSignal.abort()).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(SavepointError);
    expect(error).toMatchObject({ code: 'CANCELLED' });
    expect((await w.open().list()).checkpoints.length).toBe(before);
    expect(readFileSync(w.at('d0/f0.txt'), 'utf8')).toBe('0 again\n');
  });

  it('during a restore stops it before its commit point, and nothing is changed', async () => {
    const w = await withHistory();
    const savepoint = w.open();
    const stop = new AbortController();
    const phases: string[] = [];
    savepoint.on('progress', ({ phase }) => {
      phases.push(phase);
      if (phase === 'stage') stop.abort();
    });
    const done = await savepoint.restore('cp_1', { signal: stop.signal }).then(
      () => 'done',
      (error: SavepointError) => error.code,
    );
    // A fast call may finish before it can be cancelled.
    const text = readFileSync(w.at('d0/f0.txt'), 'utf8');
    expect(text).toBe(done === 'done' ? '0\n' : '0 again\n');
    expect(['done', 'CANCELLED']).toContain(done);
  });
});

describe('events', () => {
  it('a listener that fails is reported as a warning, and nothing else', async () => {
    const w = await withHistory();
    const savepoint = w.open();
    const warnings: string[] = [];
    savepoint.on('warning', ({ message }) => {
      warnings.push(message);
      throw new Error('also fails');
    });
    savepoint.on('checkpoint:created', () => {
      throw new Error('at once');
    });
    savepoint.on('restore:completed', async () => {
      throw new Error('later');
    });
    expect((await savepoint.checkpoint()).checkpoint.id).toBe('cp_2');
    await savepoint.restore('cp_1');
    await new Promise((resolve) => setImmediate(resolve));
    expect(warnings).toEqual(
      expect.arrayContaining([
        'A listener of checkpoint:created failed: at once',
        'A listener of restore:completed failed: later',
      ]),
    );
  });

  it('report checkpoints, operations and recoveries until the listener is removed', async () => {
    const w = await withHistory();
    const savepoint = w.open();
    const heard: string[] = [];
    const hear =
      (name: string) =>
      ({ checkpoint }: Events['undo:completed'] | Events['checkpoint:created']): void => {
        heard.push(`${name} ${checkpoint.id}`);
      };
    const names = ['checkpoint:created', 'restore:completed', 'undo:completed', 'redo:completed'] as const;
    const ends = names.map((name) => savepoint.on(name, hear(name)));
    await savepoint.checkpoint();
    await savepoint.restore('cp_1');
    await savepoint.undo();
    await savepoint.redo();
    expect(heard).toEqual([
      'checkpoint:created cp_2',
      'checkpoint:created cp_3',
      'restore:completed cp_3',
      'checkpoint:created cp_4',
      'undo:completed cp_4',
      'checkpoint:created cp_5',
      'redo:completed cp_5',
    ]);
    for (const end of ends) end();
    await savepoint.checkpoint();
    expect(heard.length).toBe(7);
  });
});

describe('several workspaces in one process', () => {
  it('work side by side, each with its own numbers', async () => {
    const w = new VerbsWorld();
    const folders = ['one', 'two', 'three', 'four'].map((name) => join(w.dir, '..', name));
    for (const folder of folders) mkdirSync(folder);
    await Promise.all(
      folders.map(async (folder, index) => {
        const savepoint = w.openAt(folder);
        const rounds = 5 + index;
        for (let round = 1; round <= rounds; round++) {
          w.write(`../${folder.split('/').at(-1)}/f.txt`, `${round}\n`);
          expect((await savepoint.checkpoint()).checkpoint.id).toBe(`cp_${round}`);
        }
        await savepoint.restore('cp_1');
        expect(readFileSync(join(folder, 'f.txt'), 'utf8')).toBe('1\n');
      }),
    );
    expect((await w.open().workspaces()).records.length).toBe(4);
  });

  it('calls of one workspace at the same time wait for each other', async () => {
    const w = await withHistory();
    const results = await Promise.all(Array.from({ length: 6 }, () => w.open().checkpoint()));
    expect(new Set(results.map(({ checkpoint }) => checkpoint.number)).size).toBe(6);
    expect((await w.open().verify({ deep: true })).damage).toEqual([]);
  });
});
