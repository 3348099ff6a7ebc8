/** The review of a plan on a real terminal. */
import { type Project, project } from '@savepoint/testkit/command';
import { describe, expect, it } from 'vitest';
import { HostedTerminal, type TerminalStart } from './hosted-terminal.ts';
import { approvePlan } from './plan-approval.ts';

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

it('a plan that was rolled back is approved again with the fingerprint that `plan show` prints', () => {
  const { p, id } = planned();
  approvePlan(p, id);
  p.ok('plan', 'apply', id, '--yes');
  p.ok('plan', 'rollback', id, '--yes');
  const [, fingerprint = ''] = /^ {2}fingerprint (\w+)$/m.exec(p.ok('plan', 'show', id).stdout) ?? [];
  p.ok('plan', 'review', id, '--approve', fingerprint);
  expect(shown(p, id).status).toBe('approved');
});

describe('the review on a terminal', () => {
  it('goes from the plan through every hunk to what would be applied, and approves exactly that', async () => {
    const { p, id } = planned();
    const terminal = review(p, id);
    const first = await terminal.displays(/q quit/);
    expect(first.screen).toMatch(/Plan plan_\w{8}[\s\S]*Spell the numbers[\s\S]*pending, revision 1, by user/);
    expect(first.screen).toMatch(/open +changed +a\.txt +\+2 −2[\s\S]*open +new +new\.txt/);
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
      /To be applied: 2 of 3 paths, \+2 −1[\s\S]*1 change in part: rejected hunks[\s\S]*1 change not decided[\s\S]*Left out: 1 change[\s\S]*rejected +changed +wide\.txt[\s\S]*partly +changed +a\.txt.* as proposed[\s\S]*open +new +new\.txt(?! +\S* +as proposed)/,
    );
    terminal.type('y');
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
    await again.displays(/partly.*a\.txt/);
    again.type('q');
    expect(await again.exited).toEqual({ status: 0, signal: 0 });
  });

  it('takes words for the author, and cancels', async () => {
    const { p, id } = planned();
    const terminal = review(p, id);
    await terminal.displays(/q quit/);
    terminal.type('v');
    await terminal.displays(/What should its author change\?/);
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
    terminal.type('y');
    await terminal.displays(/That did not work[\s\S]*has changed since/);
    terminal.type('p');
    await terminal.displays(/revision 2[\s\S]*open +changed +a\.txt +\+1 −1/);
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

  it('loses no decision when it is killed', async () => {
    const { p, id } = planned();
    const terminal = review(p, id);
    await terminal.displays(/q quit/);
    terminal.type('g');
    await terminal.displays(/▌@@ -1,5/);
    terminal.type('r');
    await terminal.displays(/@@ -1,5 \+1,5 @@ {2}\[rejected\]/);
    process.kill(terminal.pid, 'SIGKILL');
    await terminal.exited;
    expect(shown(p, id).changes[0].hunks).toMatchObject([{ accepted: false }, { accepted: null }]);
    // The next review goes on where this one ended.
    const again = review(p, id);
    await again.displays(/q quit/);
    again.type('g');
    await again.displays(/▌@@ -35,6 \+35,6 @@ {2}\[open\]/);
    again.type('qq');
    expect(await again.exited).toEqual({ status: 0, signal: 0 });
  });

  it('does not approve when the key that accepts repeats, and helps with its keys', async () => {
    const { p, id } = planned();
    const terminal = review(p, id);
    await terminal.displays(/q quit/);
    terminal.type('g?');
    await terminal.displays(/Keys[\s\S]*A, R +accept or reject the hunk and all below it/);
    terminal.type('q');
    await terminal.displays(/file 1 of 3/);
    terminal.type('aaaaaaa');
    await terminal.displays(/To be applied: 3 paths[\s\S]*y approve this/);
    terminal.type('q');
    expect(await terminal.exited).toEqual({ status: 0, signal: 0 });
    expect(shown(p, id).status).toBe('pending');
  });

  it('shows failures at their lines, and offers to check again what was cut down', async () => {
    const p = project();
    p.write('src/a.txt', text({}));
    p.write(
      'check.sh',
      'grep -n bad src/a.txt | sed "s,^\\([0-9]*\\).*,src/a.txt:\\1: error: a bad word in this line,"\n' +
        'if test -e src/b.txt; then echo "src/a.txt:20: error: b is not known here"; exit 1; fi\n' +
        '! grep -q bad src/a.txt\n',
    );
    p.write('.savepoint.json', JSON.stringify({ checks: { own: { command: ['sh', 'check.sh'], kind: 'lint' } } }));
    p.ok('trust', '--yes');
    const files = [
      { file_path: 'src/a.txt', edits: [{ op: 'write', content: text({ 2: 'bad', 38: 'LAST' }) }] },
      { file_path: 'src/b.txt', edits: [{ op: 'create', content: 'b\n' }] },
    ];
    p.write('../edits.json', JSON.stringify({ files }));
    const { id } = JSON.parse(p.ok('plan', 'new', '../edits.json', '-m', 'x', '--json').stdout);
    expect(p.run(['plan', 'check', id]).status).toBe(1);
    const terminal = review(p, id);
    await terminal.displays(/check own: failed, 2 new failures[\s\S]*q quit/);
    terminal.type('g');
    await terminal.displays(
      /! own: src\/a\.txt:20: error: b is not known here *\n.*@@ -1,5[\s\S]* 2 \+bad *\n[▌ ]+\^ own: src\/a\.txt:2: error: a bad word in this line *\n[▌ ]+3/,
    );
    terminal.type('r');
    await terminal.displays(/\[rejected\]/);
    terminal.type('q');
    await terminal.displays(/checks ran on another selection[\s\S]*c check this/);
    terminal.type('c');
    await terminal.displays(/Checks of exactly this failed: own/);
    terminal.type('g');
    await terminal.displays(/! own: src\/a\.txt:20/);
    terminal.type('nr');
    await terminal.displays(/checks ran on another selection/);
    terminal.type('c');
    await terminal.displays(/Checks of exactly this found no new failures/);
    terminal.type('y');
    expect(await terminal.exited).toEqual({ status: 0, signal: 0 });
    expect(shown(p, id)).toMatchObject({ status: 'approved', checked: 'passed' });
    const cut = p.ok('plan', 'review', id, '--accept', 'src/b.txt');
    expect(cut.stdout).toContain(`Its checks ran on something else. Check this: \`savepoint plan check ${id}\``);
    const { fingerprint } = shown(p, id);
    expect(p.ok('plan', 'review', id, '--approve', fingerprint).stdout).toContain('so they do not count');
  });

  it('says that checks did not run which are not trusted any more, and how to trust them', async () => {
    const p = project();
    p.write('a.txt', text({}));
    p.write('b.txt', text({}));
    p.write('.savepoint.json', JSON.stringify({ checks: { own: { command: ['true'], kind: 'lint' } } }));
    p.ok('trust', '--yes');
    const edits = [{ op: 'write', content: text({ 2: 'TWO' }) }];
    p.write('../edits.json', JSON.stringify({ files: ['a.txt', 'b.txt'].map((file_path) => ({ file_path, edits })) }));
    const { id } = JSON.parse(p.ok('plan', 'new', '../edits.json', '-m', 'x', '--json').stdout);
    p.ok('plan', 'check', id);
    p.ok('plan', 'review', id, '--reject', 'b.txt');
    p.ok('trust', '--revoke');
    const terminal = review(p, id);
    await terminal.displays(/q quit/);
    terminal.type('gq');
    await terminal.displays(/checks ran on another selection[\s\S]*c check this/);
    terminal.type('c');
    await terminal.displays(/did not run[\s\S]*not trusted[\s\S]*savepoint trust --plan[\s\S]*q back/);
    terminal.type('q');
    await terminal.displays(/c check this/);
  });
});

describe('without a terminal', () => {
  it('accepts and rejects files, folders and hunks with awkward names', () => {
    const p = project();
    const names = ['a b.txt', 'c:1', 'new\nline', '--only', 'é.txt', 'sub/d.txt', 'sub/e.txt'];
    for (const name of ['c', ...names]) p.write(name, text({}));
    const edits = [
      { old_string: 'line 2\n', new_string: 'two\n' },
      { old_string: 'line 38\n', new_string: 'LAST\n' },
    ];
    p.write('../edits.json', JSON.stringify({ files: names.map((file_path) => ({ file_path, edits })) }));
    const { id } = JSON.parse(p.ok('plan', 'new', '../edits.json', '-m', 'x', '--json').stdout);
    const decided = () =>
      Object.fromEntries(
        shown(p, id).changes.map((one: { path: string; hunks: readonly { accepted: boolean }[] }) => [
          one.path,
          one.hunks.map(({ accepted }) => accepted),
        ]),
      );
    p.ok('plan', 'review', id, '--only', 'a b.txt:2', 'c:1', 'new\nline', 'é.txt:1', '--only=--only');
    const only = {
      'a b.txt': [false, true],
      'c:1': [true, true],
      'new\nline': [true, true],
      '--only': [true, true],
      'é.txt': [true, false],
      'sub/d.txt': [false, false],
      'sub/e.txt': [false, false],
    };
    expect(decided()).toEqual(only);
    p.ok('plan', 'review', id, '--accept', 'sub', '--reject', 'c:1:2', 'sub/e.txt:1');
    expect(decided()).toEqual({ ...only, 'c:1': [true, false], 'sub/d.txt': [true, true], 'sub/e.txt': [false, true] });
    const { fingerprint } = shown(p, id);
    const done = p.ok('plan', 'review', id, '--reject', 'new\nline', '--approve', fingerprint).stdout;
    expect(done).toContain('approved');
    expect(done).toContain(`Apply it with \`savepoint plan apply ${id}\`.`);
    expect(p.ok('plan', 'review', id, '--reject', '.').stdout).toContain('because everything is rejected');
  });

  it.each([
    [['--approve', 'all'], '"all" is not the fingerprint of a plan.', 'plan show last` prints it'],
    [['--reject', 'nosuch'], 'does not change nosuch.', 'relative to the current folder'],
    [['--reject', 'a.txt:3'], 'has no hunk 3 of a.txt, which has 2 hunks.', 'numbers the hunks'],
    [['--only', 'new.txt:1'], 'has no hunk 1 of new.txt, which is decided as a whole.', 'plan show'],
  ])('says what to do about %s', (args, message, hint) => {
    const { p } = planned();
    const { status, stderr } = p.run(['plan', 'review', 'last', ...args]);
    expect([status, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(stderr).toContain(hint);
  });

  it('shows a large plan by folder, and a part of it in full', () => {
    const p = project();
    const names = Array.from({ length: 120 }, (_, n) => `src/f${n % 3}/deep/${n}.txt`);
    const edits = [{ op: 'create', content: 'x\n' }];
    p.write('../edits.json', JSON.stringify({ files: names.map((file_path) => ({ file_path, edits })) }));
    const shownWhole = p.ok('plan', 'new', '../edits.json', '-m', 'x').stdout;
    expect(shownWhole.split('\n').length).toBeLessThan(15);
    expect(shownWhole).toMatch(/src\/f0\/deep\/ +40 paths, \+40\n/);
    const { id } = JSON.parse(p.ok('plan', 'review', 'last', '--reject', names[1] ?? '', '--json').stdout);
    const whole = p.ok('plan', 'show', id).stdout;
    expect(whole).toContain(`  1 change with something rejected:\n  new      ${names[1]}  +1  rejected`);
    expect(whole).toContain(`savepoint plan review ${id} --approve ${shown(p, id).fingerprint.slice(0, 16)}`);
    const part = JSON.parse(p.ok('plan', 'show', id, '--json', '--patch', '--', 'src/f0').stdout);
    expect([part.changes.length, part.totals.files, part.rejected]).toEqual([40, 120, 1]);
    expect(part.patch.text).not.toContain('src/f1');
    expect(p.ok('plan', 'show', id, '--', 'src/f0').stdout.match(/^ {2}new/gm)).toHaveLength(40);
    expect(p.run(['plan', 'show', id, '--', 'nosuch']).stderr).toContain('changes nothing at these paths');
  });
});
