import { seededRandom } from '@savepoint/testkit';
import { expect, test } from 'vitest';
import { WatchedFolders } from '../../../src/io/node/watched-folders.ts';
import type { DiskPath } from '../../../src/model/names.ts';

const at = (path: string): DiskPath => path as DiskPath;

test('finds the watches within a folder by path components, whether folders in between are watched or not', () => {
  const folders = new WatchedFolders();
  for (const [watch, path] of ['/w', '/w/a', '/w/a/b/c/d', '/w/ab', '/w/a-b', '/x'].entries())
    folders.add(at(path), watch);
  expect(folders.within(at('/w/a'))).toEqual(['/w/a', '/w/a/b/c/d']);
  expect(folders.within(at('/w/a/b'))).toEqual(['/w/a/b/c/d']);
  expect([...folders.within(at('/'))].sort()).toEqual(['/w', '/w/a', '/w/a-b', '/w/a/b/c/d', '/w/ab', '/x']);
  expect(folders.within(at('/w/a/b/c/d/e'))).toEqual([]);
  expect(folders.remove(at('/w/a'))).toBe(1);
  expect(folders.within(at('/w/a'))).toEqual(['/w/a/b/c/d']);
  expect(folders.remove(at('/w/a/b/c/d'))).toBe(2);
  expect(folders.within(at('/w/a'))).toEqual([]);
});

test('a watch with several paths is kept until the last path is removed', () => {
  const folders = new WatchedFolders();
  expect(folders.add(at('/a'), 1)).toBeNull();
  expect(folders.add(at('/b'), 1)).toBeNull();
  expect(folders.add(at('/b'), 1)).toBeNull();
  expect(folders.pathsOf(1)).toEqual(['/a', '/b']);
  expect(folders.remove(at('/a'))).toBeNull();
  expect(folders.pathsOf(1)).toEqual(['/b']);
  expect(folders.add(at('/b'), 2)).toBe(1);
  expect(folders.pathsOf(1)).toBeUndefined();
  expect(folders.pathsOf(2)).toEqual(['/b']);
  expect(folders.remove(at('/a'))).toBeNull();
});

test('keeps nothing of removed folders, and agrees with a model at every step', () => {
  const seed = Number(process.env['SAVEPOINT_SEED'] ?? Date.now() % 1e9);
  const random = seededRandom(seed);
  const folders = new WatchedFolders();
  const listed = new Map<string, number>();
  const path = (): DiskPath => {
    return at(
      `/${Array.from({ length: 1 + Math.floor(random.next() * 4) }, () => random.pick(['a', 'b', 'ab'])).join('/')}`,
    );
  };
  for (let step = 0; step < 5000; step++) {
    const one = path();
    if (random.next() < 0.5) {
      const watch = Math.floor(random.next() * 30);
      folders.add(one, watch);
      listed.set(one, watch);
    } else {
      folders.remove(one);
      listed.delete(one);
    }
    const top = path();
    const expected = [...listed.keys()].filter((other) => other === top || other.startsWith(`${top}/`)).sort();
    expect([...folders.within(top)].sort(), `seed ${seed}, step ${step}`).toEqual(expected);
    expect(folders.size).toBe(listed.size);
    const watch = Math.floor(random.next() * 30);
    const paths = [...listed].filter(([, of]) => of === watch).map(([other]) => other);
    expect([...(folders.pathsOf(watch) ?? [])].sort()).toEqual(paths.sort());
  }
  for (const one of [...listed.keys()]) folders.remove(at(one));
  expect(folders.within(at('/'))).toEqual([]);
  expect(folders.size).toBe(0);
});
