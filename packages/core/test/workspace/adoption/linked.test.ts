/** Promises 8 and 10: packs that a first checkpoint links stay as they are, and the store does not depend on them. */
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { type DiskPath, open, type Savepoint } from '@savepoint/core';
import { FsError } from '@savepoint/core/ports';
import { fsWith, git, realPorts } from '@savepoint/testkit';
import { describe, expect, test } from 'vitest';
import { linkPack } from '../../../src/store/objects/packs/link-pack.ts';
import type { AdoptionPlace } from './adoption-place.ts';
import { expectRestores, isLinked, packFolder, packOf, withHistory } from './linked-place.ts';

describe('a pack that is mostly history is linked', () => {
  test('and its file is not changed; what is needed replaces it', async () => {
    const place = withHistory();
    const pack = packOf(place);
    const before = { stat: statSync(pack), bytes: readFileSync(pack) };
    const { savepoint, filesRead } = await place.first(true);
    expect(filesRead).toBe(0);
    expect(await isLinked(savepoint, before.stat)).toBe(true);
    expect(statSync(pack).nlink).toBe(before.stat.nlink + 1);
    await savepoint.tidyUp();
    expect(await isLinked(savepoint, before.stat)).toBe(false);
    const { nlink, mode, mtimeMs } = statSync(pack);
    expect([nlink, mode, mtimeMs]).toEqual([before.stat.nlink, before.stat.mode, before.stat.mtimeMs]);
    expect(readFileSync(pack).equals(before.bytes)).toBe(true);
    place.git('fsck', '--strict');
    expect((await savepoint.verify({ deep: true })).damage).toEqual([]);
    const folder = await packFolder(savepoint);
    const sizes = readdirSync(folder).map((name) => statSync(join(folder, name)).size);
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(before.stat.size);
    rmSync(place.at('.git'), { recursive: true });
    await expectRestores(place, savepoint);
  });

  test.each<readonly [string, (place: AdoptionPlace) => void]>([
    ['rm -rf .git', (place) => rmSync(place.at('.git'), { recursive: true })],
    ['git gc', (place) => place.git('-c', 'gc.pruneExpire=now', 'gc', '-q')],
    [
      'git repack of a rewritten history',
      (place) => {
        place.git('update-ref', '-d', 'HEAD');
        place.git('reflog', 'expire', '--expire=now', '--all');
        place.git('rm', '-rfq', '--cached', '.');
        place.git('repack', '-adq');
        place.git('prune', '--expire=now');
      },
    ],
  ])('after %s, everything can be restored, before and after the link is replaced', async (_, action) => {
    for (const isReplaced of [false, true]) {
      const place = withHistory();
      const { savepoint } = await place.first(true);
      expect(await isLinked(savepoint, statSync(packOf(place)))).toBe(true);
      action(place);
      if (isReplaced) await savepoint.tidyUp();
      await expectRestores(place, savepoint);
      expect((await savepoint.verify({ deep: true })).damage).toEqual([]);
    }
  });

  test('the link is replaced even if the user has made the pack writable since', async () => {
    const place = withHistory();
    const pack = packOf(place);
    const { world } = place;
    await place.first(true);
    chmodSync(pack, 0o644);
    const home = `${world.places.home}/1` as DiskPath;
    const places = { ...world.places, home, gitAttributes: () => [] };
    const savepoint = open({ dir: world.workspace, here: true, ports: realPorts(), places });
    expect(await isLinked(savepoint, statSync(pack))).toBe(true);
    await savepoint.tidyUp();
    expect(await isLinked(savepoint, statSync(pack))).toBe(false);
    await expectRestores(place, savepoint);
  });

  test('a purge removes the link', async () => {
    const place = withHistory();
    const { savepoint } = await place.first(true);
    await savepoint.purge(['b.txt']);
    expect(await isLinked(savepoint, statSync(packOf(place)))).toBe(false);
  });
});

test('commits that an operation keeps stay, and the history before them does not', async () => {
  const place = withHistory();
  const old = place.git('rev-parse', 'HEAD~1');
  const places = { ...place.world.places, searchPath: process.env['PATH'] ?? '', gitAttributes: () => [] };
  const { savepoint } = await place.first(true, { places });
  const pack = statSync(packOf(place));
  const first = place.git('rev-parse', 'HEAD');
  // A merge, one of whose parents is in the linked pack.
  place.git('checkout', '-q', '-b', 'side');
  place.write('a.txt', 'of the side\n');
  place.git('commit', '-qam', 'side');
  place.git('checkout', '-q', 'main');
  place.write('b.txt', 'of main\n');
  place.git('commit', '-qam', 'main');
  place.git('merge', '-q', '-m', 'merge', 'side');
  place.git('branch', '-qD', 'side');
  const merge = place.git('rev-parse', 'HEAD');
  await savepoint.checkpoint();
  await savepoint.restore('cp_1', { git: true, mode: 'exact' });
  expect(place.git('rev-parse', 'HEAD')).toBe(first);
  expect(await isLinked(savepoint, pack)).toBe(true);
  await savepoint.tidyUp();
  expect(await isLinked(savepoint, pack)).toBe(false);
  const bare = dirname(dirname(await packFolder(savepoint)));
  expect(() => git(bare, 'cat-file', '-e', old)).toThrow();
  git(bare, 'fsck', '--strict', '--no-dangling');
  place.git('reflog', 'expire', '--expire=now', '--all');
  place.git('-c', 'gc.pruneExpire=now', 'gc', '-q');
  expect(() => place.git('cat-file', '-e', merge)).toThrow();
  await savepoint.undo();
  expect(place.git('rev-parse', 'HEAD')).toBe(merge);
  expect(place.git('log', '--format=%s').split('\n').length).toBe(6);
  place.git('fsck', '--strict');
});

describe('a pack is not linked', () => {
  const refused = async (place: AdoptionPlace): Promise<void> => {
    const pack = statSync(packOf(place));
    const { savepoint, filesRead, damage } = await place.first(true);
    expect([filesRead, damage]).toEqual([0, []]);
    expect(await isLinked(savepoint, pack)).toBe(false);
    await expectRestores(place, savepoint);
  };

  test('if somebody may write it', async () => {
    const place = withHistory();
    chmodSync(packOf(place), 0o644);
    await refused(place);
  });

  test('if it belongs to another user, if it becomes writable, or if its name leads to another file', () => {
    const place = withHistory();
    const ports = realPorts();
    const path = packOf(place) as DiskPath;
    const to = `${path}.second` as DiskPath;
    const file = ports.fs.openRead(path);
    const link = (uid: number | null) => () => linkPack({ ...ports, uid }, { path, file }, to);
    expect(link((ports.uid ?? 0) + 1)).toThrow('EPERM');
    expect(link(null)).toThrow('EPERM');
    const opened = fsWith(ports.fs, {
      hardLink: (from, name) => {
        ports.fs.hardLink(from, name);
        chmodSync(path, 0o644);
      },
    });
    expect(() => linkPack({ ...ports, fs: opened }, { path, file }, to)).toThrow('ESTALE');
    expect(existsSync(to)).toBe(false);
    chmodSync(path, 0o444);
    renameSync(path, `${path}.moved`);
    writeFileSync(path, 'another', { mode: 0o444 });
    expect(link(ports.uid)).toThrow('ESTALE');
    rmSync(path);
    symlinkSync(`${path}.moved`, path);
    expect(link(ports.uid)).toThrow(FsError);
    ports.fs.close(file);
    expect(existsSync(to)).toBe(false);
  });

  test('if the file system cannot link it', async () => {
    const place = withHistory();
    const pack = statSync(packOf(place));
    const { fs: real } = realPorts();
    const fs = fsWith(real, {
      hardLink: (from, to) => {
        if (from.endsWith('.pack')) throw new FsError('EXDEV', 'hardLink', from);
        real.hardLink(from, to);
      },
    });
    const { savepoint, filesRead } = await place.first(true, { ports: realPorts({ fs }) });
    expect(filesRead).toBe(0);
    expect(await isLinked(savepoint, pack)).toBe(false);
  });
});

describe('a linked pack that is damaged inside', () => {
  const damaged = async (
    object = ':b.txt',
  ): Promise<{ place: AdoptionPlace; savepoint: Savepoint; messages: string[] }> => {
    const place = withHistory();
    const pack = packOf(place);
    const id = place.git('rev-parse', object);
    const row = place
      .git('verify-pack', '-v', pack)
      .split('\n')
      .find((line) => line.startsWith(id));
    const [, , , size = '', offset = ''] = row?.split(/ +/) ?? [];
    const { savepoint } = await place.first(true);
    const data = readFileSync(pack);
    const at = Number(offset) + Number(size) - 6;
    data[at] = (data[at] as number) ^ 0xff;
    chmodSync(pack, 0o644);
    writeFileSync(pack, data);
    chmodSync(pack, 0o444);
    const messages: string[] = [];
    savepoint.on('warning', ({ message }) => messages.push(message));
    return { place, savepoint, messages };
  };

  test('is replaced by what the files have', async () => {
    const { place, savepoint, messages } = await damaged();
    await savepoint.tidyUp();
    expect(messages).toEqual([expect.stringContaining('b.txt')]);
    expect(await isLinked(savepoint, statSync(packOf(place)))).toBe(false);
    rmSync(place.at('.git'), { recursive: true });
    await expectRestores(place, savepoint);
    expect((await savepoint.verify({ deep: true })).damage).toEqual([]);
  });

  test('is replaced even if it is a folder', async () => {
    const { place, savepoint } = await damaged('HEAD:dir/deep');
    expect((await savepoint.verify({ deep: true })).damage).not.toEqual([]);
    await savepoint.tidyUp();
    expect(await isLinked(savepoint, statSync(packOf(place)))).toBe(false);
    rmSync(place.at('.git'), { recursive: true });
    await expectRestores(place, savepoint);
    expect((await savepoint.verify({ deep: true })).damage).toEqual([]);
  });

  test('is repaired without its history', async () => {
    const { place, savepoint } = await damaged();
    const old = place.git('rev-parse', 'HEAD~1:old/0.txt');
    const store = dirname(dirname(await packFolder(savepoint)));
    expect(git(store, 'cat-file', '-t', old)).toBe('blob\n');
    const { lost, movedAside } = await savepoint.repair();
    expect([lost, movedAside.length]).toEqual([[], 2]);
    expect(() => git(store, 'cat-file', '-t', old)).toThrow();
    expect((await savepoint.verify({ deep: true })).damage).toEqual([]);
    rmSync(place.at('.git'), { recursive: true });
    await expectRestores(place, savepoint);
  });

  test('stays if nothing else has the content, and a warning says so', async () => {
    const { place, savepoint, messages } = await damaged();
    rmSync(place.at('b.txt'));
    await savepoint.tidyUp();
    expect(messages).toContainEqual(expect.stringMatching(/^STORE_DAMAGED: .*cannot be read/));
    expect(await isLinked(savepoint, statSync(packOf(place)))).toBe(true);
    expect((await savepoint.verify({ deep: true })).damage).not.toEqual([]);
  });
});
