/** The list of earlier states, opened over a program that `savepoint run` hosts. */
import fs from 'node:fs';
import { open } from '@savepoint/core/node';
import { type Project, project } from '@savepoint/testkit/command';
import { describe, expect, it } from 'vitest';
import { HostedTerminal, type TerminalStart, until } from './hosted-terminal.ts';

const ESC = '\x1b';
const CTRL_BRACKET = '\x1d';
const [DOWN, ENTER] = ['\x1b[B', '\r'];

/** Three prompts to an agent, with a change after each. */
async function afterPrompts(): Promise<Project> {
  const p = project();
  p.write('a.txt', 'start\n');
  const savepoint = open({ dir: p.dir, home: p.store });
  const session = savepoint.session({ agent: 'claude', id: 's-1' });
  for (const [prompt, file] of [
    ['Add login', 'a.txt'],
    ['Add \x1b]0;evil\x07logout', 'b.txt'],
    ['Rename it', 'c.txt'],
  ] as const) {
    await session.prompt(prompt);
    await session.call({ tool: 'Write', kind: 'write', paths: [file] as never }, () => p.write(file, `${prompt}\n`));
  }
  await savepoint.idle();
  savepoint.close();
  // A machine that is busy may take long between two key presses.
  fs.writeFileSync(`${p.store}/config.json`, JSON.stringify({ run: { key_ms: 5000 } }));
  return p;
}

function running(
  p: Project,
  program: string,
  start: TerminalStart & { readonly options?: string } = {},
): HostedTerminal {
  return new HostedTerminal(p, `exec $SAVEPOINT_COMMAND run ${start.options ?? ''} -- ${program}`, start);
}

/** A program that shows each chunk of input that it gets, in hexadecimal. */
const SHOWS_INPUT = `${process.execPath} -e "
  process.stdin.setRawMode(true);
  console.log('ready');
  process.stdin.on('data', (bytes) => { process.stdout.write('<' + bytes.toString('hex') + '>'); if (bytes.includes('q')) process.exit(); });
"`;

/** Returns to the program, and ends it. */
async function closeAndQuit(terminal: HostedTerminal): Promise<void> {
  terminal.type('c');
  await terminal.displays(/ready/);
  terminal.type('q');
  await terminal.exited;
}

async function openOverlay(terminal: HostedTerminal, key = ESC): Promise<void> {
  terminal.type(key);
  await new Promise((resolve) => setTimeout(resolve, 50));
  terminal.type(key);
  await terminal.displays(/the files as they are/);
}

describe('Esc Esc', () => {
  it('reaches the program once, and opens the list with the current state chosen, so that Enter changes nothing', async () => {
    const p = await afterPrompts();
    const terminal = running(p, SHOWS_INPUT);
    await terminal.displays(/ready/);
    await openOverlay(terminal);
    const { screen, isAlternate } = await terminal.displays(/Add login +3 files/);
    expect(isAlternate).toBe(true);
    expect(screen).toMatch(/▸ now/);
    expect(screen.match(/Rename it|logout|Add login/g)).toEqual(['Rename it', 'logout', 'Add login']);
    terminal.type(ENTER);
    await terminal.displays(/ready\s+<1b>/);
    terminal.type('xq');
    await terminal.displays(/<1b><7871>/);
    expect(await terminal.exited).toMatchObject({ status: 0 });
    expect(p.read('a.txt')).toBe('Add login\n');
    expect(p.ok('list', '--all').stdout).not.toMatch(/restore/);
  });

  it('shows no control character of a prompt or name, and no line that is too long', async () => {
    const p = await afterPrompts();
    p.write('\x1b[2Jx\u202e.txt', '\x1b]0;evil\x07\n');
    const terminal = running(p, SHOWS_INPUT, { columns: 80 });
    await terminal.displays(/ready/);
    await openOverlay(terminal);
    terminal.type(DOWN);
    await terminal.displays(/\\033\[2Jx/);
    terminal.type('3');
    await terminal.displays(/evil/);
    expect(terminal.text).not.toContain('\x1b]0;evil');
    expect(terminal.text).not.toContain('\x1b[2Jx');
    expect(terminal.text).not.toContain('\u202e');
    terminal.type('q');
    await terminal.displays(/the files as they are/);
    await closeAndQuit(terminal);
  });

  it('is not opened by single keys, sequences, pastes, with --no-key, and with another key', async () => {
    const p = await afterPrompts();
    for (const [keys, options] of [
      [['\x1b', '\x1b[A', '\x1b[A', '\x1bx', '\x1b[200~\x1b', '\x1b', '\x1b[201~', 'q'], ''],
      [['\x1b', '\x1b', 'q'], '--no-key'],
      [['\x1b', '\x1b', 'q'], '--key ctrl-]'],
    ] as const) {
      const terminal = running(p, SHOWS_INPUT, { options });
      await terminal.displays(/ready/);
      let wanted = '';
      for (const key of keys) {
        terminal.type(key);
        wanted += Buffer.from(key).toString('hex');
        await until(
          () => terminal.text.replace(/[<>]/g, '').includes(wanted),
          () => `${wanted} in ${terminal.text}`,
        );
      }
      await terminal.exited;
      expect(terminal.text).not.toContain('Go back');
    }
  });

  it('may be another key', async () => {
    const p = await afterPrompts();
    const terminal = running(p, SHOWS_INPUT, { options: '--key ctrl-]' });
    await terminal.displays(/ready/);
    await openOverlay(terminal, '\x1d');
    await closeAndQuit(terminal);
  });
});

it.each([
  ['bash', 'bash --norc -i', 'echo ok$((1+1))', 'exit'],
  ['python', 'python3 -i', 'print("ok", 1 + 1, sep="")', 'exit()'],
])('at the prompt of %s, the key of line editors leaves the next keys as they are', async (_, program, line, end) => {
  const p = await afterPrompts();
  const missing = `command -v ${program.split(' ')[0]} >/dev/null || exec sh -c 'echo missing'`;
  const terminal = new HostedTerminal(p, `${missing}; exec $SAVEPOINT_COMMAND run -- ${program}`);
  const { screen } = await terminal.displays(/missing|[$#>] *$/m);
  if (screen.includes('missing')) return;
  await openOverlay(terminal, '\x1e');
  terminal.type('c');
  await terminal.displays(/[$#>] *$/m);
  terminal.type(`${line}\r`);
  await terminal.displays(/^ok2/m);
  terminal.type(`${end}\r`);
  await terminal.exited;
});

describe('the list', () => {
  it('restores the files of a state, with a preview and a question, and undoes it', async () => {
    const p = await afterPrompts();
    const terminal = running(p, SHOWS_INPUT);
    await terminal.displays(/ready/);
    await openOverlay(terminal);
    terminal.type(DOWN + DOWN);
    await terminal.displays(/new +c\.txt/);
    terminal.type('1');
    const { screen } = await terminal.displays(/y go back, files only/);
    expect(screen).toMatch(/Go back to before “Add .*logout”\?/);
    expect(screen).toMatch(/deleted +b\.txt/);
    terminal.type(ENTER);
    await terminal.displays(/▸ .*logout/);
    expect(p.has('b.txt')).toBe(true);
    terminal.type('1');
    await terminal.displays(/y go back, files only/);
    terminal.type('c');
    await terminal.displays(/▸ .*logout/);
    terminal.type('1');
    await terminal.displays(/y go back, files only/);
    terminal.type('y');
    await terminal.displays(/Went back to before “Add .*logout”\./);
    expect([p.read('a.txt'), p.has('b.txt'), p.has('c.txt')]).toEqual(['Add login\n', false, false]);
    terminal.type('l');
    await terminal.displays(/the files as they are/);
    terminal.type('u');
    await terminal.displays(/y undo/);
    terminal.type('y');
    await terminal.displays(/Undone/);
    expect([p.has('b.txt'), p.has('c.txt')]).toEqual([true, true]);
    terminal.type(ENTER);
    await terminal.displays(/ready\s+<1b>/);
    terminal.type('q');
    await terminal.exited;
  });

  it('asks what to keep if others changed files, and says why the conversation cannot go back', async () => {
    const p = await afterPrompts();
    p.write('b.txt', 'mine\n');
    p.ok('checkpoint');
    const terminal = running(p, SHOWS_INPUT);
    await terminal.displays(/ready/);
    await openOverlay(terminal);
    terminal.type(DOWN + DOWN);
    terminal.type('2');
    await terminal.displays(/Only the files can go back here\.\s+This is a conversation of claude, and node runs here/);
    terminal.type(ENTER);
    await terminal.displays(/▸ .*logout/);
    terminal.type('1');
    await terminal.displays(/Since cp_\d+, claude and others changed files[\s\S]*b\.txt/);
    terminal.type('a');
    await terminal.displays(/y go back|in conflict/);
    if (/in conflict/.test((await terminal.emulated()).screen)) terminal.type('s');
    await terminal.displays(/y go back/);
    terminal.type('y');
    await terminal.displays(/Went back/);
    expect([p.read('b.txt'), p.has('c.txt')]).toEqual(['mine\n', false]);
    terminal.type(ENTER);
    await terminal.displays(/ready/);
    terminal.type('q');
    await terminal.exited;
  });

  it('names the agents if there are several, and leaves the conversation of another one alone', async () => {
    const p = await afterPrompts();
    const savepoint = open({ dir: p.dir, home: p.store });
    await savepoint.session({ agent: 'codex', id: 'c-1' }).prompt('Review it');
    await savepoint.idle();
    savepoint.close();
    p.write('codex', `#!/bin/sh\nexec ${SHOWS_INPUT}`, 0o755);
    const terminal = running(p, './codex');
    await terminal.displays(/ready/);
    await openOverlay(terminal, CTRL_BRACKET);
    await terminal.displays(/codex +Review it[\s\S]*claude +Rename it/);
    terminal.type(`${DOWN + DOWN}2`);
    const { screen } = await terminal.displays(/Only the files can go back here/);
    expect(screen).toMatch(/This is a conversation of claude, and codex runs here/);
    expect(screen).toMatch(/savepoint restore cp_\d+(?:\.\d+)? --conversation \\\s+--session s-1\s/);
    expect(p.has('c.txt')).toBe(true);
    terminal.type('1');
    await terminal.displays(/Somebody else changed files/);
    terminal.type('c');
    await terminal.displays(/▸ .*Rename it/);
    terminal.type('c');
    await terminal.displays(/ready\s+<1d>/);
    terminal.type('q');
    expect(await terminal.exited).toMatchObject({ status: 0 });
  });

  it('leaves a conversation alone that the same agent has elsewhere', async () => {
    const p = await afterPrompts();
    p.write(
      'event.json',
      JSON.stringify({ hook_event_name: 'UserPromptSubmit', session_id: 's-2', cwd: p.dir, prompt: 'Here' }),
    );
    p.write('claude', `#!/bin/sh\n$SAVEPOINT_COMMAND hook claude <event.json\nexec ${SHOWS_INPUT}`, 0o755);
    const terminal = running(p, './claude');
    await terminal.displays(/ready/);
    await openOverlay(terminal, CTRL_BRACKET);
    terminal.type(`${DOWN + DOWN}2`);
    await terminal.displays(/another conversation of claude: session s-1/);
    terminal.type('c');
    await terminal.displays(/▸ .*Rename it/);
    // Its own one can go back, as far as this is known here.
    terminal.type('\x1b[A2');
    await terminal.displays(/▸ .*Here|The conversation cannot go back\.\s+(?!This is)/);
    terminal.type('cc');
    await terminal.displays(/ready\s+<1d>/);
    terminal.type('q');
    await terminal.exited;
  });

  it('takes chosen files back, and gives the prompt back to be edited', async () => {
    const p = await afterPrompts();
    const pasting = SHOWS_INPUT.replace("console.log('ready')", "console.log('\\x1b[?2004hready')");
    const terminal = running(p, pasting);
    await terminal.displays(/ready/);
    await openOverlay(terminal);
    terminal.type(DOWN + DOWN);
    await terminal.displays(/▸ .*logout/);
    terminal.type('1');
    await terminal.displays(/f choose files/);
    terminal.type('f');
    await terminal.displays(/0 of 2 chosen/);
    terminal.type(' ');
    await terminal.displays(/1 of 2 chosen[\s\S]*\[x\] deleted +b\.txt/);
    terminal.type(ENTER);
    await terminal.displays(/y go back, these files only/);
    terminal.type('y');
    await terminal.displays(/Went back/);
    expect([p.has('b.txt'), p.has('c.txt')]).toEqual([false, true]);
    terminal.type('p');
    await terminal.shows(/ready/);
    // Without control characters, which could end the paste.
    const paste = Buffer.from('\x1b[200~Add ]0;evillogout\x1b[201~').toString('hex');
    await until(
      () => terminal.text.replaceAll(/[<>]/g, '').includes(paste),
      () => `${paste} in ${terminal.text}`,
    );
    terminal.type('q');
    await terminal.exited;
  });

  it('takes back what one agent did since, and leaves the changes of others', async () => {
    const p = await afterPrompts();
    p.write('mine.txt', 'mine\n');
    p.ok('checkpoint');
    const terminal = running(p, SHOWS_INPUT);
    await terminal.displays(/ready/);
    await openOverlay(terminal);
    terminal.type(DOWN + DOWN);
    await terminal.displays(/▸ .*logout/);
    terminal.type('a');
    await terminal.displays(/Roll this back\?|There is nothing/);
    if (/nothing/.test((await terminal.emulated()).screen)) {
      terminal.type('l');
      await terminal.displays(/Roll this back\?/);
    }
    terminal.type('y');
    await terminal.displays(/Rolled back claude since/);
    expect([p.has('b.txt'), p.has('c.txt'), p.read('mine.txt'), p.read('a.txt')]).toEqual([
      false,
      false,
      'mine\n',
      'Add login\n',
    ]);
    terminal.type(ENTER);
    await terminal.displays(/ready/);
    terminal.type('q');
    await terminal.exited;
  });

  it('waits for a call of the agent that is running, and can interrupt it', async () => {
    const p = await afterPrompts();
    const savepoint = open({ dir: p.dir, home: p.store });
    const session = savepoint.session({ agent: 'claude', id: 's-2' });
    await session.begin({ tool: 'Bash', id: 'call-1', summary: 'npm test' });
    const terminal = running(p, SHOWS_INPUT);
    await terminal.displays(/ready/);
    await openOverlay(terminal);
    await terminal.displays(/claude is running Bash: npm test/);
    terminal.type(`${DOWN}1`);
    await terminal.displays(/waiting …/);
    terminal.type('i');
    await terminal.displays(/Esc was sent to the program/);
    await session.end('call-1');
    await terminal.displays(/y go back/);
    terminal.type(`nc`);
    await terminal.displays(/ready\s+<1b><1b>/);
    terminal.type('q');
    await terminal.exited;
    savepoint.close();
  });

  it('uses no colour with NO_COLOR, follows the size, and ends with the program', async () => {
    const p = await afterPrompts();
    const program = `sh -c 'echo ready; while [ ! -e go ]; do sleep 0.1; done; echo late; exit 4'`;
    const terminal = running(p, program, { columns: 100, rows: 30, env: { NO_COLOR: '1' } });
    await terminal.displays(/ready/);
    await openOverlay(terminal);
    terminal.resize(80, 24);
    await until(
      async () => /c close *$/.test((await terminal.emulated()).screen),
      () => 'a smaller list',
    );
    expect(terminal.text).not.toMatch(/\x1b\[3\dm/);
    p.write('go', '');
    expect(await terminal.exited).toMatchObject({ status: 4 });
    expect((await terminal.emulated()).screen).toMatch(/ready\s+\^\[late/);
  });
});

it('output that comes while the list is open is shown afterwards, all of it', async () => {
  const p = await afterPrompts();
  p.write(
    'output.mjs',
    `import fs from 'node:fs';
    console.log('ready');
    while (!fs.existsSync('begin')) await new Promise((resolve) => setTimeout(resolve, 10));
    for (let line = 0; line < 100000; line++) process.stdout.write(line + ' ' + 'x'.repeat(100) + '\\n');
    process.exit();`,
  );
  const terminal = running(p, `${process.execPath} output.mjs`);
  await terminal.displays(/ready/);
  await openOverlay(terminal);
  p.write('begin', '');
  terminal.type(DOWN);
  await terminal.displays(/new +begin/);
  terminal.type('c');
  await terminal.exited;
  const numbers = terminal.text.match(/\d+(?= x{100}\r)/g) ?? [];
  expect(numbers).toEqual(Array.from({ length: 100_000 }, (_, line) => String(line)));
});

describe('closing the list leaves no trace', () => {
  const PROGRAMS: readonly (readonly [string, string, RegExp])[] = [
    ['a program that repaints', `${process.execPath} repaint.mjs`, /row 9/],
    // Where vi is not installed, a program that does the same.
    ['vi', '$(command -v vi >/dev/null && echo vi -u NONE -N || echo $NODE vi.mjs) file.txt', /line 1\s+line 2/],
    ['a shell', 'sh -i', /[$#] +$/m],
  ];

  it.each(PROGRAMS)('for %s', async (name, program, ready) => {
    const p = await afterPrompts();
    p.write('file.txt', Array.from({ length: 100 }, (_, line) => `line ${line + 1}\n`).join(''));
    p.write(
      'vi.mjs',
      `import fs from 'node:fs';
      process.stdin.setRawMode(true);
      process.stdin.on('data', (bytes) => { if (bytes.includes('q')) process.stdout.write('\\x1b[?1049l', () => process.exit()); });
      const lines = fs.readFileSync('file.txt', 'utf8').split('\\n').slice(0, 23);
      process.stdout.write('\\x1b[?1049h\\x1b[?1h\\x1b=\\x1b[1;24r\\x1b[2J\\x1b[H' + lines.join('\\r\\n') + '\\x1b[24;1H"file.txt"\\x1b[1;1H');`,
    );
    p.write(
      'repaint.mjs',
      `process.stdin.setRawMode(true);
      process.stdin.on('data', (bytes) => { if (bytes.includes('q')) process.exit(); });
      process.stdout.write('\\x1b[?2004h\\x1b[?25l');
      for (let row = 0; row < 40; row++) console.log('\\x1b[3' + (row % 8) + 'mscrolled ' + row + '\\x1b[0m');
      for (let row = 0; row < 10; row++) console.log('\\x1b[44mrow ' + row + '\\x1b[0m');
      process.stdout.write('\\x1b[3A\\x1b[5G\\x1b[1m');`,
    );
    // The first press reaches the program, which may show it. The second comes when the screen is still.
    const terminal = running(p, program, { options: '--key esc', env: { NODE: process.execPath } });
    await terminal.displays(ready);
    terminal.type(ESC);
    const before = await terminal.still();
    terminal.type(ESC);
    await terminal.displays(/the files as they are/);
    terminal.type(DOWN);
    await terminal.displays(/changed since then/);
    terminal.type('c');
    await until(
      async () => !/the files as they are|changed since then/.test((await terminal.emulated()).screen),
      () => 'the screen of the program',
    );
    expect(await terminal.still()).toEqual(before);
    terminal.type(name === 'vi' ? ':q!\r' : name === 'a shell' ? '\x15exit\r' : 'q');
    expect(await terminal.exited).toMatchObject({ status: 0 });
  });
});
