import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { open } from '@savepoint/core/node';
import { type Project, project } from '@savepoint/testkit/command';
import { describe, expect, it } from 'vitest';
import { onTerminal } from './pseudo-terminal.ts';

/** How people look at earlier states: patches, single files, and the list of checkpoints. */

function changed(): Project {
  const p = project();
  p.write('a.txt', 'one\n');
  p.checkpoint();
  p.write('a.txt', 'two\n');
  return p;
}

describe('diff', () => {
  it('lists paths in a pipe, and prints a patch on a terminal', async () => {
    const p = changed();
    const { stdout } = p.ok('diff');
    expect(stdout).toContain('changed  a.txt');
    expect(stdout).not.toContain('@@');
    const { screen, status } = await onTerminal(p, ['diff'], { env: { NO_COLOR: '1' } });
    expect(status).toBe(0);
    expect(screen).toContain('cp_1 → current files');
    expect(screen).toContain('-one');
    expect(screen).toContain('+two');
    expect((await onTerminal(p, ['diff', '--stat'])).screen).not.toContain('+two');
    expect((await onTerminal(p, ['diff', '--json'])).screen).toContain('"patch": null');
  });

  it('says that not the lines of all files were counted', () => {
    const p = changed();
    for (let i = 0; i < 300; i++) p.write(`${i}.txt`, 'one\n');
    expect(p.ok('diff', '--stat').stdout).toContain('301 paths, +300');
    expect(p.ok('diff', '--stat').stdout).toContain(' in 300 of them');
    p.checkpoint();
    expect(p.ok('show', 'last').stdout).toContain(' in 300 of them');
    expect(p.ok('diff', 'cp_1', '--', 'a.txt').stdout).not.toContain(' of them');
  });

  it('--name-only prints nothing but paths', () => {
    const p = changed();
    expect(p.ok('diff', '--name-only').stdout).toBe('a.txt\n');
    p.checkpoint();
    expect(p.ok('diff', '--name-only').stdout).toBe('');
    expect(p.run(['diff', '--name-only', '--stat']).status).toBe(2);
  });
});

describe('the pager', () => {
  const LOUD = "sed 's/^/paged: /'";

  it('is $SAVEPOINT_PAGER, else $PAGER', async () => {
    const p = changed();
    const both = await onTerminal(p, ['diff'], { env: { SAVEPOINT_PAGER: LOUD, PAGER: 'false' } });
    expect(both.screen).toContain('paged: ');
    expect(both.status).toBe(0);
    expect((await onTerminal(p, ['list'], { env: { PAGER: LOUD } })).screen).toContain('paged: ');
  });

  it('is less if the text is longer than the screen and less is installed', async () => {
    const p = changed();
    p.write('../bin/less', `#!/bin/sh\necho "less $*"\ncat\n`, 0o755);
    const env = { PATH: `${p.base}/bin:${process.env['PATH']}` };
    expect((await onTerminal(p, ['diff'], { env })).screen).not.toContain('less -FRX');
    p.write('a.txt', Array.from({ length: 100 }, (_, at) => `line ${at}\n`).join(''));
    expect((await onTerminal(p, ['diff'], { env })).screen).toContain('less -FRX');
    expect((await onTerminal(p, ['diff'], { env: { PATH: p.base } })).screen).toContain('line 99');
  });

  it('is not used in a pipe, for JSON, on a dumb terminal, and if it is empty', async () => {
    const p = changed();
    expect(p.run(['diff'], { env: { PAGER: LOUD } }).stdout).not.toContain('paged: ');
    for (const [args, env] of [
      [['diff', '--json'], { PAGER: LOUD }],
      [['diff'], { PAGER: LOUD, TERM: 'dumb' }],
      [['diff'], { PAGER: LOUD, SAVEPOINT_PAGER: '' }],
    ] as const) {
      const { screen } = await onTerminal(p, args, { env });
      expect(screen).toContain('a.txt');
      expect(screen).not.toContain('paged: ');
    }
  });

  it('a pager that cannot be started hides nothing, and one that ends early is no error', async () => {
    const p = changed();
    const missing = await onTerminal(p, ['diff'], { env: { PAGER: '/nonexistent/pager' } });
    expect(missing.status).toBe(0);
    expect(missing.screen).toContain('two');
    p.write('long.txt', 'x\n'.repeat(100_000));
    expect((await onTerminal(p, ['diff'], { env: { PAGER: 'true' } })).status).toBe(0);
  });

  it('receives escaped names and contents', async () => {
    const p = changed();
    p.write('a.txt', 'evil \u001b]0;title\u0007 \u202e text\n');
    p.write('b\u001b[31m.txt', 'x\n');
    const env = { PAGER: 'cat -v', NO_COLOR: '1' };
    const { screen } = await onTerminal(p, ['diff'], { env });
    expect(screen).toContain('evil \\x1b]0;title\\x07 \\u{202e} text');
    expect(screen).not.toContain('^[');
  });
});

describe('show', () => {
  it('--patch prints the changes since the previous checkpoint', () => {
    const p = changed();
    const id = p.checkpoint();
    expect(p.ok('show', id, '--patch').stdout).toContain('-one\n+two\n');
    expect(JSON.parse(p.ok('show', id, '--patch', '--json').stdout).patch.text).toContain('+two');
    expect(JSON.parse(p.ok('show', id, '--json').stdout).patch).toBe(null);
    expect(p.ok('show', 'cp_1', '--patch').stdout).not.toContain('diff --git');
  });

  it('CP:PATH prints the bytes of a file, like cat', () => {
    const p = changed();
    p.write('sub/b.txt', 'b\n');
    const id = p.checkpoint();
    expect(p.ok('show', 'cp_1:a.txt').stdout).toBe('one\n');
    expect(p.run(['show', `${id}:b.txt`], { cwd: p.at('sub') }).stdout).toBe('b\n');
    const soon = `@{${new Date().getUTCFullYear() + 1}-01-31 12:00}`;
    expect(p.ok('show', `${soon}:a.txt`).stdout).toBe('two\n');
    expect(p.ok('cat', 'cp_1', '--', 'a.txt').stdout).toBe('one\n');
  });
});

describe('cat', () => {
  it('gives every byte, or a range of them, as text or base64', () => {
    const p = project();
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, at) => at));
    p.write('all.bin', bytes);
    p.write('text.txt', 'grüße\n');
    symlinkSync('text.txt', p.at('link'));
    p.checkpoint();
    p.delete('all.bin');
    const json = (file: string, ...args: readonly string[]) =>
      JSON.parse(p.ok('cat', 'last', '--json', ...args, '--', file).stdout);
    expect(json('all.bin')).toMatchObject({ size: 256, offset: 0, length: 256, more: false, kind: 'file' });
    expect(Buffer.from(json('all.bin').content.b64, 'base64')).toEqual(bytes);
    expect(json('text.txt').content).toBe('grüße\n');
    expect(json('text.txt', '--offset', '1', '--length', '1')).toMatchObject({ content: 'r', more: true, length: 1 });
    // A range may cut a character in two.
    expect(json('text.txt', '--length', '3').content).toEqual({
      b64: Buffer.from('gr\xc3', 'latin1').toString('base64'),
    });
    expect(json('text.txt', '--offset', '999')).toMatchObject({ content: '', length: 0, more: false });
    expect(json('link')).toMatchObject({ kind: 'link', content: 'text.txt' });
    expect(p.ok('cat', 'last', '--offset', '240', '--length', '4', '--', 'text.txt').stdout).toBe('');
  });

  it('prints a file that is longer than one answer', () => {
    const p = project();
    p.write('long.txt', 'a'.repeat(17 * 1024 * 1024));
    p.checkpoint();
    expect(p.ok('cat', 'last', '--', 'long.txt').stdout).toHaveLength(17 * 1024 * 1024);
    expect(JSON.parse(p.ok('cat', 'last', '--json', '--', 'long.txt').stdout)).toMatchObject({ length: 1024 * 1024 });
  });

  it('prints a file of a plan, and as it is now', () => {
    const p = changed();
    p.write(
      '../plan.json',
      JSON.stringify({ files: [{ file_path: 'a.txt', edits: [{ op: 'write', content: 'three\n' }] }] }),
    );
    const { id } = JSON.parse(p.ok('plan', 'new', '../plan.json', '-m', 'Count on', '--json').stdout);
    expect(p.ok('cat', '--plan', id, '--', 'a.txt').stdout).toBe('three\n');
    expect(p.ok('cat', '--plan', 'last', '--state', 'base', '--', 'a.txt').stdout).toBe('two\n');
    p.write('a.txt', 'four\n');
    p.write('sub/long.txt', 'a'.repeat(17 * 1024 * 1024));
    expect(p.ok('cat', '--', 'a.txt').stdout).toBe('four\n');
    expect(p.run(['cat', '--', 'long.txt'], { cwd: p.at('sub') }).stdout).toHaveLength(17 * 1024 * 1024);
    expect(JSON.parse(p.ok('cat', '--json', '--', 'a.txt').stdout)).toMatchObject({ checkpoint: null, plan: null });
    const shown = JSON.parse(p.ok('cat', '--json', '--plan', id, '--state', 'selected', '--', 'a.txt').stdout);
    expect(shown).toMatchObject({ checkpoint: null, plan: { id, state: 'selected', revision: 1 }, content: 'three\n' });
  });

  it.each([
    [['cat', '--', 'none.txt'], 1, 'none.txt is not in the folder as it is now'],
    [['cat', '--plan', 'last', '--', 'sub/b.txt'], 1, 'There is no plan "last"'],
    [['cat', 'last', '--plan', 'last', '--', 'sub/b.txt'], 2, 'either a checkpoint or a plan'],
    [['cat', '--state', 'base', '--', 'sub/b.txt'], 2, '`state` needs a plan'],
    [['cat', '--plan', 'last', '--state', 'best', '--', 'sub/b.txt'], 2, 'best'],
    [['cat', 'last', '--', 'none.txt'], 1, 'none.txt is not in cp_1'],
    [['cat', 'last', '--', 'sub'], 1, 'sub is a folder in cp_1'],
    [['cat', 'last'], 2, 'exactly one path'],
    [['cat', 'last', '--offset', '-1', '--', 'sub/b.txt'], 2, '--offset needs a number'],
    [['show', 'last:none.txt'], 1, 'none.txt is not in cp_1'],
  ])('%s fails', (args, status, text) => {
    const p = project();
    p.write('sub/b.txt', 'b\n');
    p.checkpoint();
    const outcome = p.run(args);
    expect(outcome.status).toBe(status);
    expect(outcome.stderr).toContain(text);
  });
});

describe('list', () => {
  it('shows the age and the actor of each checkpoint; log is the same', async () => {
    const p = changed();
    await open({ dir: p.dir, home: p.store }).session({ agent: 'claude', id: 's' }).start();
    const { stdout } = p.ok('list');
    expect(stdout).toMatch(/^cp_2 {2}\d+ s ago +session {3}outside {2}session of claude started {2}\[here\]$/m);
    expect(stdout).toMatch(/^cp_1 {2}\d+ s ago +manual {4}user {4}/m);
    expect(p.ok('log').stdout.replaceAll(/\d+ s/g, '')).toBe(stdout.replaceAll(/\d+ s/g, ''));
    expect(p.ok('list', '--absolute-time').stdout).toMatch(/^cp_1 {2}\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}manual/m);
    expect(JSON.parse(p.ok('log', '--json').stdout).checkpoints[0].time).toMatch(/^\d{4}-.*Z$/);
  });
});

describe('test-result', () => {
  it('is shown by list, show and status, and does not change the checkpoint', () => {
    const p = changed();
    const { commit } = JSON.parse(p.ok('show', 'cp_1', '--json').stdout);
    expect(p.ok('test-result', 'cp_1', 'fail').stdout).toContain('[tests fail]');
    expect(p.ok('list').stdout).toContain('[tests fail]');
    expect(p.ok('status').stdout).toContain('[tests fail]');
    expect(JSON.parse(p.ok('list', '--json').stdout).checkpoints[0].testResult).toBe('fail');
    expect(JSON.parse(p.ok('show', 'cp_1', '--json').stdout)).toMatchObject({ commit, testResult: 'fail' });
    p.ok('test-result', 'cp_1', 'pass');
    expect(JSON.parse(p.ok('show', 'cp_1', '--json').stdout).testResult).toBe('pass');
    p.ok('test-result', 'cp_1', 'none');
    expect(JSON.parse(p.ok('show', 'cp_1', '--json').stdout).testResult).toBe(null);
    expect(p.run(['test-result', 'cp_1', 'green']).status).toBe(2);
    expect(p.run(['test-result', 'cp_9', 'pass']).status).toBe(1);
  });

  it('a damaged file of results hides nothing else, and is not overwritten', () => {
    const p = changed();
    p.ok('test-result', 'cp_1', 'fail');
    const file = path.join(JSON.parse(p.ok('status', '--json').stdout).workspace.store, 'test-results.json');
    writeFileSync(file, '{"format":1,"results":{"cp_1":"gree');
    const { status, stdout, stderr } = p.run(['list']);
    expect([status, stdout, stderr]).toEqual([
      0,
      expect.stringContaining('cp_1'),
      expect.stringContaining('test-results.json cannot be read'),
    ]);
    expect(p.run(['test-result', 'cp_1', 'pass']).stderr).toContain('Delete the file');
    expect(readFileSync(file, 'utf8')).toContain('gree');
  });
});
