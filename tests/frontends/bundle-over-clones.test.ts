import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Project, project } from '@savepoint/testkit/command';
import { describe, expect, it } from 'vitest';

/** `bundle restore` over a clone of the bundle's repository: the preview, the confirmation, and undo. */

function withClone(): Project {
  const p = project();
  p.write('a.txt', 'one\n');
  p.git('init', '-q', '-b', 'main');
  p.git('add', '.');
  p.git('commit', '-q', '-m', 'first');
  p.git('clone', '-q', '.', '../clone');
  p.write('a.txt', 'two\n');
  p.checkpoint();
  p.ok('bundle', 'create', '../work.bundle');
  return p;
}

/** Takes a checkpoint in the clone and removes its ref, as if it had not been published. @returns the folder of the store */
function cloneWithUnpublishedStore(p: Project): {
  readonly stores: string;
  readonly made: string;
  readonly count: number;
} {
  const stores = join(p.store, 'workspaces');
  const before = readdirSync(stores);
  p.ok('-C', '../clone', 'checkpoint');
  const made = join(stores, readdirSync(stores).find((id) => !before.includes(id)) as string);
  rmSync(join(made, 'objects.git', 'refs', 'savepoint', 'cp', '1'));
  return { stores, made, count: before.length + 1 };
}

const RESTORE = ['bundle', 'restore', '../work.bundle', '../clone'] as const;

describe('bundle restore over a clone', () => {
  it('shows a preview, asks, restores and can be undone', () => {
    const p = withClone();
    const preview = p.run([...RESTORE, '--dry-run']);
    expect(preview.status, preview.stderr).toBe(0);
    expect(preview.stdout).toContain('would add 1 checkpoint, restore cp_1 over 1 clone');
    expect(preview.stdout).toContain('a.txt');
    const asked = p.run([...RESTORE, '--json']);
    expect(asked.status).not.toBe(0);
    expect(JSON.parse(asked.stderr || asked.stdout)).toMatchObject({ error: { code: 'NEEDS_CONFIRMATION' } });
    expect(p.read('../clone/a.txt')).toBe('one\n');
    expect(p.ok(...RESTORE, '--yes').stdout).toContain('added 1 checkpoint, restored cp_1 over 1 clone');
    expect(p.read('../clone/a.txt')).toBe('two\n');
    p.ok('-C', '../clone', 'undo');
    expect(p.read('../clone/a.txt')).toBe('one\n');
  });

  it('says that later bundles cannot be restored there, and how to restore them', () => {
    const p = withClone();
    const says = 'A later bundle of this timeline (--since) cannot be restored in this folder';
    expect(p.run([...RESTORE, '--dry-run']).stdout).toContain(says);
    expect(p.ok(...RESTORE, '--yes').stdout).toContain(says);
    p.write('a.txt', 'three\n');
    p.checkpoint();
    p.ok('bundle', 'create', '../later.bundle', '--since', 'cp_1');
    const { status, stderr } = p.run(['bundle', 'restore', '../later.bundle', '../clone']);
    expect([status, stderr]).toEqual([3, expect.stringContaining('after the bundles that it continues')]);
    expect(p.read('../clone/a.txt')).toBe('two\n');
    for (const name of ['work', 'later']) p.ok('bundle', 'restore', `../${name}.bundle`, '../empty');
    expect(p.read('../empty/a.txt')).toBe('three\n');
  });

  it('treats a store without checkpoints, which a killed restore leaves, as none', () => {
    const p = withClone();
    const { stores, count } = cloneWithUnpublishedStore(p);
    p.write('../clone/a.txt', 'mine\n');
    const preview = p.run([...RESTORE, '--dry-run']);
    expect(preview.stdout, preview.stderr).toContain('would add 1 checkpoint, restore cp_1 over 1 clone');
    expect(p.ok(...RESTORE, '--yes').stdout).toContain('added 1 checkpoint, restored cp_1 over 1 clone');
    expect(p.read('../clone/a.txt')).toBe('two\n');
    p.ok('-C', '../clone', 'undo');
    expect(p.read('../clone/a.txt')).toBe('mine\n');
    expect(readdirSync(stores)).toHaveLength(count);
  });

  it('does not take a store whose refs cannot be read for one without checkpoints', () => {
    const p = withClone();
    const { made } = cloneWithUnpublishedStore(p);
    writeFileSync(join(made, 'objects.git', 'packed-refs'), 'garbage\n');
    for (const more of ['--dry-run', '--yes']) {
      const { status, stderr } = p.run([...RESTORE, more]);
      expect([status, stderr]).toEqual([1, expect.stringMatching(/packed-refs/)]);
    }
    expect(p.read('../clone/a.txt')).toBe('one\n');
  });

  it('refuses a folder that has something else, with --yes as well', () => {
    const p = withClone();
    p.write('../other/a.txt', 'mine\n');
    for (const more of [[], ['--yes']]) {
      const { status, stderr } = p.run(['bundle', 'restore', '../work.bundle', '../other', ...more]);
      expect(status).toBe(1);
      expect(stderr).toContain('is not a repository');
    }
    expect(p.read('../other/a.txt')).toBe('mine\n');
  });
});
