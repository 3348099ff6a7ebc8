import { FaultyFs, type FsCall, SimDisk } from '@savepoint/testkit';
import { expect, test } from 'vitest';
import type { DiskPath } from '../../src/model/names.ts';
import { moveWithoutReplacing } from '../../src/transaction/site.ts';

const [FROM, TO] = ['/from', '/to'] as [DiskPath, DiskPath];
const isLink = ({ operation }: FsCall): boolean => operation === 'hardLink';

function diskWith(...paths: readonly DiskPath[]): SimDisk {
  const disk = new SimDisk();
  for (const path of paths) {
    const file = disk.openNew(path, 0o644);
    disk.write(file, Buffer.from(path), 0);
    disk.close(file);
  }
  return disk;
}

function refusing(disk: SimDisk, fail: string): FaultyFs {
  return new FaultyFs(disk, { at: 1, fault: { fail }, counts: isLink });
}

test.each(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EXDEV', 'EINVAL'])(
  'if a hard link is refused with %s, a file is moved anyway, and replaces nothing',
  (fail) => {
    const free = diskWith(FROM);
    moveWithoutReplacing(refusing(free, fail), FROM, TO);
    expect(free.list('/' as DiskPath)).toEqual(['to']);
    const taken = diskWith(FROM, TO);
    const refused = expect.objectContaining({ code: 'EEXIST' });
    expect(() => moveWithoutReplacing(refusing(taken, fail), FROM, TO)).toThrow(refused);
    expect(taken.list('/' as DiskPath).sort()).toEqual(['from', 'to']);
    expect(taken.lstat(TO)?.size).toBe(TO.length);
  },
);

test.each(['EIO', 'ENOSPC', 'EACCES', 'EROFS'])('after %s no rename is tried', (fail) => {
  const disk = diskWith(FROM);
  expect(() => moveWithoutReplacing(refusing(disk, fail), FROM, TO)).toThrow(expect.objectContaining({ code: fail }));
  expect(disk.list('/' as DiskPath)).toEqual(['from']);
});
