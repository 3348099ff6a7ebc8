import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dieByThrowing, FaultyFs, ProcessDied, SimDisk, seededRandom, simPorts } from '@savepoint/testkit';
import { describe, expect, test } from 'vitest';
import { nodeFs } from '../../../src/io/node/fs.ts';
import type { DiskPath } from '../../../src/model/names.ts';
import { ObjectStore } from '../../../src/store/objects/object-store.ts';
import { addCommit, storeFixture } from '../store-fixture.ts';

describe('a new store', () => {
  test('is a valid bare repository for git, with an unborn branch', () => {
    const { git } = storeFixture();
    expect(git('rev-parse', '--is-bare-repository').trim()).toBe('true');
    expect(git('symbolic-ref', 'HEAD').trim()).toBe('refs/heads/timeline');
    expect(git('fsck', '--strict', '--full')).toBe('');
    expect(git('for-each-ref')).toBe('');
  });

  test('is private to its owner', () => {
    const { folder } = storeFixture();
    const walk = (path: string): void => {
      const stat = statSync(path);
      expect(stat.mode & 0o777, path).toBe(stat.isDirectory() ? 0o700 : 0o600);
      if (stat.isDirectory()) for (const name of readdirSync(path)) walk(`${path}/${name}`);
    };
    walk(folder);
  });

  test('created again keeps existing files and adds missing ones', async () => {
    const { ports, folder, path, store, git } = storeFixture();
    const batch = store.batch();
    const id = batch.add('blob', Buffer.from('x'));
    await batch.finish();
    writeFileSync(path('config'), `${readFileSync(path('config'))}[my]\n\tkey = 1\n`);
    rmSync(path('info'), { recursive: true });
    rmSync(path('HEAD'));
    expect(ObjectStore.create(ports, folder).read(id).data.toString()).toBe('x');
    expect(git('config', 'my.key').trim()).toBe('1');
    expect(readdirSync(path('info'))).toEqual(['attributes']);
  });

  test('that is missing is damage, not an empty store', () => {
    const { ports, path, folder } = storeFixture();
    rmSync(path('objects'), { recursive: true });
    expect(() => ObjectStore.open(ports, folder)).toThrow(expect.objectContaining({ code: 'STORE_DAMAGED' }));
  });

  test('that cannot be examined is a file-system error, not an empty store', () => {
    const { ports, folder } = storeFixture();
    let calls = 1;
    for (let at = 1; at <= calls; at++) {
      const fs = new FaultyFs(nodeFs, { at, fault: { fail: 'EACCES' } });
      const open = (): ObjectStore => ObjectStore.open({ ...ports, fs }, folder);
      expect(open).toThrow(expect.objectContaining({ name: 'FsError', code: 'EACCES' }));
      const counting = new FaultyFs(nodeFs);
      ObjectStore.open({ ...ports, fs: counting }, folder);
      calls = counting.counted;
    }
    expect(calls).toBeGreaterThan(2);
  });

  test('is completed by creating it again after a power cut during creation', async () => {
    const disk = new SimDisk();
    const top = '/home' as DiskPath;
    const folder = '/home/objects.git' as DiskPath;
    disk.makeFolder(top, 0o700);
    disk.makeDurable();
    const states: SimDisk[] = [];
    const collect = (): void => {
      states.push(...disk.crashStates('any-subset', 40, seededRandom(disk.calls)));
    };
    disk.onCall = collect;
    ObjectStore.create(simPorts(disk), folder);
    disk.onCall = null;
    collect();
    for (const state of states) {
      const batch = ObjectStore.create(simPorts(state), folder).batch();
      batch.add('blob', Buffer.from('x'));
      await batch.finish();
      for (const name of ['HEAD', 'config', 'info/attributes']) {
        expect(state.lstat(`${folder}/${name}` as DiskPath)?.size).toBeGreaterThan(0);
      }
    }
    expect(states.length).toBeGreaterThan(300);
    // Everything is durable: no power cut can change anything.
    expect(disk.pending).toBe(0);
  });
});

test('after a process died while creating a store, the next one makes everything durable', async () => {
  const folder = '/home/objects.git' as DiskPath;
  for (let at = 1; ; at++) {
    const disk = new SimDisk();
    disk.makeFolder('/home' as DiskPath, 0o700);
    disk.makeDurable();
    const fs = new FaultyFs(disk, { at, fault: { die: dieByThrowing } });
    try {
      ObjectStore.create(simPorts(fs), folder);
    } catch (error) {
      if (!(error instanceof ProcessDied)) throw error;
    }
    const next = disk.afterProcessDeath();
    ObjectStore.create(simPorts(next), folder);
    for (const state of next.crashStates('any-subset', 20, seededRandom(at))) {
      const store = ObjectStore.open(simPorts(state), folder);
      await store.batch().finish();
      for (const name of ['HEAD', 'config', 'info/attributes', 'refs/heads']) {
        expect(state.lstat(`${folder}/${name}` as DiskPath), `${name} at ${at}`).not.toBeNull();
      }
    }
    if (!fs.hit) break;
  }
});

describe('git on the store, asked to convert', () => {
  const CRLF = Buffer.from('one\r\ntwo $Id$ $Format:%H$\r\n');
  const ATTRIBUTES =
    '* text eol=lf ident filter=evil working-tree-encoding=UTF-16 export-subst merge=evil diff=evil\nleft-out export-ignore\n';

  async function commit(fixture: ReturnType<typeof storeFixture>): Promise<string> {
    const batch = fixture.store.batch();
    const id = addCommit(batch, { 'a.txt': CRLF, 'left-out': CRLF, '.gitattributes': Buffer.from(ATTRIBUTES) });
    await batch.finish();
    return id;
  }

  test('exports every blob in an archive unchanged, and omits none', async () => {
    const fixture = storeFixture();
    const tar = fixture.gitBytes([
      '-c',
      'core.autocrlf=true',
      '-c',
      'filter.evil.smudge=false',
      'archive',
      await commit(fixture),
    ]);
    expect(tar.toString('latin1').split(CRLF.toString('latin1'))).toHaveLength(3);
  });

  test('shows texts as texts, without programs that a tree names', async () => {
    const fixture = storeFixture();
    const before = await commit(fixture);
    const batch = fixture.store.batch();
    const after = addCommit(batch, {
      'a.txt': Buffer.from('one\r\nthree\r\n'),
      '.gitattributes': Buffer.from('* -diff\n'),
    });
    await batch.finish();
    const diff = fixture.git(
      '-c',
      'diff.evil.textconv=false',
      '-c',
      'diff.evil.command=false',
      'diff',
      before,
      after,
      '--',
      'a.txt',
    );
    expect(diff).toContain('+three\r\n');
  });

  test('has every conversion disabled, whatever else is configured', () => {
    const { git } = storeFixture();
    const attributes = git('check-attr', '-a', 'any/file.txt');
    for (const name of [
      'text',
      'eol',
      'ident',
      'filter',
      'working-tree-encoding',
      'export-subst',
      'export-ignore',
      'merge',
    ]) {
      expect(attributes).toContain(`any/file.txt: ${name}: unset`);
    }
    expect(attributes).not.toContain('diff:');
  });
});
