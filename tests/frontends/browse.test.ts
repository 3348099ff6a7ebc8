/** The browser on a real terminal. */
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

function browser(p: Project, start: TerminalStart & { readonly args?: string } = {}): HostedTerminal {
  return new HostedTerminal(p, `exec $SAVEPOINT_COMMAND ${start.args ?? 'browse'}`, start);
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
    await terminal.displays(/\/3/);
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
});
