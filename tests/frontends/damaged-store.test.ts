import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { open } from '@savepoint/core/node';
import { git } from '@savepoint/testkit';
import { type Project, project } from '@savepoint/testkit/command';
import { expect, it } from 'vitest';

/** What the command says about a damaged store. */

const inStore = (p: Project, ...names: readonly string[]): string => {
  const stores = join(p.store, 'workspaces');
  return join(stores, readdirSync(stores)[0] as string, ...names);
};

it('a rollback that does not know all changes says so, and exits with 5', async () => {
  const p = project();
  p.write('a.txt', 'a\n');
  p.checkpoint();
  for (const name of ['b.txt', 'c.txt']) {
    const session = open({ dir: p.dir, home: p.store }).session({ agent: 'one', id: 's' });
    await session.call({ tool: 'Bash', kind: 'shell' }, async () => p.write(name, 'new\n'));
  }
  writeFileSync(inStore(p, 'objects.git', 'refs', 'savepoint', 'cp', '3'), '');
  const preview = p.run(['rollback', '--agent', 'one', '--likely', '--dry-run']);
  expect(preview.stdout).toMatch(/not complete: .*\n {2}cp_3 \(it cannot be read\)/);
  const done = p.run(['rollback', '--agent', 'one', '--likely', '--yes']);
  expect([done.status, done.stdout]).toEqual([5, expect.stringContaining('not complete')]);
});

it('a repair adopts a store only if it is named, and says what is lost', () => {
  const p = project();
  p.write('a.txt', 'a\n');
  p.checkpoint();
  for (const name of ['workspace.json', 'workspace.copy.json']) writeFileSync(inStore(p, name), 'null');
  rmSync(inStore(p, 'cache'), { recursive: true });
  rmSync(join(p.store, 'workspaces.json'), { force: true });
  const refused = p.run(['repair']);
  expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining('savepoint repair --adopt ID')]);
  const id = inStore(p).slice(-32);
  const { stdout } = p.run(['repair', '--adopt', id]);
  expect(stdout).toContain(`the store ${id} adopted for`);
  expect(stdout).toContain('lost: the workspace record');
  p.ok('restore', 'cp_1', '--yes');
});

/** The list of all stores is gone as well. @returns the id of the store */
function loseRecords(p: Project): string {
  for (const name of ['workspace.json', 'workspace.copy.json']) writeFileSync(inStore(p, name), 'garbage');
  rmSync(join(p.store, 'workspaces.json'), { force: true });
  return inStore(p).slice(-32);
}

it('a folder without a store is shown with the stores that may be its own', () => {
  const p = project();
  p.write('a.txt', 'a\n');
  p.checkpoint();
  const id = loseRecords(p);
  for (const verb of ['status', 'list', 'history', 'sessions', 'turns']) {
    const { status, stderr } = p.run([verb]);
    expect([verb, status, stderr]).toEqual([
      verb,
      0,
      expect.stringContaining(`${id}/workspace.json is not a readable`),
    ]);
    expect(stderr.match(/savepoint repair/g)).toHaveLength(1);
  }
});

it('a repair of another store in the folder names the one without a usable record', () => {
  const p = project();
  p.write('a.txt', 'a\n');
  p.ok('checkpoint', '-m', 'first');
  const id = loseRecords(p);
  expect(p.ok('checkpoint', '-m', 'new').stderr).toContain(`${id}/workspace.json`);
  const done = p.ok('repair');
  expect(done.stdout).toContain(`the record of the store ${id} (1 checkpoint, newest cp_1 of `);
  expect(done.stdout).toContain('it may be that of this folder');
  expect(done.stdout).toContain('savepoint repair --adopt ID');
  expect(done.stdout).not.toContain('Nothing to repair');
  // As the text says.
  p.ok('bundle', 'create', '../new.bundle');
  p.ok('workspaces', 'delete', p.dir, '--yes');
  expect(p.run(['repair', '--adopt', id]).stdout).toContain('1 of 1 checkpoint can be fully restored');
  expect(p.ok('list').stdout).toContain('first');
  expect(p.ok('repair').stdout).toContain('Nothing to repair.');
});

it('after a repair that found not everything, verify and restore say what is lost, and how to restore the rest', () => {
  const p = project();
  for (const name of ['a.txt', 'b.txt', 'c.txt']) p.write(name, `first of ${name}\n`.repeat(20));
  p.checkpoint();
  const objects = inStore(p, 'objects.git');
  const lost = ['a.txt', 'b.txt'].map((name) => git(objects, 'rev-parse', `refs/savepoint/cp/1:files/${name}`).trim());
  for (const name of ['a.txt', 'b.txt', 'c.txt']) p.write(name, 'second\n');
  p.checkpoint();
  damageObjects(objects, lost);
  expect(p.run(['verify', '--deep']).stdout).toContain('Run `savepoint repair` now');
  expect(p.run(['repair']).stdout).toContain('lost in cp_1');
  const { stdout } = p.run(['verify', '--deep']);
  expect(stdout).not.toContain('now: it moves damaged parts aside');
  expect(stdout).toContain('but lacks these objects');
  const { status, stderr } = p.run(['restore', 'cp_1', '--yes']);
  expect(status).not.toBe(0);
  expect(stderr).toContain('2 paths cannot be written: the store lacks their contents.');
  expect(stderr).not.toContain('in the way');
  expect(stderr).toContain('`savepoint restore CP -- PATHS`');
  // As the text says.
  p.ok('restore', 'cp_1', '--yes', '--', 'c.txt');
  expect(readFileSync(p.at('c.txt'), 'utf8')).toContain('first of c.txt');
});

/** Changes the last bytes of these objects in their packs. */
function damageObjects(objects: string, ids: readonly string[]): void {
  const folder = join(objects, 'objects/pack');
  for (const index of readdirSync(folder).filter((name) => name.endsWith('.idx'))) {
    const pack = join(folder, index.replace(/idx$/, 'pack'));
    for (const line of git(folder, 'verify-pack', '-v', index).split('\n')) {
      const [id = '', , , size, offset] = line.split(/\s+/);
      if (!ids.includes(id)) continue;
      const bytes = readFileSync(pack);
      const end = Number(offset) + Number(size);
      for (let at = end - 4; at < end; at++) bytes[at] = bytes[at]! ^ 0x55;
      writeFileSync(pack, bytes);
    }
  }
}
