import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DiskPath } from '@savepoint/core';
import { whyNoOverlays } from '@savepoint/testkit';
import { test as always, describe, expect } from 'vitest';
import { touchedPaths } from '../../../src/copy/overlay/touched.ts';
import { scene, USERS } from './scene.ts';

const test = always.skipIf(whyNoOverlays() !== null);

const FILES = {
  'kept.txt': 'old',
  'written.txt': 'old',
  'deleted.txt': 'old',
  'mode.txt': 'old',
  'a/kept.txt': 'old',
  'a/b/written.txt': 'old',
  'a/b/kept.txt': 'old',
  'replaced/old.txt': 'old',
  'replaced/same.txt': 'old',
  'removed/old.txt': 'old',
  'renamed/old.txt': 'old',
  'chmod/old.txt': 'old',
  'emptied/old.txt': 'old',
};

describe.each(USERS)('as $user', ({ uid }) => {
  test('finds every path that was changed, and no other', async () => {
    const s = scene(uid, FILES);
    const overlay = await s.opened();
    const touched = (): readonly string[] =>
      touchedPaths(s.ports.fs, {
        upper: join(s.place, 'upper') as DiskPath,
        lower: [s.root as DiskPath],
        merged: overlay.files,
      }).paths.toSorted();
    expect(touched()).toEqual([]);
    const script = `set -e
      echo new > written.txt; rm deleted.txt; chmod 600 mode.txt; cat kept.txt a/kept.txt > /dev/null
      echo new >> a/b/written.txt; echo new > a/b/new.txt; rm emptied/old.txt
      rm -r replaced; mkdir replaced; echo new > replaced/same.txt
      rm -r removed; mv renamed moved 2>/dev/null || { cp -r renamed moved; rm -r renamed; }
      chmod 700 chmod; mkdir -p deep/er; echo x > deep/er/file; ln -s a link`;
    expect(await s.run(overlay, script)).toEqual({ exit: 0, out: '' });
    // What happens outside meanwhile is not the copy's.
    writeFileSync(join(s.root, 'a/b/outside.txt'), 'x');
    writeFileSync(join(s.root, 'kept.txt'), 'changed outside');
    expect(touched()).toEqual([
      'a/b/new.txt',
      'a/b/written.txt',
      'chmod',
      'deep',
      'deleted.txt',
      'emptied/old.txt',
      'link',
      'mode.txt',
      'moved',
      'removed',
      'renamed',
      'replaced',
      'written.txt',
    ]);
  });
});
