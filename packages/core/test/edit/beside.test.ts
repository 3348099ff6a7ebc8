import { existsSync, readdirSync, statSync } from 'node:fs';
import type { DiskPath, FileRequest, Savepoint, TreePath } from '@savepoint/core';
import { SimDisk } from '@savepoint/testkit';
import { expect, test } from 'vitest';
import { engine, ROOT, treeOf } from '../../../../tests/simulated.ts';
import { Place } from '../place.ts';

/** Backups as `a.ts.bak` next to the file, for users who want them there. */
class Beside extends Place {
  readonly savepoint: Savepoint = this.open({ backups: 'beside' });

  edit(...contents: readonly (readonly [name: string, content: string])[]): ReturnType<Savepoint['edit']> {
    return this.savepoint.edit(contents.map(([name, content]) => edited(name, content)));
  }
}

function edited(name: string, content: string): FileRequest {
  const edits = [{ op: 'write', content, exact: true } as const];
  return { given: name, path: name as TreePath, edits, expectedHash: null, force: false };
}

test('a backup is stored next to its file, and a file that already has its name is kept', async () => {
  const p = new Beside();
  p.write('src/a.ts', 'first\n');
  p.write('src/a.ts.bak', 'of a person\n');
  const first = await p.edit(['src/a.ts', 'second\n']);
  expect(first.backups).toEqual([{ path: 'src/a.ts', backup: `${p.world.workspace}/src/a.ts.bak2` as DiskPath }]);
  await p.edit(['src/a.ts', 'third\n'], ['src/new.ts', 'new\n']);
  expect(readdirSync(p.at('src')).sort()).toEqual(['a.ts', 'a.ts.bak', 'a.ts.bak2', 'a.ts.bak3', 'new.ts']);
  expect(p.read('src/a.ts.bak')).toBe('of a person\n');
  expect(p.read('src/a.ts.bak2')).toBe('first\n');
  expect(p.read('src/a.ts.bak3')).toBe('second\n');
});

test('it is not captured until it is written to', async () => {
  const p = new Beside();
  p.write('a.ts', 'first\n');
  await p.edit(['a.ts', 'second\n']);
  expect((await p.savepoint.checkpoint()).checkpoint.changes).toEqual([]);
  p.write('a.ts.bak', 'of a person now\n');
  const { checkpoint } = await p.savepoint.checkpoint();
  expect(checkpoint.changes?.map((change) => change.path)).toEqual(['a.ts.bak']);
});

test('undo leaves it, with its folder', async () => {
  const p = new Beside();
  p.write('keep.ts', 'keep\n');
  await p.edit(['made/a.ts', 'first\n']);
  await p.edit(['made/a.ts', 'second\n']);
  await p.savepoint.undo();
  expect(p.read('made/a.ts')).toBe('first\n');
  const { plan } = await p.savepoint.undo();
  expect(plan.kept).toEqual([{ path: 'made', why: 'it contains a backup' }]);
  expect(readdirSync(p.at('made'))).toEqual(['a.ts.bak']);
  expect((await p.savepoint.redo()).checkpoint).not.toBeNull();
  expect(p.read('made/a.ts')).toBe('first\n');
});

test('it stays after an edit that was rolled back', async () => {
  const disk = new SimDisk();
  const at = (name: string): DiskPath => `${ROOT}/${name}` as DiskPath;
  const write = (name: string, content: string): void => {
    const file = disk.openNew(at(name), 0o644);
    disk.write(file, Buffer.from(content), 0);
    disk.close(file);
  };
  disk.makeFolder(ROOT, 0o755);
  for (const name of ['a.ts', 'b.ts']) write(name, 'first\n');
  // Another program saves the second file just before the operation reaches it.
  disk.onCall = ({ operation, path: target }) => {
    if (operation !== 'hardLink' || target !== at('b.ts')) return;
    disk.onCall = null;
    write('b.ts', 'theirs\n');
  };
  const files = ['a.ts', 'b.ts'].map((name): FileRequest => edited(name, 'second\n'));
  const refused = engine(disk, 10, {}, { backups: 'beside' }).edit(files);
  await expect(refused).rejects.toMatchObject({ code: 'CONFLICT' });
  const { tree } = treeOf(disk);
  expect(tree.get('a.ts')).toContain('first\n');
  expect(tree.get('b.ts')).toContain('theirs\n');
  expect(tree.get('a.ts.bak')).toContain('first\n');
  expect(tree.get('b.ts.bak')).toContain('first\n');
});

test.each([
  ['takes its name', (disk: SimDisk, bak: DiskPath) => disk.makeLink('elsewhere', bak)],
  ['moves the folder away', (disk: SimDisk) => disk.rename(`${ROOT}/src` as DiskPath, '/elsewhere' as DiskPath)],
])('if another program %s at that moment, the edit is rolled back as a conflict', async (_, interfere) => {
  const bak = `${ROOT}/src/a.ts.bak` as DiskPath;
  let conflicts = 0;
  for (const operation of ['rename', 'openNew'] as const) {
    const disk = new SimDisk();
    for (const folder of [ROOT, `${ROOT}/src`]) disk.makeFolder(folder as DiskPath, 0o755);
    const file = disk.openNew(`${ROOT}/src/a.ts` as DiskPath, 0o644);
    disk.write(file, Buffer.from('first\n'), 0);
    disk.close(file);
    disk.onCall = (call) => {
      // The name is chosen first, then recorded, then created.
      const isMoment = operation === 'openNew' ? call.path === bak : call.path.endsWith('.beside');
      if (call.operation !== operation || !isMoment) return;
      disk.onCall = null;
      interfere(disk, bak);
      conflicts += 1;
    };
    const edit = engine(disk, 10, {}, { backups: 'beside' }).edit([edited('src/a.ts', 'second\n')]);
    await expect(edit).rejects.toMatchObject({ code: 'CONFLICT' });
  }
  expect(conflicts).toBe(2);
});

test('it is removed with the checkpoint before its edit, unless it was written to', async () => {
  const p = new Beside();
  p.write('a.ts', 'first\n');
  p.write('b.ts', 'first\n');
  await p.edit(['a.ts', 'second\n'], ['b.ts', 'second\n']);
  p.write('b.ts.bak', 'of a person now\n');
  for (let count = 0; count < 3; count++) {
    p.write('a.ts', `${count}\n`);
    await p.savepoint.checkpoint();
  }
  await p.savepoint.gc({ retention: { maxCheckpoints: 1, keepAtLeast: 1 } });
  expect(existsSync(p.at('a.ts.bak'))).toBe(false);
  expect(p.read('b.ts.bak')).toBe('of a person now\n');
  expect((await p.savepoint.verify({ deep: true })).damage).toEqual([]);
  p.write('a.ts.bak', 'nobody leaves this out\n');
  const { checkpoint } = await p.savepoint.checkpoint();
  expect(checkpoint.changes?.map((change) => change.path)).toContain('a.ts.bak');
});

test('it has the permissions of its file', async () => {
  const p = new Beside();
  p.write('run.sh', 'first\n');
  const { mode } = statSync(p.at('run.sh'));
  await p.edit(['run.sh', 'second\n']);
  expect(statSync(p.at('run.sh.bak')).mode).toBe(mode);
});
