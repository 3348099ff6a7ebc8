import { FaultyFs, SimDisk } from '@savepoint/testkit';
import { expect, test } from 'vitest';
import { readEntireFile } from '../../../src/io/durable-write.ts';
import type { DiskPath } from '../../../src/model/names.ts';
import { writeCacheFile } from '../../../src/store/state/cache-file.ts';

const PATH = '/cache' as DiskPath;

test('a cache file is replaced completely or stays unchanged, without an error', () => {
  const [old, fresh] = [Buffer.from('old'), Buffer.from('fresh')];
  for (let at = 1; ; at++) {
    const disk = new SimDisk();
    writeCacheFile(disk, PATH, old);
    expect(readEntireFile(disk, PATH, 10)).toEqual(old);
    const faulty = new FaultyFs(disk, { at, fault: { fail: 'EIO' }, torn: true });
    writeCacheFile(faulty, PATH, fresh);
    expect(readEntireFile(disk, PATH, 10)).toEqual(faulty.hit ? old : fresh);
    if (!faulty.hit) break;
    writeCacheFile(disk, PATH, fresh);
    expect(readEntireFile(disk, PATH, 10)).toEqual(fresh);
    expect(disk.list('/' as DiskPath)).toEqual(['cache']);
  }
});
