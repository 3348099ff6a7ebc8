import type { TreePath } from '@savepoint/core';
import { open } from '@savepoint/core/node';
import { type Project, project } from '@savepoint/testkit/command';
import { describe, expect, it } from 'vitest';

/** A person resolves the conflicts of an operation: by side, by merged contents, or by leaving them out. */

/** A restore changed a.txt and b.txt, and the user then changed the same line of a.txt. */
function conflictingUndo(): Project {
  const p = project();
  p.write('a.txt', 'top\n\n\none\n\n\nend\n');
  p.write('b.txt', 'one\n');
  p.checkpoint();
  p.write('a.txt', 'TOP\n\n\ntwo\n\n\nend\n');
  p.write('b.txt', 'two\n');
  p.ok('restore', 'cp_1', '--yes');
  p.write('a.txt', 'top\n\n\nmine\n\n\nend\n');
  return p;
}

const library = (p: Project) => open({ dir: p.dir, home: p.store });
const A = 'a.txt' as TreePath;

describe('undo', () => {
  it('a dry run shows the three sides of each conflict and exits with 3; nothing changes', () => {
    const p = conflictingUndo();
    const { status, stdout } = p.run(['undo', '--dry-run']);
    expect(status).toBe(3);
    for (const text of ['<<<<<<< ours', 'mine', '||||||| base', 'one', '>>>>>>> theirs', 'two']) {
      expect(stdout).toContain(text);
    }
    const json = p.run(['undo', '--dry-run', '--json']);
    expect(json.status).toBe(3);
    const [conflict] = JSON.parse(json.stdout).plan.conflicts;
    expect(conflict).toMatchObject({ path: 'a.txt', sides: { base: {}, ours: {}, theirs: {} } });
    expect(p.run(['undo']).status).toBe(3);
    expect(p.run(['undo']).stderr).toContain('--skip-conflicts');
    expect([p.read('a.txt'), p.read('b.txt')]).toEqual(['top\n\n\nmine\n\n\nend\n', 'one\n']);
  });

  it.each([
    [['--ours', 'a.txt'], 'TOP\n\n\nmine\n\n\nend\n'],
    [['--theirs', 'a.txt'], 'TOP\n\n\ntwo\n\n\nend\n'],
    [['--skip-conflicts'], 'top\n\n\nmine\n\n\nend\n'],
  ])('%s', (options, wanted) => {
    const p = conflictingUndo();
    p.ok('undo', ...options);
    expect([p.read('a.txt'), p.read('b.txt')]).toEqual([wanted, 'two\n']);
    p.ok('redo');
    expect([p.read('a.txt'), p.read('b.txt')]).toEqual(['top\n\n\nmine\n\n\nend\n', 'one\n']);
  });

  it('takes contents that a person merged, and can be undone byte for byte', async () => {
    const p = conflictingUndo();
    const savepoint = library(p);
    const { plan } = await savepoint.previewUndo();
    const ours = plan.conflicts[0]?.sides?.ours;
    const resolutions = new Map([
      [A, { content: Buffer.from('mine \xff and two\n', 'latin1'), ours: ours?.kind === 'file' ? ours.id : '' }],
    ]);
    const seen = await savepoint.previewUndo({ resolutions });
    expect(seen.plan.conflicts).toEqual([]);
    await savepoint.undo({ resolutions, expected: seen.fingerprint });
    expect([p.read('a.txt'), p.read('b.txt')]).toEqual(['mine \xff and two\n', 'two\n']);
    p.ok('redo');
    expect([p.read('a.txt'), p.read('b.txt')]).toEqual(['top\n\n\nmine\n\n\nend\n', 'one\n']);
  });

  it('a resolution for a path that is not in conflict, or of another file, changes nothing', async () => {
    const p = conflictingUndo();
    const savepoint = library(p);
    const content = Buffer.from('merged\n');
    const other = { content, ours: '0'.repeat(40) };
    for (const resolutions of [new Map([[A, other]]), new Map([['b.txt' as TreePath, { content }]])]) {
      await expect(savepoint.undo({ resolutions })).rejects.toMatchObject({ code: 'CONFLICT' });
      await expect(savepoint.previewUndo({ resolutions })).rejects.toMatchObject({ code: 'CONFLICT' });
    }
    expect([p.read('a.txt'), p.read('b.txt')]).toEqual(['top\n\n\nmine\n\n\nend\n', 'one\n']);
  });

  it('redo takes them as well', async () => {
    const p = conflictingUndo();
    p.ok('undo', '--theirs', 'a.txt');
    p.write('a.txt', 'top\n\n\nagain mine\n\n\nend\n');
    expect(p.run(['redo', '--dry-run']).status).toBe(3);
    await library(p).redo({ resolutions: new Map([[A, { content: Buffer.from('by hand\n') }]]) });
    expect(p.read('a.txt')).toBe('by hand\n');
  });
});

describe('restore --keep-outside and rollback', () => {
  async function conflicting(): Promise<Project> {
    const p = project();
    p.write('a.txt', 'one\n');
    p.write('b.txt', 'one\n');
    p.checkpoint();
    const session = library(p).session({ agent: 'mine', id: 's' });
    for (const name of ['a.txt', 'b.txt']) {
      await session.call({ tool: 'Write', kind: 'write', paths: [name] as never }, () => p.write(name, 'agent\n'));
    }
    p.write('a.txt', 'user\n');
    return p;
  }

  it.each([
    [['--ours', 'a.txt'], 'user\n'],
    [['--theirs', 'a.txt'], 'one\n'],
    [['--skip-conflicts'], 'user\n'],
  ])('restore --keep-outside %s', async (options, wanted) => {
    const p = await conflicting();
    const args = ['restore', 'cp_1', '--keep-outside'];
    expect(p.run([...args, '--yes']).status).toBe(3);
    expect(p.run([...args, '--dry-run']).status).toBe(3);
    p.ok(...args, '--yes', ...options);
    expect([p.read('a.txt'), p.read('b.txt')]).toEqual([wanted, 'one\n']);
  });

  it('take contents that a person merged', async () => {
    const resolutions = new Map([[A, { content: Buffer.from('both\n') }]]);
    const restored = await conflicting();
    await library(restored).restore('cp_1', { mode: 'keep-outside', resolutions });
    expect([restored.read('a.txt'), restored.read('b.txt')]).toEqual(['both\n', 'one\n']);
    const rolled = await conflicting();
    expect(rolled.run(['rollback', '--session', 's', '--likely', '--dry-run']).status).toBe(3);
    const options = { least: 'likely', resolutions, skipConflicts: true } as const;
    const { details, checkpoint } = await library(rolled).rollback({ session: 's' }, options);
    expect([rolled.read('a.txt'), rolled.read('b.txt')]).toEqual(['both\n', 'one\n']);
    expect(details.results.map(({ path, result }) => [path, result])).toEqual([
      ['a.txt', 'merged'],
      ['b.txt', 'restored'],
    ]);
    expect(checkpoint?.rolledBack).toHaveLength(2);
  });

  it('a path may be resolved in one way only', async () => {
    const p = await conflicting();
    const { status, stderr } = p.run(['undo', '--ours', 'a.txt', '--theirs', 'a.txt']);
    expect([status, stderr]).toEqual([2, expect.stringContaining('--ours and --theirs')]);
  });
});
