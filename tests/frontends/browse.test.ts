/** The browser on a real terminal. */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { open } from '@savepoint/core/node';
import { type Project, project } from '@savepoint/testkit/command';
import { describe, expect, it } from 'vitest';
import { type Emulated, HostedTerminal, type TerminalStart, until } from './hosted-terminal.ts';

const ESC = '\x1b';
const [DOWN, ENTER] = ['\x1b[B', '\r'];

/** A manual checkpoint, and two prompts to an agent with changes. */
async function worked(): Promise<Project> {
  const p = project();
  p.write('a.ts', 'export const one = 1;\n');
  p.ok('checkpoint', '-m', 'before the agent starts');
  const savepoint = open({ dir: p.dir, home: p.store });
  const session = savepoint.session({ agent: 'claude', id: 's-1' });
  for (const [prompt, file, text] of [
    ['Add login', 'a.ts', 'export const one = 1;\nexport const login = true;\n'],
    ['Add logout', 'b.ts', 'export const logout = true;\n'],
  ] as const) {
    await session.prompt(prompt);
    await session.call({ tool: 'Write', kind: 'write', paths: [file] }, () => p.write(file, text));
  }
  await savepoint.idle();
  savepoint.close();
  return p;
}

function browser(
  p: Project,
  start: TerminalStart & { readonly args?: string; readonly before?: string } = {},
): HostedTerminal {
  return new HostedTerminal(p, `${start.before ?? ''} exec $SAVEPOINT_COMMAND ${start.args ?? 'browse'}`, start);
}

/** Empties the ref of a checkpoint. */
function damageRecord(p: Project, number: number): void {
  const stores = join(p.store, 'workspaces');
  const [store = ''] = readdirSync(stores);
  writeFileSync(join(stores, store, 'objects.git', 'refs', 'savepoint', 'cp', String(number)), '');
}

async function quit(terminal: HostedTerminal): Promise<Emulated> {
  terminal.type('q');
  expect(await terminal.exited).toEqual({ status: 0, signal: 0 });
  const last = await terminal.emulated();
  expect([last.isAlternate, last.isCursorHidden]).toEqual([false, false]);
  return last;
}

describe('the browser', () => {
  it('opens without a command, shows turns with the diff of the newest, and leaves the terminal as it was', async () => {
    const terminal = browser(await worked(), { args: '' });
    const { screen, isAlternate } = await terminal.displays(/\+export const logout/);
    expect(isAlternate).toBe(true);
    expect(screen).toMatch(/1 Turns .*2 Checkpoints[\s\S]*claude Add logout[\s\S]*claude Add login[\s\S]*▾ b\.ts/);
    await quit(terminal);
  });

  it('moves with letters and arrows, and shows the diff of what is chosen', async () => {
    const terminal = browser(await worked());
    await terminal.displays(/\+export const logout/);
    terminal.type(DOWN);
    await terminal.displays(/▾ a\.ts[\s\S]*\+export const login/);
    terminal.type('k');
    await terminal.displays(/\+export const logout/);
    terminal.type('2G');
    await terminal.displays(/first checkpoint here/);
    await quit(terminal);
  });

  it('filters while it is typed', async () => {
    const terminal = browser(await worked());
    await terminal.displays(/\+export const logout/);
    terminal.type('/login');
    await terminal.displays(/1\/1[\s\S]*\+export const login/);
    expect((await terminal.emulated()).screen).not.toMatch(/logout/);
    terminal.type(ENTER);
    await terminal.displays(/filter: login/);
    terminal.type(ESC);
    await terminal.displays(/\/4/);
    await quit(terminal);
  });

  it('restores with a preview and a question, and undoes and redoes it', async () => {
    const p = await worked();
    const terminal = browser(p);
    await terminal.displays(/\+export const logout/);
    terminal.type('r');
    await terminal.displays(/Restore the state before “Add logout”\?[\s\S]*deleted +b\.ts[\s\S]*y restore all files/);
    terminal.type('n');
    await terminal.displays(/\+export const logout/);
    expect(p.has('b.ts')).toBe(true);
    terminal.type('r');
    await terminal.displays(/y restore all files/);
    terminal.type('y');
    await terminal.displays(/1 path +\(now cp_/);
    expect(p.has('b.ts')).toBe(false);
    terminal.type('u');
    await terminal.displays(/Undo the last operation\?[\s\S]*new +b\.ts/);
    terminal.type('y');
    await terminal.displays(/undid/i);
    expect(p.has('b.ts')).toBe(true);
    terminal.type('U');
    await terminal.displays(/Redo the last operation\?/);
    terminal.type('y');
    await until(
      () => !p.has('b.ts'),
      () => 'the redo',
    );
    await terminal.displays(/now cp_/);
    await quit(terminal);
  });

  it('creates a checkpoint with a message, and pins it', async () => {
    const p = await worked();
    const terminal = browser(p);
    await terminal.displays(/\+export const logout/);
    terminal.type('2');
    await terminal.displays(/cp_5/);
    p.write('c.ts', 'export {};\n');
    terminal.type('c');
    await terminal.displays(/message \(enter/);
    terminal.type(`by hand${ENTER}`);
    await terminal.displays(/cp_6 .*by hand[\s\S]*cp_6 +by hand/);
    terminal.type('g\x1b[B');
    await terminal.displays(/▾ c\.ts new/);
    terminal.type('p');
    await terminal.displays(/is now pinned/);
    await terminal.displays(/◆ cp_6/);
    await quit(terminal);
  });

  it('compares two marked checkpoints, jumps from file to file, and folds', async () => {
    const terminal = browser(await worked(), { rows: 40 });
    await terminal.displays(/\+export const logout/);
    terminal.type('2');
    await terminal.displays(/cp_5 .*Write b\.ts/);
    terminal.type('m');
    await terminal.displays(/A.*cp_5/);
    terminal.type('G');
    const { screen } = await terminal.displays(/─ cp_1 → cp_5 [\s\S]*▾ a\.ts[\s\S]*▾ b\.ts/);
    expect(screen).toMatch(/─ 2 files ─/);
    terminal.type('\tn ');
    await terminal.displays(/▸ a\.ts[\s\S]*▾ b\.ts/);
    terminal.type('n ');
    await terminal.displays(/▸ a\.ts[\s\S]*▸ b\.ts new/);
    terminal.type('z');
    await terminal.displays(/▾ a\.ts[\s\S]*▾ b\.ts/);
    await quit(terminal);
  });

  it('compares the files before one turn with those after another', async () => {
    const terminal = browser(await worked());
    await terminal.displays(/\+export const logout/);
    terminal.type(`m${DOWN}`);
    await terminal.displays(/─ (cp_\d) → (\w+) [\s\S]*│ +\1 +before Add login[\s\S]*│ +\2 +after Add logout/);
    await quit(terminal);
  });

  it('restores only chosen files', async () => {
    const p = await worked();
    const terminal = browser(p);
    await terminal.displays(/\+export const logout/);
    terminal.type(DOWN);
    await terminal.displays(/\+export const login/);
    terminal.type('r');
    await terminal.displays(/f choose files/);
    terminal.type('f');
    await terminal.displays(/\[ \] changed +a\.ts[\s\S]*\[ \] deleted +b\.ts/);
    terminal.type(` ${ENTER}`);
    await terminal.displays(/y restore these files/);
    terminal.type('y');
    await terminal.displays(/1 path +\(now cp_/);
    expect([p.read('a.ts'), p.has('b.ts')]).toEqual(['export const one = 1;\n', true]);
    await quit(terminal);
  });

  it('rolls back a turn, and a file of a checkpoint', async () => {
    const p = await worked();
    const terminal = browser(p);
    await terminal.displays(/\+export const logout/);
    terminal.type(DOWN);
    await terminal.displays(/\+export const login/);
    terminal.type('b');
    await terminal.displays(/t this turn +s its whole session +a all of claude/);
    terminal.type(ENTER);
    const { screen } = await terminal.displays(/Roll this back\?[\s\S]*changed +a\.ts/);
    expect(screen).toMatch(/ a\.ts *[^\n]*\n[^\n]*@@ -1,2 \+1,1 @@[\s\S]*│ +-export const login = true;/);
    expect(screen).not.toMatch(/--hunk|\+export const login/);
    terminal.type('y');
    // What the screen says instead is in the failure.
    await terminal.displays(/taken back/);
    expect(p.read('a.ts')).toBe('export const one = 1;\n');
    expect(p.has('b.ts')).toBe(true);
    terminal.type('2');
    await terminal.displays(/cp_5 /);
    terminal.type('/cp_5');
    await terminal.displays(/1\/1[\s\S]*▾ b\.ts/);
    terminal.type(`${ENTER}\t`);
    await terminal.displays(/space fold/);
    terminal.type('n');
    terminal.type('b');
    await terminal.displays(/f b\.ts/);
    terminal.type('f');
    await terminal.displays(/Roll this back\?[\s\S]*deleted +b\.ts/);
    terminal.type('y');
    await terminal.displays(/now cp_/);
    expect(p.has('b.ts')).toBe(false);
    await quit(terminal);
  });

  it('shows what other processes do, and keeps what is chosen', async () => {
    const p = await worked();
    const terminal = browser(p, { rows: 40 });
    await terminal.displays(/\+export const logout/);
    terminal.type('2');
    await terminal.displays(/cp_5 .*Write b\.ts[\s\S]*─ cp_5 ─[\s\S]*▾ b\.ts/);
    p.write('other.ts', 'export {};\n');
    p.ok('checkpoint', '-m', 'from another terminal');
    const { screen } = await terminal.displays(/from another terminal/);
    expect(screen).toMatch(/▾ b\.ts/);
    await quit(terminal);
  });

  it('has no colours with NO_COLOR, and follows the size of the terminal', async () => {
    const terminal = browser(await worked(), { env: { NO_COLOR: '1' }, columns: 140, rows: 30 });
    await terminal.displays(/╮╭[\s\S]*\+export const logout/);
    terminal.resize(80, 24);
    const { screen } = await terminal.displays(/╯\s*\n╭[\s\S]*\+export const logout/);
    expect(screen.split('\n')).toHaveLength(24);
    terminal.resize(30, 8);
    await terminal.displays(/Make the terminal larger/);
    terminal.resize(100, 30);
    await terminal.displays(/\+export const logout/);
    await quit(terminal);
    expect(terminal.text).not.toMatch(/\x1b\[(?:3[0-8]|4[0-8]|9\d)(?:;\d+)*m/);
  });

  it('shows hostile names and messages as text', async () => {
    const p = project();
    p.write('a.txt', 'one\n');
    p.ok('checkpoint', '-m', 'start');
    p.write('\x1b[2J\u202eevil\x9b31m.txt', '\x1b]0;title\x07\x1b[2J\u202e日本語 e\u0301\n');
    p.ok('checkpoint', '-m', '\x1b]0;message\x07\x1b[2J\u202e日本語');
    const terminal = browser(p, { rows: 30 });
    await terminal.displays(/\\033\[2J[\s\S]*日本語/);
    terminal.type('r');
    await terminal.displays(/There is nothing to go back to/);
    terminal.type(ENTER);
    await terminal.displays(/enter diff/);
    await quit(terminal);
    const text = terminal.text.replace('\x1b[?1049h\x1b[?25l\x1b[2J', '');
    expect(text).not.toMatch(/\x1b\]0;(?:title|message)|\u202e|\x9b/);
    expect(text.replaceAll('\x1b[?2026h\x1b[2J', '')).not.toContain('\x1b[2J');
  });

  it('shows damaged checkpoints among the others', async () => {
    const p = await worked();
    damageRecord(p, 3);
    const terminal = browser(p);
    await terminal.displays(/Add logout/);
    terminal.type('3');
    await terminal.displays(/cp_3 +damaged/);
    terminal.type('G');
    await terminal.displays(/first checkpoint here/);
    await quit(terminal);
  });

  it('lists all keys', async () => {
    const terminal = browser(await worked(), { rows: 26 });
    await terminal.displays(/\+export const logout/);
    terminal.type('?');
    await terminal.displays(/Keys .*18 of 27 lines, more: ↓ space[\s\S]*ctrl-d ctrl-u/);
    terminal.type(' ');
    await terminal.displays(/Keys .*27 of 27 lines, back: ↑ b[\s\S]*q ctrl-c/);
    terminal.type(ENTER);
    await terminal.displays(/\+export const logout/);
    await quit(terminal);
  });
});

describe('the terminal of the browser', () => {
  const script = (end: string): string =>
    `stty -a; echo ====; sh -c 'echo "pid $$."; exec $SAVEPOINT_COMMAND browse'; ${end}echo "ended $?"; echo ====; stty -a; echo ====`;

  const pidIn = async (terminal: HostedTerminal): Promise<number> => Number((await terminal.shows(/^pid (\d+)\./m))[1]);

  async function expectSane(terminal: HostedTerminal): Promise<void> {
    await terminal.exited;
    const [before, , after] = terminal.text.split('====\r\n');
    expect(after).toBe(before);
    const { isAlternate, isCursorHidden } = await terminal.emulated();
    expect([isAlternate, isCursorHidden]).toEqual([false, false]);
  }

  it.each([
    ['SIGTERM', 143],
    ['SIGHUP', 129],
    ['SIGINT', 130],
  ] as const)('is as it was after %s', async (signal, status) => {
    const terminal = new HostedTerminal(await worked(), script(''));
    const pid = await pidIn(terminal);
    await terminal.displays(/\+export const logout/);
    process.kill(pid, signal);
    await terminal.shows(new RegExp(`ended ${status}`));
    await expectSane(terminal);
  });

  it('is as it was after an exception', async () => {
    const p = await worked();
    p.write('../fails.mjs', "process.on('SIGUSR2', () => { throw new Error('made to fail'); });\n");
    const terminal = new HostedTerminal(p, script(''), { env: { NODE_OPTIONS: `--import ${p.dir}/../fails.mjs` } });
    const pid = await pidIn(terminal);
    await terminal.displays(/\+export const logout/);
    process.kill(pid, 'SIGUSR2');
    await terminal.shows(/Internal error: made to fail[\s\S]*ended 1/);
    await expectSane(terminal);
  });

  it.each(['Ctrl-Z', 'SIGTSTP'] as const)('is the shell’s while it is stopped with %s, and goes on', async (how) => {
    const p = await worked();
    const terminal = new HostedTerminal(p, `set -m; ${script('echo "stopped $?"; read line; fg; ')}`);
    const pid = await pidIn(terminal);
    await terminal.displays(/\+export const logout/);
    if (how === 'Ctrl-Z') terminal.type('\x1a');
    else process.kill(pid, how);
    await terminal.shows(/stopped 148/);
    const { isAlternate, isCursorHidden } = await terminal.emulated();
    expect([isAlternate, isCursorHidden]).toEqual([false, false]);
    terminal.type('\r');
    expect((await terminal.displays(/\+export const logout/)).isAlternate).toBe(true);
    terminal.type('jq');
    await terminal.shows(/ended 0/);
    await expectSane(terminal);
  });
});

describe('without a terminal for it', () => {
  it('`savepoint` prints the help, and `browse` says what it needs', async () => {
    const p = await worked();
    expect(p.ok().stdout).toMatch(/^Usage: savepoint/m);
    expect(p.run(['browse'])).toMatchObject({ status: 2, stderr: expect.stringContaining('needs a terminal') });
  });

  it('with TERM=dumb, and before the first checkpoint, `savepoint` prints the help', async () => {
    const dumb = browser(await worked(), { args: '', before: 'export TERM=dumb;' });
    await dumb.shows(/Usage: savepoint/);
    expect(await dumb.exited).toMatchObject({ status: 0 });
    const early = browser(project(), { args: '' });
    await early.shows(/Usage: savepoint/);
    expect(await early.exited).toMatchObject({ status: 0 });
    const refused = browser(await worked(), { before: 'export TERM=dumb;' });
    await refused.shows(/TERM is dumb/);
    expect(await refused.exited).toMatchObject({ status: 2 });
  });
});
