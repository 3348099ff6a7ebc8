import fs from 'node:fs';
import { type Project, project } from '@savepoint/testkit/command';
import { describe, expect, it } from 'vitest';
import { HostedTerminal, type TerminalStart, until } from './hosted-terminal.ts';

/** `run` with a program of the test: a Node script, as the file `program.mjs` of the project. */
function hosted(program: string, start: TerminalStart & { readonly after?: string } = {}): [HostedTerminal, Project] {
  const p = project();
  p.write('program.mjs', program);
  const script = `$SAVEPOINT_COMMAND run -- '${process.execPath}' program.mjs; ${start.after ?? 'exit $?'}`;
  return [new HostedTerminal(p, script, start), p];
}

const ALL_BYTES = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));

describe('a program hosted by run', () => {
  it('has a terminal, and its output reaches the screen byte by byte', async () => {
    const [terminal] = hosted(`
      import { spawnSync } from 'node:child_process';
      spawnSync('stty', ['raw', '-echo'], { stdio: 'inherit' });
      const all = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
      process.stdout.write(Buffer.concat([Buffer.from(process.stdout.isTTY ? '<tty>' : '<no>'), all, all, Buffer.from('<end>')]));
    `);
    expect(await terminal.exited).toEqual({ status: 0, signal: 0 });
    const { received } = terminal;
    const sent = received.subarray(received.indexOf('<tty>') + 5, received.indexOf('<end>'));
    expect(sent).toEqual(Buffer.concat([ALL_BYTES, ALL_BYTES]));
  });

  it('is followed by what changed while it ran, whoever captured it', async () => {
    const [terminal, p] = hosted(`
      import fs from 'node:fs';
      for (let file = 0; file < 200; file++) fs.writeFileSync('file-' + file, '');
      console.log('written');
      process.stdin.once('data', () => process.exit());
      // Longer than the time after which progress is shown.
      setTimeout(() => console.log('ready'), 1100);
    `);
    await terminal.shows(/written/);
    p.ok('checkpoint');
    await terminal.shows(/ready/);
    terminal.type('\n');
    expect((await terminal.exited).status).toBe(0);
    expect(terminal.text).toMatch(/savepoint: 200 paths changed\. `savepoint list` shows the changes\./);
    expect((await terminal.emulated()).screen).not.toMatch(/scanning/);
  });

  it('gets every byte that is typed', async () => {
    const [terminal] = hosted(`
      import { spawnSync } from 'node:child_process';
      spawnSync('stty', ['raw', '-echo'], { stdio: 'inherit' });
      console.log('ready');
      const got = [];
      process.stdin.on('data', (bytes) => {
        got.push(bytes);
        const all = Buffer.concat(got);
        if (all.length >= 512) { console.log(all.toString('hex') + '.'); process.exit(); }
      });
    `);
    await terminal.shows(/ready/);
    terminal.type(ALL_BYTES);
    terminal.type(ALL_BYTES);
    await terminal.shows(new RegExp(`${ALL_BYTES.toString('hex')}${ALL_BYTES.toString('hex')}\\.`));
    expect((await terminal.exited).status).toBe(0);
  });

  it('waits for a terminal that does not read, and loses nothing', async () => {
    const [terminal, p] = hosted(`
      import fs from 'node:fs';
      console.log('ready');
      process.stdin.once('data', () => {
        for (let line = 0; line < 200000; line++) process.stdout.write(line + '\\n');
        fs.writeFileSync('written', '');
        process.exit();
      });
    `);
    await terminal.shows(/ready/);
    terminal.pause();
    terminal.type('\r');
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(p.has('written')).toBe(false);
    terminal.resume();
    expect((await terminal.exited).status).toBe(0);
    const numbers = terminal.text.slice(terminal.text.indexOf('ready')).match(/^\d+(?=\r)/gm) ?? [];
    expect(numbers).toEqual(Array.from({ length: 200_000 }, (_, line) => String(line)));
  });

  it('shows all that it wrote before its end if `run` reads it later', async () => {
    // Each time, the system passes the output on in other parts.
    for (let round = 0; round < 5; round++) {
      const [terminal] = hosted(`
        import fs from 'node:fs';
        const stat = fs.readFileSync('/proc/' + process.ppid + '/stat', 'utf8');
        process.on('SIGUSR2', () => {
          for (let line = 0; line < 2000; line++) fs.writeSync(1, line + '\\n');
          process.exit();
        });
        setInterval(() => undefined, 1000);
        console.log('processes ' + stat.split(') ')[1].split(' ')[1] + ' ' + process.ppid + ' ' + process.pid + '.');
      `);
      const [, run, shell, program] = await terminal.shows(/processes (\d+) (\d+) (\d+)\./);
      process.kill(Number(run), 'SIGSTOP');
      process.kill(Number(program), 'SIGUSR2');
      await until(
        () => / Z /.test(fs.readFileSync(`/proc/${shell}/stat`, 'latin1')),
        () => 'the end of the shell',
      );
      process.kill(Number(run), 'SIGCONT');
      expect((await terminal.exited).status).toBe(0);
      const numbers = terminal.text.match(/^\d+(?=\r)/gm) ?? [];
      expect(numbers).toEqual(Array.from({ length: 2000 }, (_, line) => String(line)));
    }
  });

  it('learns the size of the terminal, and when it changes', async () => {
    const [terminal] = hosted(
      `
      const show = () => console.log('size ' + process.stdout.columns + 'x' + process.stdout.rows);
      process.stdout.on('resize', show);
      show();
      process.stdin.once('data', () => process.exit());
    `,
      { columns: 91, rows: 33 },
    );
    await terminal.shows(/size 91x33/);
    terminal.resize(70, 20);
    await terminal.shows(/size 70x20/);
    terminal.type('\r');
    await terminal.exited;
  });

  it.each([
    ['process.exit(7)', 7],
    ["process.kill(process.pid, 'SIGTERM')", 143],
    ["process.kill(process.pid, 'SIGKILL')", 137],
  ])('passes on how it ended: %s', async (program, status) => {
    const [terminal] = hosted(program);
    expect(await terminal.exited, terminal.text).toMatchObject({ status });
  });

  it.each(['SIGTERM', 'SIGHUP', 'SIGINT', 'SIGQUIT'] as const)('gets %s that is sent to `run`', async (signal) => {
    const [terminal] = hosted(`
      process.on('${signal}', () => { console.log('heard ${signal}'); process.exit(9); });
      setInterval(() => undefined, 1000);
      console.log('parent ' + (await import('node:fs')).readFileSync('/proc/' + process.ppid + '/stat', 'utf8').split(') ')[1].split(' ')[1] + '.');
    `);
    const [, pid] = await terminal.shows(/parent (\d+)\./);
    process.kill(Number(pid), signal);
    expect(await terminal.exited, terminal.text).toMatchObject({ status: 9 });
    await terminal.shows(new RegExp(`heard ${signal}`));
  });

  it('gets a hang-up when `run` is killed, and when the terminal is closed', async () => {
    for (const how of ['kill', 'close']) {
      const [terminal, p] = hosted(`
        import fs from 'node:fs';
        process.on('SIGHUP', () => { fs.writeFileSync('heard', 'x'); process.exit(); });
        setInterval(() => undefined, 1000);
        console.log('parent ' + fs.readFileSync('/proc/' + process.ppid + '/stat', 'utf8').split(') ')[1].split(' ')[1] + '.');
      `);
      const [, pid] = await terminal.shows(/parent (\d+)\./);
      if (how === 'kill') process.kill(Number(pid), 'SIGKILL');
      else terminal.hangUp();
      await until(
        () => p.has('heard'),
        () => `a hang-up after ${how}`,
      );
    }
  });

  it.each(['Ctrl-Z', 'SIGTSTP'])('can be stopped with %s and continued', async (how) => {
    const p = project();
    const lines = ['echo "parent $(cut -d " " -f 4 /proc/$PPID/stat)."', 'read line', 'echo "read $line"', 'exit 5'];
    p.write('program.sh', lines.join('\n'));
    const script = 'set -m; $SAVEPOINT_COMMAND run -- sh program.sh; echo "stopped $?"; read line; fg; echo "ended $?"';
    const terminal = new HostedTerminal(p, script);
    const [, pid] = await terminal.shows(/parent (\d+)\./);
    if (how === 'Ctrl-Z') terminal.type('\x1a');
    else process.kill(Number(pid), how as NodeJS.Signals);
    await terminal.shows(/stopped 148/);
    terminal.type('\r');
    await terminal.shows(/stopped 148[\s\S]*sh program.sh/);
    terminal.type('two\r');
    await terminal.shows(/read two\r\n[\s\S]*ended 5/);
  });

  it('leaves the modes of the terminal as they were', async () => {
    const p = project();
    const run = '$SAVEPOINT_COMMAND run -- sh -c "stty -a; stty raw -echo"';
    const script = `stty erase ^H; stty -a; echo ====; ${run}; echo ====; stty -a; echo ====`;
    const terminal = new HostedTerminal(p, script);
    await terminal.exited;
    const [before, during, after] = terminal.text.split('====\r\n');
    expect(after).toBe(before);
    expect(during?.slice(0, before?.length)).toBe(before);
  });

  it.each([
    ['exits', 'process.exit(0)'],
    ['is killed', "process.kill(process.pid, 'SIGKILL')"],
  ])('leaves no mode of a full-screen program on when it %s', async (_how, end) => {
    const [terminal] = hosted(
      `process.stdout.write('before\\r\\n\\x1b[?1049h\\x1b[?25l\\x1b[?1002h\\x1b[?2004h\\x1b[?1hin', () => { ${end}; });`,
      { after: 'echo after' },
    );
    await terminal.exited;
    const { modes, isCursorHidden, screen } = await terminal.emulated();
    expect({ modes, isCursorHidden }).toMatchObject({
      modes: { mouseTrackingMode: 'none', bracketedPasteMode: false, applicationCursorKeysMode: false },
      isCursorHidden: false,
    });
    expect(screen).toMatch(/^before *\n(?:savepoint.*\n)?after/m);
  });

  it('leaves the terminal usable when `run` fails or is ended while the program runs', async () => {
    const p = project();
    const run = `$SAVEPOINT_COMMAND run -- sh -c 'trap "" TERM; echo "pid $PPID"; printf "\\033[?1049h"; sleep 0.2; kill -HUP 0'`;
    const terminal = new HostedTerminal(p, `stty -a; echo ====; ${run}; echo ====; stty -a; echo ====`);
    await terminal.exited;
    const [before, , after] = terminal.text.split('====\r\n');
    expect(after).toBe(before);
    expect((await terminal.emulated()).isAlternate).toBe(false);
  });

  it('leaves the terminal usable when `run` itself fails', async () => {
    const p = project();
    p.write(
      'fail.mjs',
      `if (process.argv[2] === 'run') {
        process.on('SIGUSR1', () => { throw new Error('on purpose'); });
        process.env.RUN_PID = String(process.pid);
      }`,
    );
    p.write('full.sh', 'printf "\\033[?1049h\\033[?25l\\033[?1002h"; sleep 0.3; kill -USR1 $RUN_PID; sleep 60\n');
    const run = `NODE_OPTIONS='--import=${p.at('fail.mjs')}' $SAVEPOINT_COMMAND run -- sh full.sh`;
    const terminal = new HostedTerminal(p, `stty -a; echo ====; ${run} 2>/dev/tty; echo ====; stty -a; echo ====`);
    await terminal.exited;
    const [before, during, after] = terminal.text.split('====\r\n');
    expect(during).toContain('on purpose');
    expect(after).toBe(before);
    const { isAlternate, isCursorHidden, modes } = await terminal.emulated();
    expect([isAlternate, isCursorHidden, modes['mouseTrackingMode']]).toEqual([false, false, 'none']);
  });
});

describe('without a pseudo-terminal', () => {
  const PARENT = `sh -c 'cat /proc/$PPID/comm; exit 3'`;

  it('a command on a terminal is a child of a shell', async () => {
    const terminal = new HostedTerminal(project(), `$SAVEPOINT_COMMAND run -- ${PARENT}`);
    expect(await terminal.exited).toMatchObject({ status: 3 });
    expect(terminal.text).toMatch(/^sh\r/m);
  });

  it.each([
    ['with standard error redirected', (command: string) => `${command} run -- ${PARENT} 2>err`],
    ['with --no-checkpoints', (command: string) => `${command} run --no-checkpoints -- ${PARENT}`],
  ])('%s, the command has the same streams', async (_why, script) => {
    const terminal = new HostedTerminal(project(), script('$SAVEPOINT_COMMAND'));
    expect(await terminal.exited).toMatchObject({ status: 3 });
    expect(terminal.text).toMatch(/^node(?:-MainThread)?\r/m);
  });

  it('without the binding, the command has the same streams', async () => {
    const p = project();
    fs.cpSync('packages/cli/bundle', `${p.base}/bundle`, { recursive: true });
    fs.cpSync('packages/cli/package.json', `${p.base}/package.json`);
    const terminal = new HostedTerminal(p, `'${process.execPath}' '${p.base}/bundle/savepoint.js' run -- ${PARENT}`);
    expect(await terminal.exited).toMatchObject({ status: 3 });
    expect(terminal.text).toMatch(/^node(?:-MainThread)?\r/m);
  });

  it('a missing program has the exit status of shells', async () => {
    const terminal = new HostedTerminal(project(), '$SAVEPOINT_COMMAND run -- no-such-program');
    expect(await terminal.exited).toMatchObject({ status: 127 });
    expect(terminal.text).toContain('cannot run no-such-program: program not found');
  });
});
