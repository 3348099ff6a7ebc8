import { chmodSync, mkdirSync, readdirSync, rmdirSync, statSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { join } from 'node:path';
import { type Project, project } from '@savepoint/testkit/command';
import { expect, it } from 'vitest';

/** Node 20 has no compile cache. There, no command may create one. */
const hasCache = 'enableCompileCache' in nodeModule && process.platform === 'linux';

/** Always in its own process, as only that uses the cache. */
async function run(p: Project, ...args: string[]): Promise<number | null> {
  return (await p.start(args).done).status;
}

function cached(p: Project): string[] {
  const folder = join(p.store, 'compiled');
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  } catch {
    return ['absent'];
  }
}

it('commands that succeed fill it, for their user only', async () => {
  const p = project();
  p.write('a.txt', 'a\n');
  expect(await run(p, 'checkpoint')).toBe(0);
  expect(await run(p, 'status')).toBe(0);
  const files = cached(p);
  if (!hasCache) expect(files).toEqual(['absent']);
  else expect(files.length).toBeGreaterThan(2);
  for (const file of hasCache ? ['.', ...files] : []) {
    expect(statSync(join(p.store, 'compiled', file)).mode & 0o077, file).toBe(0);
  }
});

it('a command that is refused neither creates it nor adds to it', async () => {
  const p = project();
  p.write('a.txt', 'a\n');
  mkdirSync(p.store, { mode: 0o700 });
  expect(await run(p, 'restore', 'cp_1')).not.toBe(0);
  expect(cached(p)).toEqual(['absent']);
  expect(await run(p, 'checkpoint')).toBe(0);
  // Node creates a folder for each set of flags at once.
  const files = () => cached(p).filter((name) => name.includes('/'));
  const before = files();
  expect(await run(p, 'restore', 'cp_99')).not.toBe(0);
  expect(await run(p, 'show', 'cp_99')).not.toBe(0);
  expect(files()).toEqual(before);
});

it('what one command adds, the next ones use', async () => {
  const p = project();
  p.write('a.txt', 'a\n');
  p.checkpoint();
  const debug = { NODE_DEBUG_NATIVE: 'COMPILE_CACHE' };
  const round = async () => {
    const ran = [];
    p.write('a.txt', 'b\n');
    for (const args of [['checkpoint'], ['status'], ['restore', 'cp_1', '--yes'], ['undo'], ['list']])
      ran.push(await p.start(args, { env: debug }).done);
    expect(ran.map((one) => one.status)).toEqual([0, 0, 0, 0, 0]);
    return ran.map((one) => one.stdout + one.stderr).join('');
  };
  await round();
  await round();
  const third = await round();
  expect(third).not.toContain('was rejected');
  if (hasCache) expect(third).toContain('was accepted');
});

it('it is not used if others could have written to it', async () => {
  const p = project();
  p.write('a.txt', 'a\n');
  expect(await run(p, 'checkpoint')).toBe(0);
  const folder = join(p.store, 'compiled');
  if (hasCache) for (const version of readdirSync(folder)) rmdirSync(join(folder, version));
  else mkdirSync(folder);
  chmodSync(folder, 0o770);
  expect(await run(p, 'status')).toBe(0);
  expect(cached(p)).toEqual([]);
});
