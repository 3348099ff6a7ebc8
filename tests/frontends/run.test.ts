import fs from 'node:fs';
import { type CommandOutcome, explain, type Project, project } from '@savepoint/testkit/command';
import { describe, expect, it } from 'vitest';
import { innerEvent } from './inner-agent.ts';
import { onTerminal } from './pseudo-terminal.ts';

interface Listed {
  readonly id: string;
  readonly trigger: string;
  readonly actor: { readonly name: string };
  readonly session: string | null;
}

function inProject(): Project {
  const p = project();
  p.write('a.txt', 'one\n');
  return p;
}

/** Oldest first. */
function listed(p: Project): readonly Listed[] {
  const { checkpoints } = JSON.parse(p.ok('list', '--all', '--json').stdout) as { readonly checkpoints: Listed[] };
  return checkpoints.reverse();
}

function changesOf(
  p: Project,
  id: string,
): readonly { path: string; authors: { actor: { name: string } }[]; sure: boolean }[] {
  return JSON.parse(p.ok('show', id, '--json').stdout).changes;
}

function error(outcome: CommandOutcome): string {
  return outcome.stderr;
}

describe('run', () => {
  it('takes a checkpoint, runs the command with the same streams, and attributes the changes to it', () => {
    const p = inProject();
    const script = 'read line; echo "out $line"; echo err >&2; echo two > a.txt; exit 7';
    const ran = p.run(['run', '--', 'sh', '-c', script], { input: 'typed\n' });
    expect(ran).toMatchObject({ status: 7, stdout: 'out typed\n', stderr: 'err\n' });
    const [before, after, ...more] = listed(p);
    expect(more).toEqual([]);
    expect(before).toMatchObject({ trigger: 'session', actor: { name: 'sh' } });
    expect(after).toMatchObject({ trigger: 'call', actor: { name: 'sh' }, session: before?.session });
    expect(changesOf(p, 'cp_2')).toMatchObject([
      { path: 'a.txt', authors: [{ actor: { name: 'sh' } }], grade: 'likely' },
    ]);
    p.ok('rollback', '--session', after?.session ?? '', '--likely', '--yes');
    expect(p.read('a.txt')).toBe('one\n');
  });

  it('earlier changes are not attributed to the command, and it can be given another name', () => {
    const p = inProject();
    p.checkpoint();
    p.write('mine.txt', 'mine\n');
    p.ok('run', '--agent', 'codemod', '--', '/bin/sh', '-c', 'echo its > its.txt');
    expect(listed(p).map(({ actor }) => actor.name)).toEqual(['user', 'codemod', 'codemod']);
    expect(changesOf(p, 'cp_2')).toMatchObject([{ path: 'mine.txt', authors: [{ actor: { name: 'outside' } }] }]);
    expect(changesOf(p, 'cp_3')).toMatchObject([{ path: 'its.txt', authors: [{ actor: { name: 'codemod' } }] }]);
  });

  it('arguments are passed unchanged, also options and a second --', () => {
    const p = inProject();
    const args = ['--yes', '-C', '--', '--json', 'a b', '$HOME', "'", '*'];
    const { stdout } = p.ok(
      'run',
      '--',
      process.execPath,
      '-p',
      'JSON.stringify(process.argv.slice(1))',
      '--',
      ...args,
    );
    expect(JSON.parse(stdout)).toEqual(args);
  });

  it('runs it in the folder of -C', () => {
    const p = inProject();
    const outcome = p.run(['-C', 'project', 'run', '--', 'pwd'], { cwd: p.base });
    expect(outcome).toMatchObject({ status: 0, stdout: `${p.dir}\n` });
  });

  it('a missing program, or a file that is not a program, gives the exit status of shells', () => {
    const p = inProject();
    expect(p.run(['run', '--', 'no-such-program'])).toMatchObject({ status: 127 });
    const none = p.run(['run', '--', './a.txt']);
    expect(none.status).toBe(126);
    expect(error(none)).toContain('cannot run ./a.txt');
  });

  it('changes of a killed command are captured, and the exit status names the signal', () => {
    const p = inProject();
    expect(p.run(['run', '--', 'sh', '-c', 'echo two > a.txt; kill -9 $$'])).toMatchObject({ status: 137 });
    expect(changesOf(p, 'cp_2')).toMatchObject([{ path: 'a.txt' }]);
  });

  it.each(['SIGTERM', 'SIGHUP', 'SIGINT'] as const)(
    '%s reaches the command; its changes are captured',
    async (signal) => {
      const p = inProject();
      const trap = `trap 'echo heard > heard.txt; exit 9' TERM HUP INT; echo > begun; while :; do sleep 0.02; done`;
      const { pid, done } = p.start(['run', '--', 'sh', '-c', trap]);
      while (!p.has('begun')) await new Promise((resolve) => setTimeout(resolve, 20));
      process.kill(pid, signal);
      expect(await done).toMatchObject({ status: 9, signal: null });
      expect(changesOf(p, 'cp_2').map(({ path }) => path)).toEqual(['begun', 'heard.txt']);
    },
  );

  it('Ctrl-C reaches the command once, and its changes are captured and reported', async () => {
    const p = inProject();
    const count = `n=0; trap 'n=$((n+1)); echo $n > heard; sleep 0.3; exit 130' INT; echo begun; while :; do sleep 0.02; done`;
    const { status, screen } = await onTerminal(p, ['run', '--', 'sh', '-c', count], { typed: [[/begun/, '\x03']] });
    expect(status, screen).toBe(130);
    expect(screen).toMatch(/1 path changed .*rollback --session/);
    expect(p.read('heard')).toBe('1\n');
    expect(changesOf(p, 'cp_2')).toMatchObject([{ path: 'heard', grade: 'likely' }]);
  });

  it('is not run if no checkpoint can be taken', () => {
    const p = inProject();
    fs.mkdirSync(p.store);
    fs.chmodSync(p.store, 0o777);
    const outcome = p.run(['run', '--', 'sh', '-c', 'echo > ran']);
    expect(outcome.status).toBe(1);
    expect(error(outcome)).toMatch(/Other users can .*The command was not run.*--no-checkpoints/s);
    expect(p.has('ran')).toBe(false);
  });

  it('reports if the changes could not be recorded', () => {
    const p = inProject();
    const outcome = p.run(['run', '--', 'sh', '-c', `rm -rf '${p.store}'`]);
    expect(outcome.status).toBe(1);
    expect(error(outcome)).toContain('The changes of the command were not recorded');
    expect(p.run(['run', '--', 'sh', '-c', `rm -rf '${p.store}'; exit 5`]).status).toBe(5);
  });

  it.each([
    [['run']],
    [['run', '--']],
    [['run', 'ls']],
    [['run', '--json', '--', 'ls']],
    [['run', '--yes', '--', 'ls']],
    [['run', '--agent', ' ', '--', 'ls']],
    [['run', '--nonsense', '--', 'ls']],
    [['run', '--key', 'x', '--', 'ls']],
    [['run', '--session', ' ', '--', 'ls']],
  ])('%j is wrong usage, and runs nothing', (args) => {
    const p = inProject();
    const outcome = p.run(args);
    expect(outcome.status, explain(args, outcome)).toBe(2);
    expect(outcome.stdout).toBe('');
    expect(fs.existsSync(p.store)).toBe(false);
  });
});

describe('a program that is an agent itself', () => {
  it('is the author of what its hooks report, also in a terminal, and run is not', async () => {
    const p = inProject();
    p.write('start.json', innerEvent(p, 'SessionStart'));
    p.write('pre.json', innerEvent(p, 'PreToolUse'));
    p.write('post.json', innerEvent(p, 'PostToolUse'));
    const hook = `"$NODE" "$CLI" hook claude`;
    p.write(
      'agent.sh',
      `${hook} < start.json\n${hook} < pre.json\necho made > made.txt\n${hook} < post.json\necho own > own.txt\n`,
    );
    const env = { NODE: process.execPath, CLI: fs.realpathSync('packages/cli/bundle/savepoint.js') };
    const args = ['run', '--agent', 'host', '--session', 'outer', '--', 'sh', 'agent.sh'];
    const { status, screen } = await onTerminal(p, args, { env });
    expect(status, screen).toBe(0);
    const { changes } = JSON.parse(p.ok('history', '--json').stdout) as {
      readonly changes: readonly { path: string; authors: { actor: { name: string }; session: string }[] }[];
    };
    const authors = new Map(
      changes.map((one) => [one.path, one.authors.map(({ actor, session }) => [actor.name, session])]),
    );
    expect(authors.get('made.txt')).toEqual([['claude', 'inner']]);
    expect(authors.get('own.txt')).toEqual([['host', 'outer']]);
    p.ok('rollback', '--agent', 'claude', '--likely', '--yes');
    expect([p.has('made.txt'), p.has('own.txt')]).toEqual([false, true]);
  });
});

describe('an agent that is known', () => {
  /** A program named `claude` that runs the hook of its option --settings, as Claude Code does. */
  function withClaude(p: Project): Readonly<Record<string, string>> {
    const script = `#!${process.execPath}
      import { spawnSync } from 'node:child_process';
      import fs from 'node:fs';
      fs.writeFileSync('${p.base}/args', process.argv.slice(2).join('\\n'));
      const at = process.argv.indexOf('--settings');
      const { hooks } = at < 0 ? {} : JSON.parse(process.argv[at + 1]);
      const fire = (event, input) => {
        for (const group of hooks?.[event] ?? []) for (const { command } of group.hooks) spawnSync('sh', ['-c', command], { input });
      };
      fire('SessionStart', ${JSON.stringify(innerEvent(p, 'SessionStart'))});
      fs.writeFileSync('user.txt', 'by an editor');
      fire('PreToolUse', ${JSON.stringify(innerEvent(p, 'PreToolUse'))});
      fs.writeFileSync('made.txt', 'by the agent');
      fire('PostToolUse', ${JSON.stringify(innerEvent(p, 'PostToolUse'))});
      fs.writeFileSync('late.txt', 'by an editor');
    `;
    fs.mkdirSync(`${p.base}/bin`);
    fs.writeFileSync(`${p.base}/bin/claude`, script, { mode: 0o755 });
    fs.writeFileSync(`${p.base}/bin/package.json`, '{"type":"module"}');
    return { PATH: `${p.base}/bin:${process.env['PATH']}` };
  }

  function authorsIn(p: Project): ReadonlyMap<string, readonly unknown[]> {
    const { changes } = JSON.parse(p.ok('history', '--json').stdout) as {
      readonly changes: readonly {
        path: string;
        grade: string;
        authors: { actor: { name: string }; tool: string }[];
      }[];
    };
    return new Map(
      changes.map(({ path, grade, authors }) => [
        path,
        [grade, ...authors.map(({ actor, tool }) => `${actor.name} ${tool}`)],
      ]),
    );
  }

  it('gets hooks for this run, and run is the author of nothing', () => {
    const p = inProject();
    p.checkpoint();
    const outcome = p.run(['run', '--', 'claude', '--model', 'opus', 'do it'], { env: withClaude(p) });
    expect(outcome.status, explain([], outcome)).toBe(0);
    expect(fs.readFileSync(`${p.base}/args`, 'utf8')).toMatch(/^--settings\n\{.*\}\n--model\nopus\ndo it$/);
    expect(Object.fromEntries(authorsIn(p))).toEqual({
      'user.txt': ['sure', 'outside null'],
      'made.txt': ['likely', 'claude Bash'],
      'late.txt': ['sure', 'outside null'],
    });
    expect(fs.readdirSync(p.home)).toEqual([]);
    expect(p.has('.claude')).toBe(false);
    p.ok('rollback', '--agent', 'claude', '--likely', '--yes');
    expect([p.has('made.txt'), p.has('user.txt'), p.has('late.txt')]).toEqual([false, true, true]);
  });

  it('keeps settings that are given, and gets nothing if its own settings have the hooks', () => {
    const p = inProject();
    const env = withClaude(p);
    p.run(['run', '--', 'claude', '--settings', '{"model":"m"}'], { env });
    expect(JSON.parse(fs.readFileSync(`${p.base}/args`, 'utf8').split('\n')[1] ?? '')).toMatchObject({
      model: 'm',
      hooks: { Stop: [{}] },
    });
    p.ok('install', 'claude', '--user');
    p.run(['run', '--', 'claude', 'do it'], { env });
    expect(fs.readFileSync(`${p.base}/args`, 'utf8')).toBe('do it');
  });
});

describe('run --no-checkpoints', () => {
  it('captures nothing, and disables hooks and nested runs', () => {
    const p = inProject();
    const cli = `"$NODE" "$CLI" run -- sh -c "echo inner > inner.txt"`;
    const env = { NODE: process.execPath, CLI: fs.realpathSync('packages/cli/bundle/savepoint.js') };
    const outcome = p.run(['run', '--no-checkpoints', '--', 'sh', '-c', `echo "$SAVEPOINT"; ${cli}; exit 3`], { env });
    expect(outcome, explain([], outcome)).toMatchObject({ status: 3, stdout: 'off\n' });
    expect(p.read('inner.txt')).toBe('inner\n');
    expect(fs.existsSync(p.store)).toBe(false);
  });
});

describe('run --restore-checkpoint', () => {
  function changed(): Project {
    const p = inProject();
    p.checkpoint();
    p.write('a.txt', 'two\n');
    return p;
  }

  it('restores first, then runs', () => {
    const p = changed();
    const outcome = p.run(['run', '--restore-checkpoint', 'cp_1', '--yes', '--', 'cat', 'a.txt']);
    expect(outcome).toMatchObject({ status: 0, stdout: 'one\n' });
    expect(outcome.stderr).toContain('Restored cp_1');
    expect(listed(p).map(({ trigger }) => trigger)).toEqual(['manual', 'before', 'restore', 'session']);
  });

  it('restores the entire workspace, also from a subfolder', () => {
    const p = changed();
    p.write('sub/x', 'x');
    const outcome = p.run(['run', '--restore-checkpoint', 'cp_1', '--yes', '--', 'cat', '../a.txt'], {
      cwd: p.at('sub'),
    });
    expect(p.read('a.txt')).toBe('one\n');
    expect(outcome).toMatchObject({ status: 1, stdout: '' });
    expect(outcome.stderr).toMatch(/The folder .*sub does not exist in the checkpoint/);
  });

  it.each([
    ['there is no terminal to ask at', ['cp_1'], 1],
    ['there is no such checkpoint', ['cp_99', '--yes'], 1],
  ])('is refused if %s: the command is not run', (_why, [cp = '', ...flags], status) => {
    const p = changed();
    expect(p.run(['run', '--restore-checkpoint', cp, ...flags, '--', 'sh', '-c', 'echo > ran'])).toMatchObject({
      status,
    });
    expect(p.has('ran')).toBe(false);
    expect(p.read('a.txt')).toBe('two\n');
  });

  it.each([
    ['y\r', 0, 'one\n'],
    ['n\r', 1, 'two\n'],
  ])('asks at a terminal; %j', async (keys, wanted, content) => {
    const p = changed();
    const args = ['run', '--restore-checkpoint', 'cp_1', '--', 'sh', '-c', 'echo > ran'];
    const { status, screen } = await onTerminal(p, args, { typed: [[/\[y\/N\] /, keys]] });
    expect(status, screen).toBe(wanted);
    expect(p.read('a.txt')).toBe(content);
    expect(p.has('ran')).toBe(wanted === 0);
  });
});
