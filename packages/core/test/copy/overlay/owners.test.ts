/** An ordinary user works in a folder with files of other users and groups. */

import { chmodSync, chownSync, cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DiskPath } from '@savepoint/core';
import { whyNoOverlays } from '@savepoint/testkit';
import { test as always, expect } from 'vitest';
import { type Scene, scene, USERS } from './scene.ts';

const [, ordinary] = USERS;
const test = always.skipIf(whyNoOverlays() !== null || ordinary === undefined);
const MINE = ordinary?.uid ?? 0;
const OTHER = MINE + 1;
const FILE = 'a/b/c/file';

function sceneWith(path: string, user: number, group: number, mode: number): Scene {
  const s = scene(MINE, { [FILE]: 'old\n', 'a/b/other': 'old\n' });
  chownSync(join(s.root, path), user, group);
  chmodSync(join(s.root, path), mode);
  return s;
}

test.each([
  ['my file of another group', FILE, MINE, OTHER, 0o644],
  ['a file that all may write', FILE, OTHER, OTHER, 0o666],
  ['my folder of another group', 'a/b/c', MINE, OTHER, 0o755],
] as const)('%s could not be changed, so no overlay is made', async (_, path, user, group, mode) => {
  const s = sceneWith(path, user, group, mode);
  const example = join(s.root, path);
  expect(await s.open()).toEqual({
    why: `commands in it could not change what belongs to another user or group, for example ${example}`,
  });
});

test('what the user could not write anyway is no reason, and can be replaced as in the folder', async () => {
  const s = sceneWith(FILE, OTHER, OTHER, 0o644);
  const script = `cat ${FILE}; { echo no >> ${FILE}; } 2>/dev/null || echo refused; rm -f ${FILE}; echo new > ${FILE}; cat ${FILE}`;
  expect(await s.run(await s.opened(), script)).toEqual({ exit: 0, out: 'old\nrefused\nnew\n' });
  expect(readFileSync(join(s.root, FILE), 'utf8')).toBe('old\n');
});

test('with a copy of the user over the folder, everything can be changed', async () => {
  const s = sceneWith('a/b', MINE, OTHER, 0o755);
  chownSync(join(s.root, FILE), MINE, OTHER);
  const layer = join(s.place, 'tree');
  cpSync(s.root, layer, { recursive: true });
  for (const path of ['', 'a', 'a/b', 'a/b/c', FILE, 'a/b/other']) chownSync(join(layer, path), MINE, MINE);
  const script = `echo new >> ${FILE}; mv a/b/other a/b/c/moved; mkdir a/b/new; cat ${FILE}; cat a/b/c/moved`;
  const overlay = await s.opened({ layers: [layer as DiskPath] });
  expect(await s.run(overlay, script)).toEqual({ exit: 0, out: 'old\nnew\nold\n' });
  expect(readFileSync(join(s.root, FILE), 'utf8')).toBe('old\n');
});
