import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { CachedFactReader, type FactJob } from '../../../src/code/index.ts';
import { nodeFs } from '../../../src/io/node/fs.ts';
import type { DiskPath, TreePath } from '../../../src/model/names.ts';
import type { StoreLayout } from '../../../src/store/layout.ts';
import { removeFactCache, StoredFactCache } from '../../../src/store/state/fact-cache.ts';
import { languages, reader } from '../../code/change.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function layoutIn(folder: string): StoreLayout {
  const cache = folder as DiskPath;
  return { path: cache, lock: cache, journal: cache, backups: cache, cache } as unknown as StoreLayout;
}

it('keeps facts between processes, and reads damaged ones again', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'facts-'));
  folders.push(folder);
  const reads: string[] = [];
  const jobs = ['a.ts', 'a.tsx', 'é.ts'].map(
    (path): FactJob => ({
      path: path as TreePath,
      id: path.slice(0, 1),
      read: () => {
        reads.push(path);
        return Buffer.from(`export const name = '${path}';\n`);
      },
    }),
  );
  const readAll = async (): Promise<readonly unknown[]> => {
    reads.length = 0;
    const cache = new StoredFactCache(nodeFs, layoutIn(folder));
    const facts = await new CachedFactReader(languages, cache, reader).read(jobs, null);
    cache.save();
    return facts;
  };
  const first = await readAll();
  expect(reads).toEqual(['a.ts', 'a.tsx', 'é.ts']);
  expect(await readAll()).toEqual(first);
  expect(reads).toEqual([]);
  const bytes = readFileSync(join(folder, 'facts'));
  for (const length of [0, 5, 30, bytes.length - 1]) {
    writeFileSync(join(folder, 'facts'), bytes.subarray(0, length));
    expect(await readAll()).toEqual(first);
    expect(reads.length).toBeGreaterThan(0);
  }
  // After a power cut, blocks of the file may be zeros.
  writeFileSync(
    join(folder, 'facts'),
    Buffer.concat([bytes.subarray(0, 60), Buffer.alloc(bytes.length - 61), bytes.subarray(-1)]),
  );
  expect(await readAll()).toEqual(first);
});

it('writes nothing that was read before the facts were removed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'facts-'));
  folders.push(folder);
  const layout = layoutIn(folder);
  const old = new StoredFactCache(nodeFs, layout);
  old.put('a', 'one');
  removeFactCache(nodeFs, layout);
  old.save();
  expect(existsSync(join(folder, 'facts'))).toBe(false);
  const later = new StoredFactCache(nodeFs, layout);
  later.put('a', 'two');
  later.save();
  expect(new StoredFactCache(nodeFs, layout).get('a')).toBe('two');
});
