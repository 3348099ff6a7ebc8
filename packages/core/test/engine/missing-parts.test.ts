import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { TreePath } from '@savepoint/core';
import { describe, expect, it } from 'vitest';
import { DamagedWorld } from '../damaged-store.ts';

async function checkpoints(): Promise<DamagedWorld> {
  const w = new DamagedWorld();
  for (const text of ['1\n', '2\n']) {
    w.write('a.txt', text);
    await w.open().checkpoint();
  }
  return w;
}

describe('folders that a copy of the store left out because they were empty', () => {
  it('are made again, and everything works', async () => {
    const w = await checkpoints();
    await w.open().gc();
    for (const folder of ['lock', 'journal', 'backups', 'cache', 'calls', 'sessions', 'objects.git/refs'])
      rmSync(w.inStore(folder), { recursive: true, force: true });
    expect((await w.open().verify({ deep: true })).damage).toEqual([]);
    await w.open().status();
    await w.open().restore('cp_1');
    expect(readFileSync(w.at('a.txt'), 'utf8')).toBe('1\n');
    await w.open().undo();
    expect(existsSync(w.inStore('journal'))).toBe(true);
  });

  it('are not made in a store that has lost its repository', async () => {
    const w = await checkpoints();
    rmSync(w.inStore('objects.git'), { recursive: true });
    await expect(w.open().checkpoint()).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
  });
});

const DAMAGES: Readonly<Record<string, (path: string) => void>> = {
  'an empty file': (path) => writeFileSync(path, ''),
  null: (path) => writeFileSync(path, 'null'),
  'a wrong type': (path) => writeFileSync(path, '{"format":1,"paths":[{"path":7,"since":"x"}]}'),
  'a pipe': (path) => void execFileSync('mkfifo', [path]),
};

describe.each(Object.entries(DAMAGES))('with %s instead of the file of frozen paths', (_, make) => {
  it('verify names it, nothing counts as not frozen, and checkpoints are taken', async () => {
    const w = await checkpoints();
    await w.open().freeze(['a.txt' as TreePath]);
    const file = w.inStore('frozen.json');
    rmSync(file);
    make(file);
    expect((await w.open().verify()).damage).toMatchObject([{ file }]);
    await expect(w.open().isFrozen('a.txt' as TreePath)).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
    await expect(w.open().restore('cp_1')).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
    expect(readFileSync(w.at('a.txt'), 'utf8')).toBe('2\n');
    w.write('a.txt', '3\n');
    expect((await w.open().checkpoint()).checkpoint.id).toBe('cp_3');
    const session = w.open().session({ agent: 'one' });
    const { id } = await session.begin({ tool: 'Write', kind: 'write' });
    w.write('a.txt', '4\n');
    expect(await session.end(id)).toMatchObject({
      checkpoint: { id: 'cp_4' },
      putBack: { problem: { code: 'STORE_DAMAGED' } },
    });
  });
});
