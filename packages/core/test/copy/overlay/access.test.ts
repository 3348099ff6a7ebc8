/** Commands that may only read, or only list: they try to do more. */

import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DiskPath } from '@savepoint/core';
import { whyNoOverlays } from '@savepoint/testkit';
import { test as always, describe, expect } from 'vitest';
import { type Scene, scene, USERS } from './scene.ts';
import { treeState } from './tree-state.ts';

const test = always.skipIf(whyNoOverlays() !== null);

/** Each tries to write to a.txt, by the way that its name says. */
const WRITES: Readonly<Record<string, string>> = {
  directly: 'echo escaped > a.txt',
  'a new file': 'echo escaped > new.txt',
  'a changed mode': 'chmod 777 a.txt',
  removal: 'rm -rf a.txt folder',
  renaming: 'mv a.txt b.txt',
  'a remount': 'mount -o remount,rw "$root"; echo escaped > a.txt',
  'a remount in a nested namespace':
    'unshare -Urm sh -c \'mount -o remount,rw "$root"; mount -o remount,bind,rw "$root"; echo escaped > a.txt\'',
  'a bind mount in a nested namespace':
    'unshare -Urm sh -c \'mount --bind "$root" /mnt; mount -o remount,bind,rw /mnt; echo escaped > /mnt/a.txt\'',
  'an unmount': 'umount "$root"; unshare -Urm umount "$root"; cd "$root"; echo escaped > a.txt',
  'an upper of its own': 'echo escaped > "$place/upper/a.txt"; echo escaped > "$place/tree/a.txt"',
};

const FILES = { 'a.txt': 'secret\n', 'folder/b.txt': 'secret\n' };

function given({ root, place }: Scene): string {
  return `export root='${root}' place='${place}'\nexec 2>&1\n`;
}

describe.each(USERS)('as $user', ({ uid }) => {
  test.each(['read', 'list'] as const)('with %s, nothing can be written', async (access) => {
    const s = scene(uid, FILES);
    const layers = access === 'list' ? [namesOnly(s, uid)] : [];
    const before = treeState(s.root);
    const overlay = await s.opened({ access, layers });
    for (const [name, script] of Object.entries(WRITES)) {
      const { out } = await s.run(overlay, `${given(s)}${script}\ncd "$root"; find . -type f; cat a.txt b.txt new.txt`);
      expect({ name, out }).toEqual({ name, out: expect.not.stringContaining('escaped\n') });
      expect({ name, out }).toEqual({ name, out: expect.stringContaining('./a.txt') });
      expect(out).not.toMatch(/\.\/(?:b|new)\.txt/);
      expect(treeState(s.root)).toEqual(before);
    }
  });

  test('with list, the names are there and no content', async () => {
    const s = scene(uid, FILES);
    const overlay = await s.opened({ access: 'list', layers: [namesOnly(s, uid)] });
    expect((await s.run(overlay, 'find . | sort')).out).toBe('.\n./a.txt\n./folder\n./folder/b.txt\n');
    const ways = `cat a.txt; cat folder/b.txt; chmod 644 a.txt; cat a.txt; cp a.txt /dev/stdout; cat < a.txt
      unshare -Urm sh -c 'umount "$root"; cat "$root/a.txt"'; cat "$place"/../*/*/a.txt; cat /proc/$PPID/root$root/a.txt`;
    expect((await s.run(overlay, given(s) + ways)).out).not.toContain('secret');
  });

  test('with read, all can be read', async () => {
    const s = scene(uid, FILES);
    const overlay = await s.opened({ access: 'read' });
    expect((await s.run(overlay, 'cat a.txt folder/b.txt')).out).toBe('secret\nsecret\n');
  });
});

function namesOnly(s: Scene, uid: number): DiskPath {
  const names = join(s.place, 'tree');
  const own = (path: string): void => chownSync(path, uid, uid);
  for (const folder of [names, join(names, 'folder')]) {
    mkdirSync(folder, { mode: 0o700 });
    own(folder);
  }
  for (const file of ['a.txt', 'folder/b.txt'].map((name) => join(names, name))) {
    writeFileSync(file, '');
    own(file);
    chmodSync(file, 0);
  }
  return names as DiskPath;
}
