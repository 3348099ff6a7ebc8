import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { TreePath } from '@savepoint/core';
import { VERBS } from '@savepoint/core/frontend';
import { describe, expect, it } from 'vitest';
import { DamagedWorld } from '../damaged-store.ts';

/** A damaged ref or workspace record: it is named and passed over, and everything else works. */

async function checkpoints(count: number): Promise<DamagedWorld> {
  const w = new DamagedWorld();
  for (let number = 1; number <= count; number++) {
    w.write('a.txt', `${number}\n`);
    await w.open().checkpoint();
  }
  return w;
}

function replace(path: string, by: (path: string) => void): void {
  rmSync(path, { recursive: true, force: true });
  by(path);
}

const FILES: Readonly<Record<string, (path: string) => void>> = {
  'an empty file': (path) => writeFileSync(path, ''),
  garbage: (path) => writeFileSync(path, 'garbage\n'),
  'a pipe': (path) => void execFileSync('mkfifo', [path]),
  'a folder': (path) => mkdirSync(path),
  'a folder with a file': (path) => {
    mkdirSync(path);
    writeFileSync(join(path, 'x'), 'x');
  },
  'a link': (path) => symlinkSync('/etc/hostname', path),
};

describe.each(Object.entries(FILES))('with %s instead of a ref', (_, make) => {
  it('verify, list and status name it, and the other checkpoints are taken and restored', async () => {
    const w = await checkpoints(3);
    const ref = w.inStore('objects.git', 'refs', 'savepoint', 'cp', '2');
    replace(ref, make);
    const { damage, sound } = await w.call(VERBS.verify, {});
    expect(damage).toMatchObject([{ file: ref, checkpoints: ['cp_2'] }]);
    expect(sound).toBe(2);
    expect((await w.call(VERBS.list, {})).damaged).toMatchObject([{ id: 'cp_2' }]);
    expect((await w.call(VERBS.status, {})).capture?.warnings.join()).toContain(ref);
    await expect(w.open().show('cp_2')).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
    // Who made the changes that it records is unknown.
    await expect(w.open().restore('cp_1')).rejects.toMatchObject({
      code: 'CONFLICT',
      data: { paths: [{ path: 'a.txt', why: expect.stringContaining('cannot be read') }] },
    });
    await w.open().restore('cp_1', { mode: 'exact' });
    expect(readFileSync(w.at('a.txt'), 'utf8')).toBe('1\n');
    w.write('a.txt', '4\n');
    expect((await w.open().checkpoint()).checkpoint.id).toBe('cp_5');
  });

  it('the newest one keeps its number and its place', async () => {
    const w = await checkpoints(2);
    replace(w.inStore('objects.git', 'refs', 'savepoint', 'cp', '2'), make);
    await expect(w.open().restore('last')).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
    await expect(w.open().restore('@{0 seconds ago}')).rejects.toMatchObject({
      code: 'STORE_DAMAGED',
      message: expect.stringContaining('cp_2'),
    });
    await w.open().restore('last~1');
    expect(readFileSync(w.at('a.txt'), 'utf8')).toBe('1\n');
    expect((await w.open().list()).checkpoints.map(({ id }) => id)).not.toContain('cp_2');
  });
});

describe('refs', () => {
  it('a clean-up sweeps nothing while it is unknown what a ref needs', async () => {
    const w = await checkpoints(4);
    const ref = w.inStore('objects.git', 'refs', 'savepoint', 'cp', '2');
    const intact = readFileSync(ref);
    writeFileSync(ref, '');
    await expect(w.open().gc({ retention: { maxCheckpoints: 1, keepAtLeast: 1 } })).rejects.toMatchObject({
      code: 'STORE_DAMAGED',
    });
    writeFileSync(ref, intact);
    expect((await w.open().verify({ deep: true })).damage).toEqual([]);
    await w.open().restore('cp_2');
  });

  it('a damaged pin still pins', async () => {
    const w = await checkpoints(4);
    await w.open().pin('cp_1');
    writeFileSync(w.inStore('objects.git', 'refs', 'savepoint', 'pin', '1'), '');
    expect([...(await w.open().pinned())]).toEqual([1]);
  });

  it('a deleted ref is not blamed on a clean-up', async () => {
    const w = await checkpoints(3);
    rmSync(w.inStore('objects.git', 'refs', 'savepoint', 'cp', '2'));
    await expect(w.open().restore('cp_2')).rejects.toMatchObject({
      code: 'UNKNOWN_CHECKPOINT',
      message: expect.stringContaining('somebody deleted its ref'),
    });
  });
});

const PACKED: Readonly<Record<string, (path: string, w: DamagedWorld) => void>> = {
  'that are empty': (path) => writeFileSync(path, ''),
  'that are garbage': (path) => writeFileSync(path, 'garbage\n'),
  'that are cut off': (path) => truncateSync(path, readFileSync(path, 'utf8').indexOf('refs/savepoint/cp/2') + 3),
  'that are a folder': (path) => {
    rmSync(path);
    mkdirSync(path);
  },
  'that are on a bad sector': (path, w) => w.makeUnreadable(path),
};

describe.each(Object.entries(PACKED))('with packed refs %s', (_, damage) => {
  async function damagedPacked(): Promise<{ readonly w: DamagedWorld; readonly packed: string }> {
    const w = await checkpoints(3);
    w.git('pack-refs', '--all');
    w.write('a.txt', '4\n');
    await w.open().checkpoint();
    const packed = w.inStore('objects.git', 'packed-refs');
    damage(packed, w);
    return { w, packed };
  }

  it('the other checkpoints are used, and every hidden one keeps its place and is named', async () => {
    const { w, packed } = await damagedPacked();
    const { damage: found, checkpoints: hidden } = await w.call(VERBS.verify, {});
    expect(hidden).toBe(4);
    expect(found).toMatchObject([{ file: packed, checkpoints: expect.arrayContaining(['cp_2', 'cp_3']) }]);
    const listed = await w.call(VERBS.list, {});
    expect(listed.damaged.map(({ id }) => id)).toEqual(expect.arrayContaining(['cp_2', 'cp_3']));
    expect((await w.call(VERBS.status, {})).capture?.warnings.join()).toContain(packed);
    await expect(w.open().restore('last~1')).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
    w.write('a.txt', '5\n');
    expect((await w.open().checkpoint()).checkpoint.id).toBe('cp_5');
    await w.open().restore('cp_4');
    expect(readFileSync(w.at('a.txt'), 'utf8')).toBe('4\n');
    await w.open().undo();
    expect(readFileSync(w.at('a.txt'), 'utf8')).toBe('5\n');
  });

  it('nothing is removed, and a repair brings the hidden ones back', async () => {
    const { w, packed } = await damagedPacked();
    await expect(w.open().gc()).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
    await expect(w.open().purge(['a.txt' as TreePath])).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
    await w.open().tidyUp();
    await w.call(VERBS.repair, {});
    expect(readFileSync(packed, 'utf8')).toContain('cp/3');
    expect((await w.open().verify({ deep: true })).damage).toEqual([]);
    await w.open().restore('cp_2');
    expect(readFileSync(w.at('a.txt'), 'utf8')).toBe('2\n');
  });
});

/** A second workspace beside the first, in the same home. */
async function twoWorkspaces(): Promise<{ readonly w: DamagedWorld; readonly other: string; readonly record: string }> {
  const w = await checkpoints(2);
  const record = w.inStore('workspace.json');
  const other = join(dirname(w.dir), 'other');
  mkdirSync(other);
  writeFileSync(join(other, 'b.txt'), 'b\n');
  await w.openAt(other).checkpoint();
  return { w, other, record };
}

const RECORDS: Readonly<Record<string, (path: string) => void>> = {
  ...FILES,
  null: (path) => writeFileSync(path, 'null\n'),
  'a list': (path) => writeFileSync(path, '[]\n'),
  'a path of a wrong type': (path) => writeFileSync(path, JSON.stringify({ format: 1, id: '0'.repeat(32), path: 7 })),
  'another id': (path) => writeFileSync(path, JSON.stringify({ format: 1, id: '0'.repeat(32), path: '/x' })),
};

describe.each(Object.entries(RECORDS))('with %s instead of a workspace record', (_, make) => {
  it('the copy of the record is used, and verify and workspaces name the damage', async () => {
    const { w, other, record } = await twoWorkspaces();
    replace(record, make);
    await w.open().restore('cp_1');
    expect(readFileSync(w.at('a.txt'), 'utf8')).toBe('1\n');
    expect((await w.open().verify()).damage).toMatchObject([{ file: record }]);
    expect((await w.call(VERBS.status, {})).capture?.warnings.join()).toContain(record);
    expect((await w.open().workspaces()).problems).toHaveLength(1);
    await w.openAt(other).restore('cp_1');
  });

  it('without the copy, all other folders work, also new ones', async () => {
    const { w, other, record } = await twoWorkspaces();
    replace(record, make);
    rmSync(join(dirname(record), 'workspace.copy.json'));
    await w.openAt(other).checkpoint();
    const third = join(dirname(w.dir), 'third');
    mkdirSync(third);
    const opened = w.openAt(third);
    const warnings: string[] = [];
    opened.on('warning', ({ message }) => warnings.push(message));
    expect((await opened.checkpoint()).checkpoint.id).toBe('cp_1');
    // The list of all stores has the damaged one with a folder elsewhere, which is still there.
    expect(warnings).toEqual([]);
    expect((await opened.workspaces()).problems).toHaveLength(1);
    expect(readdirSync(dirname(dirname(record)))).toHaveLength(3);
  });
});

describe('a workspace record', () => {
  it('that is damaged is named in its own folder, as long as the index of all stores knows the folder', async () => {
    const { w, record } = await twoWorkspaces();
    // Writes the index.
    await w.open().checkpoint();
    writeFileSync(record, '');
    rmSync(join(dirname(record), 'workspace.copy.json'));
    await expect(w.open().checkpoint()).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
  });
});
