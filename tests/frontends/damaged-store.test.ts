import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { open } from '@savepoint/core/node';
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
