/** Which other paths of a folder a mount table tells. The paths are real; the table is as Linux would print it. */

import { linkSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DiskPath } from '@savepoint/core';
import { fsWith } from '@savepoint/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { secondPlaces } from '../../../src/copy/overlay/second-places.ts';
import { nodeFs } from '../../../src/io/node/fs.ts';

test('only a mount of the same file system that shows the same file is a second place', () => {
  const top = mkdtempSync(join(tmpdir(), 'savepoint-mounts-'));
  onTestFinished(() => rmSync(top, { recursive: true }));
  const at = (...names: readonly string[]): DiskPath => join(top, ...names) as DiskPath;
  mkdirSync(at('w/part'), { recursive: true });
  writeFileSync(at('w/part/file'), 'x');
  // The same file under two names stands for a mount of it.
  linkSync(at('w/part/file'), at('a file'));
  writeFileSync(at('hidden'), 'another one');
  linkSync(at('w/part/file'), at('other disk'));
  const table = [
    '20 1 8:1 / / rw - ext4 /dev/sda1 rw',
    `21 20 8:1 ${at('w/part/file')} ${top}/a\\040file rw shared:1 - ext4 /dev/sda1 rw`,
    `22 20 8:1 ${at('w/part/file')} ${at('hidden')} rw - ext4 /dev/sda1 rw`,
    `23 20 8:2 ${at('w/part/file')} ${at('other disk')} rw - ext4 /dev/sdb1 rw`,
    `24 20 8:1 ${at('gone')}//deleted ${at('gone')} rw - ext4 /dev/sda1 rw`,
    'not a mount',
  ].join('\n');
  writeFileSync(at('table'), table);
  const fs = fsWith(nodeFs, {
    openRead: (path) => nodeFs.openRead(path === '/proc/self/mountinfo' ? at('table') : path),
  });
  const expected = [{ covered: at('w/part/file'), place: at('a file') }];
  expect(secondPlaces(fs, [at('w')])).toEqual(expected);
  expect(secondPlaces(fs, [at('w/part'), at('w')])).toEqual(expected);
  expect(secondPlaces(fs, [at('none')])).toEqual([]);
});
