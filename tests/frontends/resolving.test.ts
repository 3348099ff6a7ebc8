import type { TreePath } from '@savepoint/core';
import { VERBS } from '@savepoint/core/frontend';
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
const said = (p: Project, ...args: string[]): string => p.run(args).stdout;

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

  it('a dry run returns on request the whole sides of a conflict, in parts, and the rest as a patch', async () => {
    const p = conflictingUndo();
    const savepoint = library(p);
    const { detail } = await savepoint.previewUndo({ detail: { patch: true, sides: [A, 'b.txt'] } });
    expect(detail?.patch?.text.toString()).toContain('--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-one\n+two\n');
    const [sides, ...others] = detail?.sides ?? [];
    expect(others).toEqual([]);
    expect([sides?.path, sides?.base, sides?.ours, sides?.theirs].map(String)).toEqual([
      'a.txt',
      'top\n\n\none\n\n\nend\n',
      'top\n\n\nmine\n\n\nend\n',
      'TOP\n\n\ntwo\n\n\nend\n',
    ]);
    const parts = sides?.parts?.map((part) =>
      part.kind === 'merged' ? `${part.content}` : [part.base, part.ours, part.theirs].map(String),
    );
    expect(parts).toEqual(['TOP\n\n\n', ['one\n', 'mine\n', 'two\n'], '\n\nend\n']);
    const json = await VERBS.undo.handle(savepoint, { dryRun: true, detail: { sides: [A] } }, {});
    expect(json.detail).toMatchObject({ patch: null, sides: [{ ours: 'top\n\n\nmine\n\n\nend\n' }] });
    expect((await savepoint.previewUndo()).detail).toBeUndefined();
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
    for (const [code, resolutions] of [
      ['CONFLICT', new Map([[A, other]])],
      ['USAGE', new Map([['b.txt' as TreePath, { content }]])],
    ] as const) {
      await expect(savepoint.undo({ resolutions })).rejects.toMatchObject({ code });
      await expect(savepoint.previewUndo({ resolutions })).rejects.toMatchObject({ code });
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

/** An agent changed a line of a.txt. Then a person changed lines of it. */
async function changedByBoth(now: string): Promise<Project> {
  const p = project();
  p.write('a.txt', LINES);
  p.write('b.txt', 'one\n');
  p.checkpoint();
  const session = library(p).session({ agent: 'mine', id: 's' });
  for (const [name, content] of [
    ['a.txt', LINES.replace('3', 'AGENT')],
    ['b.txt', 'AGENT\n'],
  ] as const) {
    await session.call({ tool: 'Write', kind: 'write', paths: [name] as never }, () => p.write(name, content));
  }
  p.write('a.txt', now);
  return p;
}

const LINES = '1\n2\n3\n4\n5\n';
const NEXT_TO_IT = '1\n2\nAGENT\nPERSON\n5\n';
const SAME_LINE = '1\n2\nPERSON\n4\nlater\n';

const ROLLBACK = ['rollback', '--session', 's', '--likely', '--yes'];
const KEEP_OUTSIDE = ['restore', 'cp_1', '--keep-outside', '--yes'];

/** The same conflict for undo: a rollback is to be undone, and a person then changed the lines. */
async function undoWithConflict(change: (text: string) => string): Promise<Project> {
  const p = await changedByBoth(LINES.replace('3', 'AGENT'));
  p.ok(...ROLLBACK);
  p.write('a.txt', change(p.read('a.txt')));
  return p;
}

describe('the text of a conflict', () => {
  it.each([
    ['rollback', ROLLBACK],
    ['restore --keep-outside', KEEP_OUTSIDE],
  ])('%s names the file, the author of the other lines and the ways on, without hashes', async (_, args) => {
    const p = await changedByBoth(NEXT_TO_IT);
    const failed = p.run(args);
    expect(failed.status).toBe(3);
    expect(failed.stderr).toContain('error: Conflict in 1 path: a.txt.');
    expect(failed.stderr).toContain('lines next to the ones to change were changed since from outside, after cp_3');
    const shown = p.run([...args.filter((arg) => arg !== '--yes'), '--dry-run']);
    expect(shown.status).toBe(3);
    for (const text of [failed.stderr, shown.stdout]) {
      for (const way of ['--skip-conflicts', '--ours PATH', '--theirs PATH', '--resolution'])
        expect(text).toContain(way);
      for (const side of ['<<<<<<< ours', '||||||| base', '>>>>>>> theirs']) expect(text).toContain(side);
      expect(text).not.toMatch(/\b[0-9a-f]{10,}\b/);
    }
    const [conflict] = JSON.parse(p.run([...args, '--dry-run', '--json']).stdout).plan.conflicts;
    expect(conflict.sides.ours.id).toMatch(/^[0-9a-f]{40}$/);
  });

  it('distinguishes the same lines, names agents, and says of contents that are not text what they are', async () => {
    const p = await changedByBoth(LINES.replace('3', 'AGENT'));
    const other = library(p).session({ agent: 'other', id: 't' });
    const write = (text: string) => () => p.write('a.txt', text);
    await other.call({ tool: 'Write', kind: 'write', paths: ['a.txt'] as never }, write(SAME_LINE));
    expect(p.run(ROLLBACK).stderr).toContain('a.txt: the same lines were changed since by other, in cp_4');
    p.write('a.txt', 'binary \0');
    expect(p.run([...ROLLBACK, '--dry-run']).stdout).toContain(
      'a.txt (it was changed since from outside, after cp_4, and by other, in cp_4 and cannot be merged by line)',
    );
    expect(p.run([...ROLLBACK, '--dry-run']).stdout).toContain('ours (the current state): a file');
  });

  it('a person who only deleted lines is named as well', async () => {
    const p = await changedByBoth('1\n2\n4\n5\n');
    expect(p.run(ROLLBACK).stderr).toContain('the same lines were changed since from outside, after cp_3');
  });
});

describe('--theirs', () => {
  it.each([ROLLBACK, KEEP_OUTSIDE])(
    '%s reverts the line, and keeps the line that a person changed next to it',
    async (...args) => {
      const p = await changedByBoth(NEXT_TO_IT);
      expect(said(p, ...args, '--theirs', 'a.txt')).not.toContain('loses');
      expect(p.read('a.txt')).toBe('1\n2\n3\nPERSON\n5\n');
      p.ok('undo');
      expect(p.read('a.txt')).toBe(NEXT_TO_IT);
    },
  );

  it.each([ROLLBACK, KEEP_OUTSIDE])(
    '%s says how many lines of whom it drops, and keeps all others',
    async (...args) => {
      const p = await changedByBoth(SAME_LINE);
      const loss = 'a.txt loses 1 line from outside (after cp_3), as requested.';
      const shown = said(p, ...args.filter((arg) => arg !== '--yes'), '--theirs', 'a.txt', '--dry-run');
      expect(shown).toContain(loss);
      expect(said(p, ...args, '--theirs', 'a.txt')).toMatch(
        /a\.txt loses 1 line from outside \((?:after cp_3|in cp_4)\), as requested\./,
      );
      expect(p.read('a.txt')).toBe('1\n2\n3\n4\nlater\n');
    },
  );

  it('a content that is not text is replaced, and its authors are named', async () => {
    const p = await changedByBoth('binary \0');
    const done = said(p, ...ROLLBACK, '--theirs', 'a.txt');
    expect(done).toMatch(
      /a\.txt loses its current content, which was changed from outside, (?:after cp_3|in cp_4), as requested\./,
    );
    expect(p.read('a.txt')).toBe(LINES);
  });

  it.each(['undo', 'redo'])('%s does the same', async (verb) => {
    for (const [change, wanted, loses] of [
      [(it: string) => it.replace('4', 'PERSON'), '4', false],
      [(it: string) => it.replace(/AGENT|3/, 'PERSON'), '3', true],
    ] as const) {
      const p = await undoWithConflict((it) => it);
      if (verb === 'redo') p.ok('undo');
      p.write('a.txt', change(p.read('a.txt')));
      expect(p.run([verb]).status).toBe(3);
      expect(p.run([verb]).stderr).toContain('--resolution');
      expect(said(p, verb, '--theirs', 'a.txt').includes('a.txt loses 1 line from outside')).toBe(loses);
      const back = verb === 'undo' ? LINES.replace('3', 'AGENT') : LINES;
      expect(p.read('a.txt')).toBe(loses ? back : back.replace(wanted, 'PERSON'));
    }
  });
});

describe('--ours', () => {
  it.each([ROLLBACK, KEEP_OUTSIDE])('%s keeps all lines of the conflict', async (...args) => {
    const p = await changedByBoth(NEXT_TO_IT);
    p.ok(...args, '--ours', 'a.txt');
    expect([p.read('a.txt'), p.read('b.txt')]).toEqual([NEXT_TO_IT, 'one\n']);
  });
});

describe('--resolution', () => {
  it.each([ROLLBACK, KEEP_OUTSIDE])('%s writes the bytes of a file that a person merged', async (...args) => {
    const p = await changedByBoth(SAME_LINE);
    p.write('merged.txt', Buffer.from('both \xff\n', 'latin1'));
    p.ok(...args, '--resolution', 'a.txt=merged.txt');
    expect([p.read('a.txt'), p.read('b.txt')]).toEqual(['both \xff\n', 'one\n']);
    p.ok('undo');
    expect([p.read('a.txt'), p.read('b.txt')]).toEqual([SAME_LINE, 'AGENT\n']);
  });

  it.each(['undo', 'redo'])('%s does the same', async (verb) => {
    const p = await undoWithConflict((it) => it);
    if (verb === 'redo') p.ok('undo');
    p.write('a.txt', 'mine\n');
    p.write('merged.txt', 'both\n');
    expect(said(p, verb, '--dry-run', '--resolution', 'a.txt=merged.txt')).toContain('(merged)');
    p.ok(verb, '--resolution', 'a.txt=merged.txt');
    expect(p.read('a.txt')).toBe('both\n');
  });

  it('is refused without a conflict, for a path that is named twice, and if the file cannot be read', async () => {
    const p = await changedByBoth(SAME_LINE);
    p.write('merged.txt', 'both\n');
    const failure = (...given: string[]) => {
      const { status, stderr } = p.run([...ROLLBACK, ...given]);
      return [status, stderr.split('\n')[0]];
    };
    expect(failure('--resolution', 'a.txt=merged.txt', '--resolution', 'b.txt=merged.txt')).toEqual([
      2,
      'error: There is a resolution for b.txt, but no conflict there.',
    ]);
    expect(failure('--resolution', 'a.txt=merged.txt', '--ours', 'a.txt')).toEqual([
      2,
      'error: There is more than one decision for a.txt.',
    ]);
    expect(failure('--resolution', 'a.txt')).toEqual([2, 'error: --resolution takes PATH=FILE, not "a.txt".']);
    expect(failure('--resolution', 'a.txt=none.txt')).toEqual([
      1,
      'error: Cannot read the resolution "none.txt": there is no such file (ENOENT).',
    ]);
    expect([p.read('a.txt'), p.read('b.txt')]).toEqual([SAME_LINE, 'AGENT\n']);
  });

  it('takes a quoted path that contains an equals sign', () => {
    const p = project();
    p.write('a=b', 'one\n');
    p.checkpoint();
    p.write('a=b', 'two\n');
    p.ok('restore', 'cp_1', '--yes');
    p.write('a=b', 'three\n');
    p.write('m=n', 'merged\n');
    p.ok('undo', '--resolution', '"a=b"=m=n');
    expect(p.read('a=b')).toBe('merged\n');
  });
});

it('an undo that keeps the only file does not say that the file already was in that state', () => {
  const p = project();
  p.write('a.txt', 'one\n');
  p.checkpoint();
  p.write('a.txt', 'two\n');
  p.ok('restore', 'cp_1', '--exact', '--yes');
  p.write('a.txt', 'mine\n');
  for (const choice of [['--ours', 'a.txt'], ['--skip-conflicts']]) {
    const preview = p.ok('undo', ...choice, '--dry-run').stdout;
    expect(preview).toContain('; no file would be changed');
    expect(preview).not.toContain('already');
  }
  const { stdout } = p.ok('undo', '--ours', 'a.txt');
  expect(stdout).toContain(': no file was changed  (now cp_');
  expect(p.read('a.txt')).toBe('mine\n');
});
