import { existsSync } from 'node:fs';
import { type Project, project, watchCalls, workingFiles } from '@savepoint/testkit/command';
import { expect, it } from 'vitest';
import { onTerminal } from './pseudo-terminal.ts';

interface Listed {
  readonly id: string;
  readonly path: string;
  readonly store: string;
  readonly bytes: number;
}

const listed = (p: Project): readonly Listed[] => JSON.parse(p.ok('workspaces', '--json').stdout).workspaces;

function captured(): Project {
  const p = project();
  p.write('a.txt', 'a\n');
  p.checkpoint();
  return p;
}

it('workspaces shows the size of each store', () => {
  const p = captured();
  const [only] = listed(p);
  expect(only?.bytes).toBeGreaterThan(0);
  expect(p.ok('workspaces').stdout).toMatch(/ {2}[\d.]+ (?:bytes|KB|MB) {2}\S+project$/m);
});

it('workspaces delete removes one store, after a confirmation, and no file of the workspace', async () => {
  const p = captured();
  const [{ id, store, path }] = listed(p) as [Listed];
  const before = workingFiles(p.dir);
  const refused = p.run(['workspaces', 'delete', path, '--json']);
  expect(refused.status).toBe(1);
  expect(JSON.parse(refused.stderr).error.code).toBe('NEEDS_CONFIRMATION');
  expect(p.ok('workspaces', 'delete', '.', '--dry-run').stdout).toContain(`would delete all checkpoints of ${path}`);
  const no = await onTerminal(p, ['workspaces', 'delete', id], { typed: [[/\[y\/N\] /, 'n\r']] });
  expect(no.status).toBe(1);
  expect(listed(p)).toHaveLength(1);
  expect(p.ok('workspaces', 'delete', id.slice(0, 8), '--yes').stdout).toContain(`Deleted all checkpoints of ${path}`);
  expect(existsSync(store)).toBe(false);
  expect(listed(p)).toEqual([]);
  expect(workingFiles(p.dir)).toEqual(before);
  expect(p.checkpoint()).toBe('cp_1');
});

it('workspaces delete refuses while an operation is unfinished, and for an unknown workspace', () => {
  const p = captured();
  p.write('a.txt', 'b\n');
  const killed = p.run(
    ['restore', 'last', '--yes'],
    watchCalls({ below: p.dir, calls: ['renameSync'], nth: 1, action: { kill: true } }),
  );
  expect(killed.signal).toBe('SIGKILL');
  const { status, stderr } = p.run(['workspaces', 'delete', '.', '--yes']);
  expect([status, stderr]).toEqual([4, expect.stringContaining('savepoint recover')]);
  expect(listed(p)).toHaveLength(1);
  p.ok('recover');
  expect(p.run(['workspaces', 'delete', 'none', '--yes']).status).toBe(1);
  p.ok('workspaces', 'delete', '.', '--yes');
});
