/** The review of a plan on a real terminal. */
import { type Project, project } from '@savepoint/testkit/command';
import { describe, expect, it } from 'vitest';
import { HostedTerminal, type TerminalStart } from './hosted-terminal.ts';

const ENTER = '\r';
const LINES = Array.from({ length: 40 }, (_, index) => `line ${index + 1}`);
const text = (changed: Readonly<Record<number, string>>): string =>
  LINES.map((line, index) => `${changed[index + 1] ?? line}\n`).join('');

function planned(more: readonly unknown[] = []): { readonly p: Project; readonly id: string } {
  const p = project();
  p.write('a.txt', text({}));
  p.write('wide.txt', 'x\n');
  const edit = (file_path: string, ...edits: readonly unknown[]) => ({ file_path, edits });
  const files = [
    edit('a.txt', { old_string: 'line 2\n', new_string: 'two\n' }, { old_string: 'line 38\n', new_string: 'LAST\n' }),
    edit('new.txt', { op: 'create', content: 'hello\x1b[2Jthere\n' }),
    edit('wide.txt', { op: 'write', content: `${'漢字'.repeat(60)}END\n` }),
    ...more,
  ];
  p.write('../edits.json', JSON.stringify({ files }));
  const { id } = JSON.parse(p.ok('plan', 'new', '../edits.json', '-m', 'Spell the numbers\x1b[31m', '--json').stdout);
  return { p, id };
}

function review(p: Project, id: string, start: TerminalStart = {}): HostedTerminal {
  return new HostedTerminal(p, `exec $SAVEPOINT_COMMAND plan review ${id}`, start);
}

const shown = (p: Project, id: string) => JSON.parse(p.ok('plan', 'show', id, '--json').stdout);

it('`plan show` names the hunks, and the list counts what is not rejected', () => {
  const { p, id } = planned();
  const whole = p.ok('plan', 'show', id).stdout;
  expect(whole).toContain('  3 paths, +4 −3  ');
  expect(whole).toMatch(/ a\.txt:1 {2}@@ -1,5 \+1,5 @@\n +a\.txt:2 {2}@@ -35,6 \+35,6 @@\n/);
  p.ok('plan', 'review', id, '--reject', 'a.txt:2', 'wide.txt');
  expect(p.ok('plan', 'show', id).stdout).toMatch(/ a\.txt:2 {2}@@ -35,6 \+35,6 @@ {2}rejected\n/);
  expect(p.ok('plan', 'list').stdout).toContain('  2 of 3 paths, +2 −1  ');
});

describe('the review on a terminal', () => {
  it('goes from the plan through every hunk to what would be applied, and approves exactly that', async () => {
    const { p, id } = planned();
    const terminal = review(p, id);
    const first = await terminal.displays(/q quit/);
    expect(first.screen).toMatch(/Plan plan_\w{8}[\s\S]*Spell the numbers[\s\S]*pending, revision 1, by user/);
    expect(first.screen).toMatch(/changed +a\.txt +\+2 −2 +open[\s\S]*new +new\.txt/);
    terminal.type('g');
    await terminal.displays(
      /a\.txt {2}changed[\s\S]*file 1 of 3[\s\S]*▌@@ -1,5 \+1,5 @@ {2}\[open\][\s\S]*2 -line 2 *\n[\s\S]*2 \+two/,
    );
    terminal.type('a');
    await terminal.displays(/▌@@ -35,6 \+35,6 @@/);
    terminal.type('b');
    await terminal.displays(/▌@@ -1,5 \+1,5 @@ {2}\[accepted\]/);
    terminal.type('sr');
    // The file that is new has no hunks of its own, and its contents cannot steer the terminal.
    await terminal.displays(
      /new\.txt {2}new[\s\S]*▌new {2}\[open\][\s\S]*\+hello\\x1b\[2Jthere|\+hello.{1,6}\[2Jthere/,
    );
    terminal.type('n');
    // A line that is too long is wrapped, so that all of it is visible.
    await terminal.displays(/wide\.txt[\s\S]*漢[\s\S]*字END/);
    terminal.type('R');
    const last = await terminal.displays(/What plan_\w{8} would apply/);
    expect(last.screen).toMatch(
      /Applied would be 2 changes:[\s\S]*a\.txt.*partly[\s\S]*new\.txt.*open[\s\S]*1 of these without[\s\S]*1 of these are not decided[\s\S]*Left out: 1 change:[\s\S]*wide\.txt.*rejected/,
    );
    terminal.type('a');
    expect(await terminal.exited).toEqual({ status: 0, signal: 0 });
    const after = await terminal.emulated();
    expect([after.isAlternate, after.isCursorHidden]).toEqual([false, false]);
    expect(after.screen).toContain(`savepoint plan apply ${id}`);
    expect(shown(p, id)).toMatchObject({ status: 'approved', rejected: 2 });
    p.ok('plan', 'apply', id, '--yes');
    expect(p.read('a.txt')).toBe(text({ 2: 'two' }));
    expect(p.read('wide.txt')).toBe('x\n');
  });

  it('keeps what was decided when it is left, also by Ctrl-C, and starts there again', async () => {
    const { p, id } = planned();
    const terminal = review(p, id);
    await terminal.displays(/q quit/);
    terminal.type('g');
    await terminal.displays(/file 1 of 3/);
    terminal.type('r\x03');
    await terminal.displays(/would apply/);
    terminal.type('\x03');
    expect(await terminal.exited).toEqual({ status: 0, signal: 0 });
    expect(shown(p, id)).toMatchObject({
      status: 'pending',
      changes: [{ hunks: [{ accepted: false }, { accepted: null }] }, {}, {}],
    });
    const again = review(p, id);
    await again.displays(/a\.txt.*partly/);
    again.type('q');
    expect(await again.exited).toEqual({ status: 0, signal: 0 });
  });

  it('takes words for the author, and cancels', async () => {
    const { p, id } = planned();
    const terminal = review(p, id);
    await terminal.displays(/q quit/);
    terminal.type('v');
    await terminal.displays(/What is to be changed\?/);
    terminal.type(`Spell 38 tooo\x7f${ENTER}`);
    await terminal.displays(/user about revision 1: Spell 38 too *\n/);
    terminal.type('x');
    expect(await terminal.exited).toEqual({ status: 0, signal: 0 });
    expect(shown(p, id)).toMatchObject({ status: 'cancelled', words: [{ text: 'Spell 38 too', revision: 1 }] });
  });

  it('records no decision about a plan that was revised meanwhile', async () => {
    const { p, id } = planned();
    const terminal = review(p, id);
    await terminal.displays(/q quit/);
    terminal.type('g');
    await terminal.displays(/file 1 of 3/);
    terminal.type('rq');
    await terminal.displays(/would apply/);
    p.write(
      '../other.json',
      JSON.stringify({ files: [{ file_path: 'a.txt', edits: [{ old_string: 'line 9\n', new_string: 'nine\n' }] }] }),
    );
    p.ok('plan', 'revise', id, '../other.json');
    terminal.type('a');
    await terminal.displays(/That did not work[\s\S]*has changed since/);
    terminal.type('p');
    await terminal.displays(/revision 2[\s\S]*a\.txt +\+1 −1 +open/);
    terminal.type('q');
    expect(await terminal.exited).toEqual({ status: 0, signal: 0 });
    expect(shown(p, id)).toMatchObject({ status: 'pending', rejected: 0 });
  });

  it('fits narrow terminals, follows a resize, and works without colours', async () => {
    const { p, id } = planned();
    const terminal = review(p, id, { columns: 30, rows: 10, env: { NO_COLOR: '1' } });
    await terminal.displays(/Plan plan_/);
    terminal.type('g');
    await terminal.displays(/▌@@ -1,5 \+1,5 @@[\s\S]*a r s n b/);
    terminal.resize(80, 20);
    await terminal.displays(/▌@@ -1,5 \+1,5 @@[\s\S]*next file/);
    expect(terminal.text).not.toMatch(/\x1b\[3\dm/);
    terminal.type('qq');
    expect(await terminal.exited).toEqual({ status: 0, signal: 0 });
  });
});
