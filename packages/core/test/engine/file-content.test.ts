/** The bytes of a file in a plan and in the folder as it is now. Those of checkpoints: tests/frontends/looking-back.test.ts. */

import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { realPorts } from '@savepoint/testkit';
import { expect, test } from 'vitest';
import { failure } from '../failure.ts';
import { numberedLines } from '../numbered-lines.ts';
import { Place } from '../place.ts';
import { write } from '../plan/write.ts';

const text = (changed: Readonly<Record<number, string>>): string => numberedLines(40, changed);

async function planned() {
  const p = new Place();
  p.write('a.txt', text({}));
  p.write('gone.txt', 'gone\n');
  p.write('same.txt', 'same\n');
  const savepoint = p.open();
  const { plan } = await savepoint.proposeEdits(
    [
      write('a.txt', text({ 2: 'two', 38: 'LAST' })),
      write('new.txt', 'new\n'),
      { path: 'gone.txt', edits: [{ op: 'delete' }] },
    ],
    { intent: 'Spell the numbers' },
  );
  return { p, savepoint, plan: plan.id };
}

test('a file of a plan as proposed, as selected, and as it was', async () => {
  const { p, savepoint, plan } = await planned();
  const read = async (path: string, state?: 'proposed' | 'selected' | 'base') => {
    const found = await savepoint.cat(state === undefined ? { plan } : { plan, state }, path);
    expect(found).toMatchObject({ checkpoint: null, plan: { id: plan, state: state ?? 'proposed', revision: 1 } });
    return found.bytes.toString();
  };
  const refused = async (path: string, state: 'proposed' | 'selected' | 'base') =>
    (await failure(savepoint.cat({ plan, state }, path))).message;
  // What changes in the folder since is not part of it.
  p.write('a.txt', 'later\n');
  expect(await read('a.txt')).toBe(text({ 2: 'two', 38: 'LAST' }));
  expect(await read('a.txt', 'selected')).toBe(text({ 2: 'two', 38: 'LAST' }));
  expect(await read('a.txt', 'base')).toBe(text({}));
  expect(await read('same.txt')).toBe('same\n');
  expect(await refused('gone.txt', 'proposed')).toBe(`gone.txt is not in ${plan} as proposed.`);
  expect(await refused('new.txt', 'base')).toBe(`new.txt is not in the base of ${plan}.`);
  await savepoint.decidePlan(plan, [
    { path: 'a.txt', hunk: 1, accepted: false },
    { path: 'new.txt', accepted: false },
    { path: 'gone.txt', accepted: false },
  ]);
  expect(await read('a.txt', 'selected')).toBe(text({ 38: 'LAST' }));
  expect(await read('a.txt', 'proposed')).toBe(text({ 2: 'two', 38: 'LAST' }));
  expect(await read('gone.txt', 'selected')).toBe('gone\n');
  expect(await refused('new.txt', 'selected')).toBe(`new.txt is not in ${plan} as selected.`);
  const part = await savepoint.cat({ plan: 'last', state: 'selected' }, 'a.txt', { offset: 5, length: 2 });
  expect([part.bytes.toString(), part.offset, part.size]).toEqual(['1\n', 5, text({ 38: 'LAST' }).length]);
});

test('what is no file of a plan is refused', async () => {
  const { savepoint, plan } = await planned();
  expect((await failure(savepoint.cat({ plan: 'plan_00000000' }, 'a.txt'))).code).toBe('UNKNOWN_PLAN');
  for (const path of ['../a.txt', '/etc/passwd', '', '.git/config', 'a.txt/x'])
    expect((await failure(savepoint.cat({ plan }, path))).code).toBe('PATH_REFUSED');
  for (const from of [{ plan, state: 'applied' }, { plan, now: true }, { state: 'base' }, 7])
    expect((await failure(savepoint.cat(from as never, 'a.txt'))).code).toBe('USAGE');
});

test('a file of the folder as it is now', async () => {
  const p = new Place();
  p.write('a.txt', 'one\n');
  p.write('kept.txt', 'kept\n');
  symlinkSync('a.txt', p.at('link'));
  const savepoint = p.open();
  await savepoint.checkpoint();
  const read = async (path: string, range = {}) => {
    const found = await savepoint.cat(null, path, range);
    expect(found).toMatchObject({ checkpoint: null, plan: null });
    return [found.entry.kind, found.bytes.toString(), found.size];
  };
  p.write('a.txt', 'two\n');
  const large = Buffer.alloc(17 * 1024 * 1024, 'large');
  p.write('sub/large', large);
  expect(await read('a.txt')).toEqual(['file', 'two\n', 4]);
  expect(await read(p.at('a.txt'), { offset: 1, length: 2 })).toEqual(['file', 'wo', 4]);
  expect(await read('kept.txt')).toEqual(['file', 'kept\n', 5]);
  expect(await read('link')).toEqual(['link', 'a.txt', 5]);
  expect((await savepoint.cat(null, 'sub/large')).bytes.equals(large)).toBe(true);
  expect((await savepoint.list()).checkpoints).toHaveLength(1);
});

test('of the folder, only what a checkpoint would contain', async () => {
  const p = new Place();
  p.shell('git init -q');
  p.write('.gitignore', 'build/\n');
  p.write('build/big', Buffer.alloc(2 * 1024 * 1024));
  p.write('../outside/secret', 'secret\n');
  writeFileSync(p.at('huge'), '');
  truncateSync(p.at('huge'), 51 * 1024 * 1024);
  symlinkSync(p.at('../outside'), p.at('way-out'));
  mkdirSync(p.at('folder'));
  execFileSync('mkfifo', [p.at('pipe')]);
  const savepoint = p.open();
  await savepoint.checkpoint();
  const why = async (path: string) => {
    const error = await failure(savepoint.cat(null, path));
    return `${error.code}: ${error.message}`;
  };
  expect(await why('huge')).toContain('PATH_REFUSED: huge was not captured (too-large) in the folder as it is now.');
  expect(await why('build/big')).toMatch(/^PATH_REFUSED: build\/big was not captured \(/);
  expect(await why('pipe')).toMatch(/^PATH_REFUSED: pipe was not captured \(/);
  expect(await why('way-out/secret')).toBe('PATH_REFUSED: way-out/secret is not in the folder as it is now.');
  expect(await why('folder')).toBe('PATH_REFUSED: folder is a folder in the folder as it is now.');
  expect(await why('none')).toBe('PATH_REFUSED: none is not in the folder as it is now.');
  for (const path of ['../outside/secret', p.at('../outside/secret'), '/etc/passwd', '', '.git/config'])
    expect(await why(path)).toMatch(/^PATH_REFUSED/);
});

test('a file that changes while it is read: the bytes are those of one moment, or none', async () => {
  const p = new Place();
  p.write('a.txt', 'version 000\n');
  p.write('steady.txt', 'steady\n');
  let writes = Number.POSITIVE_INFINITY;
  let version = 0;
  const ports = realPorts();
  const openRead: typeof ports.fs.openRead = (path) => {
    if (path.endsWith('/a.txt') && version < writes)
      p.write('a.txt', `version ${String(++version).padStart(3, '0')}\n`);
    return ports.fs.openRead(path);
  };
  const fs = new Proxy(ports.fs, {
    get: (target, name) => {
      if (name === 'openRead') return openRead;
      const value = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const savepoint = p.open({ ports: { ...ports, fs } });
  await savepoint.checkpoint();
  const error = await failure(savepoint.cat(null, 'a.txt'));
  expect([error.code, error.message, error.data]).toEqual([
    'IO',
    'a.txt keeps changing while it is read.',
    { path: 'a.txt', operation: 'read', code: 'EAGAIN' },
  ]);
  expect((await savepoint.cat(null, 'steady.txt')).bytes.toString()).toBe('steady\n');
  // The first attempt still sees it change.
  writes = version + 5;
  const found = await savepoint.cat(null, 'a.txt');
  expect(found.bytes.toString()).toBe(p.read('a.txt'));
  expect(found.entry.id).toBe(
    execFileSync('git', ['hash-object', '--stdin'], { input: found.bytes, encoding: 'utf8' }).trim(),
  );
});
