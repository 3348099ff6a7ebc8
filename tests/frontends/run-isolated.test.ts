/** `savepoint run --isolated`: a program works in a copy, and its changes are a proposal. */

import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { whyNoOverlays } from '@savepoint/testkit';
import { main as MAIN, type Project, project } from '@savepoint/testkit/command';
import { describe, expect, it } from 'vitest';
import { HostedTerminal, until } from './hosted-terminal.ts';
import { approvePlan } from './plan-approval.ts';

function inProject(): Project {
  const p = project();
  p.write('a.txt', 'one\ntwo\nthree\nfour\nfive\n');
  return p;
}

/** Every file with its content and the time of its last change. */
function treeOf(p: Project): readonly string[] {
  return fs
    .readdirSync(p.dir, { recursive: true, encoding: 'utf8' })
    .map((name) => {
      const stat = fs.statSync(p.at(name), { bigint: true });
      return `${name} ${stat.mode} ${stat.mtimeNs} ${stat.isFile() ? p.read(name) : ''}`;
    })
    .sort();
}

it('the folder stays as it is until the changes are applied, which are surely those of the program', async () => {
  const p = inProject();
  p.write('gone.txt', 'gone\n');
  const before = treeOf(p);
  const script = [
    'sed -i s/five/5/ a.txt; rm gone.txt; (echo child > child.txt)',
    `touch '${p.base}/changed'`,
    `while ! test -e '${p.base}/go'; do sleep 0.05; done`,
  ].join('\n');
  const running = p.start(['run', '--isolated', '--apply', '--agent', 'mine', '--', 'sh', '-c', script]);
  await until(
    async () => fs.existsSync(path.join(p.base, 'changed')),
    () => 'the program',
    20_000,
  );
  expect(treeOf(p)).toEqual(before);
  p.write('a.txt', 'ONE\ntwo\nthree\nfour\nfive\n');
  fs.writeFileSync(path.join(p.base, 'go'), '');
  const done = await running.done;
  expect(done.status, done.stderr).toBe(0);
  expect(done.stderr).toMatch(/Not isolated: .*\n[\s\S]*Applied to 3 paths/);
  expect(p.read('a.txt')).toBe('ONE\ntwo\nthree\nfour\n5\n');
  const last = JSON.parse(p.ok('show', 'last', '--json').stdout);
  expect(last).toMatchObject({ trigger: 'apply', actor: { kind: 'agent', name: 'mine' } });
  const authors = last.changes.map((one: { path: string; grade: string; authors: { actor: { name: string } }[] }) => [
    one.path,
    one.grade,
    one.authors[0]?.actor.name,
  ]);
  expect(authors).toEqual([
    ['a.txt', 'sure', 'mine'],
    ['child.txt', 'sure', 'mine'],
    ['gone.txt', 'sure', 'mine'],
  ]);
  p.ok('rollback', '--session', last.session, '--yes');
  expect([p.read('a.txt'), p.has('child.txt'), p.has('gone.txt')]).toEqual([
    'ONE\ntwo\nthree\nfour\nfive\n',
    false,
    true,
  ]);
});

it('on a terminal, the program has the terminal, and the question follows it', async () => {
  const p = inProject();
  const terminal = new HostedTerminal(
    p,
    `$SAVEPOINT_COMMAND run --isolated -- sh -c 'test -t 0 && echo new > new.txt; exit 3'; echo "status $?."`,
  );
  await terminal.displays(/exit status 3[\s\S]*\[a\/r\/p\/d\/x\/K\]/);
  expect(p.has('new.txt')).toBe(false);
  terminal.type('a\r');
  await terminal.displays(/Applied to 1 path[\s\S]*status 3\./);
  expect(p.read('new.txt')).toBe('new\n');
});

/** A program that ends turns: each changes files, tells our hook, and waits until the test lets it go on. */
function turnsOf(p: Project, ...turns: readonly string[]): string {
  const main = [process.execPath, MAIN].map((word) => `'${word}'`).join(' ');
  const stop = `printf '{"session_id":"s1","hook_event_name":"Stop","cwd":"%s"}' "$PWD" | ${main} hook claude`;
  const steps = turns.map(
    (change, at) => `${change}\n${stop}\nwhile ! test -e '${p.base}/go${at}'; do sleep 0.05; done`,
  );
  return `set -e\nexec >'${p.base}/said' 2>&1\n${steps.join('\n')}`;
}

const goOn = (p: Project, turn: number): void => fs.writeFileSync(path.join(p.base, `go${turn}`), '');
const holds = (p: Project, name: string, text: string): Promise<unknown> =>
  until(
    async () => p.has(name) && p.read(name) === text,
    () => `${name}: ${p.has(name) ? p.read(name) : 'none'}, ${fs.readFileSync(path.join(p.base, 'said'), 'utf8')}`,
    30_000,
  );

it('with --each-turn, the changes of each turn are applied, and those of the person get into the copy', async () => {
  const p = inProject();
  const script = turnsOf(
    p,
    `touch '${p.base}/in'; sed -i s/five/5/ a.txt; echo first > new.txt; while ! test -e '${p.base}/begin'; do sleep 0.05; done`,
    'while ! grep -q ONE a.txt; do sleep 0.05; done; echo second > new.txt',
    'echo seen > seen.txt; rm new.txt',
  );
  const options = ['--isolated', '--each-turn', '--apply', '--agent', 'mine'];
  const running = p.start(['run', ...options, '--', 'sh', '-c', `${script}\necho last > last.txt`]);
  await until(
    async () => fs.existsSync(path.join(p.base, 'in')),
    () => 'the program',
    20_000,
  );
  p.write('a.txt', 'ONE\ntwo\nthree\nfour\nfive\n');
  fs.writeFileSync(path.join(p.base, 'begin'), '');
  await holds(p, 'new.txt', 'first\n');
  await holds(p, 'a.txt', 'ONE\ntwo\nthree\nfour\n5\n');
  goOn(p, 0);
  await holds(p, 'new.txt', 'second\n');
  p.write('a.txt', 'ONE\ntwo\nthree\nfour\nfive\n');
  goOn(p, 1);
  await holds(p, 'seen.txt', 'seen\n');
  goOn(p, 2);
  const done = await running.done;
  expect(done.status, done.stderr).toBe(0);
  expect(done.stderr).toMatch(
    /turn 1: applied to 2 paths[\s\S]*turn 2: applied to 1 path[\s\S]*turn 3: applied to 2 paths/,
  );
  expect(done.stderr).toMatch(/Applied to 1 path [\s\S]*rollback --session/);
  // The person reverted the change of the first turn. No later turn makes it again.
  expect([p.read('a.txt'), p.has('new.txt'), p.read('last.txt')]).toEqual([
    'ONE\ntwo\nthree\nfour\nfive\n',
    false,
    'last\n',
  ]);
  const { checkpoints } = JSON.parse(p.ok('list', '--json').stdout);
  const applied = checkpoints.filter(({ trigger }: { trigger: string }) => trigger === 'apply');
  expect(applied.length).toBe(4);
  expect(applied.at(-1).description).toBe('Isolated run of mine, turn 1');
  p.ok('rollback', '--session', applied[0].session, '--yes');
  expect([p.read('a.txt'), p.has('last.txt'), p.has('seen.txt')]).toEqual([
    'ONE\ntwo\nthree\nfour\nfive\n',
    false,
    false,
  ]);
});

it('a turn that does not merge is applied with a later one, and nothing of the person is lost', async () => {
  const p = inProject();
  const begin = `while ! test -e '${p.base}/begin'; do sleep 0.05; done`;
  const script = turnsOf(p, `${begin}; sed -i s/five/agent/ a.txt; echo first > new.txt`, 'echo second > new.txt');
  const messages = path.join(p.base, 'messages');
  const running = spawn(
    process.execPath,
    [MAIN, 'run', '--isolated', '--each-turn', '--apply', '--', 'sh', '-c', script],
    {
      cwd: p.dir,
      env: p.environment(),
      stdio: ['ignore', 'ignore', fs.openSync(messages, 'w')],
    },
  );
  const ended = new Promise<number | null>((resolve) => running.on('exit', resolve));
  const said = (): string => fs.readFileSync(messages, 'utf8');
  await until(async () => said().includes('Not isolated'), said, 30_000);
  p.write('a.txt', 'one\ntwo\nthree\nfour\nperson\n');
  fs.writeFileSync(path.join(p.base, 'begin'), '');
  await until(async () => said().includes('turn 1: not applied'), said, 30_000);
  expect([p.read('a.txt'), p.has('new.txt')]).toEqual(['one\ntwo\nthree\nfour\nperson\n', false]);
  p.write('a.txt', 'one\ntwo\nthree\nfour\nfive\n');
  goOn(p, 0);
  await holds(p, 'new.txt', 'second\n');
  expect(p.read('a.txt')).toBe('one\ntwo\nthree\nfour\nagent\n');
  goOn(p, 1);
  expect(await ended, said()).toBe(0);
  expect(said()).toContain('nothing more was changed in the copy');
});

const NO_QUESTION = /^(?![\s\S]*has ended)/;

it('on a terminal, --each-turn asks over the program, and typing decides nothing', async () => {
  const p = inProject();
  const script = turnsOf(
    p,
    'echo first > new.txt',
    'echo second > more.txt',
    'while test -e more.txt; do sleep 0.05; done; echo third > new.txt',
  ).replace(/^.*\nexec.*\n/, '');
  fs.writeFileSync(path.join(p.base, 'program.sh'), `${script}\nread line\necho "read $line."`);
  const terminal = new HostedTerminal(
    p,
    `$SAVEPOINT_COMMAND run --isolated --each-turn -- sh '${p.base}/program.sh'; echo "status $?."`,
  );
  await terminal.displays(/Turn 1 has ended[\s\S]*new\.txt[\s\S]*> decide later/);
  terminal.type('ax');
  terminal.type('\x1b[B');
  await terminal.displays(/> apply these changes/);
  expect(p.has('new.txt')).toBe(false);
  terminal.type('\r');
  await holds(p, 'new.txt', 'first\n');
  goOn(p, 0);
  await terminal.displays(/Turn 2 has ended[\s\S]*more\.txt[\s\S]*> decide later/);
  terminal.type('\x1b[B\x1b[B');
  await terminal.displays(/> drop them/);
  terminal.type('\r');
  await terminal.displays(NO_QUESTION);
  goOn(p, 1);
  await terminal.displays(/Turn 3 has ended[\s\S]*> decide later/);
  expect((await terminal.emulated()).screen).not.toContain('more.txt');
  terminal.type('\r');
  await terminal.displays(NO_QUESTION);
  goOn(p, 2);
  terminal.type('\r');
  await terminal.displays(
    /Your prompt[^\n]*\nax *\n[\s\S]*turn 1: applied to 1 path[\s\S]*turn 2: its changes were dropped[\s\S]*\[a\/r\/p\/d\/x\/K\]/,
  );
  terminal.type('x\r');
  await terminal.displays(/Dropped the changes/);
  expect([p.read('new.txt'), p.has('more.txt')]).toEqual(['first\n', false]);
});

it.each([
  [['--each-turn'], /--each-turn needs --isolated/],
  [['--isolated', '--each-turn', '--keep'], /cannot be used with/],
  [['--isolated', '--each-turn', '--preset', 'read'], /needs a program that may edit/],
  [['--isolated'], /no terminal to ask/],
  [['--apply'], /--apply needs --isolated/],
  [['--isolated', '--no-checkpoints', '--drop'], /--isolated needs checkpoints/],
])('%j: a usage error before anything runs', (options, text) => {
  const p = inProject();
  const refused = p.run(['run', ...options, '--', 'sh', '-c', `echo ran > '${p.base}/ran'`]);
  expect(refused.status).toBe(2);
  expect(refused.stderr).toMatch(text);
  expect(fs.existsSync(path.join(p.base, 'ran'))).toBe(false);
});

describe.skipIf(whyNoOverlays() !== null)('what the program may do', () => {
  const LOOK = 'ls -A; cat a.txt; cat link; (echo no > a.txt); (echo no > new.txt); rm -f a.txt; test -e a.txt';
  const looked = (p: Project, preset: string, ...more: readonly string[]) => {
    fs.symlinkSync('a.txt', p.at('link'));
    p.write('folder/b.txt', 'deep\n');
    p.ok('checkpoint');
    const before = treeOf(p);
    const outcome = p.run([
      'run',
      '--isolated',
      '--preset',
      preset,
      ...more,
      '--',
      'sh',
      '-c',
      `{ ${LOOK}; } > '${p.base}/out'`,
    ]);
    return {
      ...outcome,
      said: fs.readFileSync(path.join(p.base, 'out'), 'utf8'),
      isUnchanged: before.join() === treeOf(p).join(),
    };
  };
  const TEXT = 'one\ntwo\nthree\nfour\nfive\n';

  it('list: names, and no contents', () => {
    const done = looked(inProject(), 'list');
    expect(done).toMatchObject({ status: 0, said: 'a.txt\nfolder\nlink\n', isUnchanged: true });
    expect(done.stderr).toMatch(/that has names only[\s\S]*nothing was changed/);
  });

  it('read: everything can be read, and nothing written', () => {
    const done = looked(inProject(), 'read');
    expect(done).toMatchObject({ status: 0, said: `a.txt\nfolder\nlink\n${TEXT}${TEXT}`, isUnchanged: true });
    expect(done.stderr).toMatch(/that can only be read[\s\S]*nothing was changed/);
  });

  it('edit is the default', () => {
    expect(looked(inProject(), 'edit', '--drop')).toMatchObject({ status: 1, isUnchanged: true });
  });

  it('is refused where the system cannot enforce it', () => {
    const p = inProject();
    const bin = path.join(p.base, 'bin');
    fs.mkdirSync(bin);
    for (const name of ['sh', 'git'])
      fs.symlinkSync(execFileSync('which', [name], { encoding: 'utf8' }).trim(), path.join(bin, name));
    const run = (...more: readonly string[]) =>
      p.run(['run', '--isolated', ...more, '--', 'sh', '-c', `: > '${p.base}/ran'`], { env: { PATH: bin } });
    const refused = run('--preset', 'read');
    expect([refused.status, refused.stderr]).toEqual([
      2,
      expect.stringMatching(/Only an overlay can keep .* unshare is missing/),
    ]);
    expect(fs.existsSync(path.join(p.base, 'ran'))).toBe(false);
    expect(fs.readdirSync(path.join(p.store, 'copies'))).toEqual([]);
    expect(run('--preset', 'other').stderr).toContain('--preset needs list, read or edit');
    expect(p.run(['run', '--preset', 'read', '--', 'true']).stderr).toContain('--preset needs --isolated');
  });
});

it('--plan keeps the changes as a plan, which is surely of the program also after a person applies it', () => {
  const p = inProject();
  const before = treeOf(p);
  const done = p.run([
    'run',
    '--isolated',
    '--plan',
    '-m',
    'Make it 5',
    '--agent',
    'mine',
    '--',
    'sh',
    '-c',
    'sed -i s/five/5/ a.txt',
  ]);
  expect(done.status, done.stderr).toBe(0);
  expect(done.stderr).toMatch(/Kept 1 change as plan_\w{8}\. The folder is not changed\./);
  expect(treeOf(p)).toEqual(before);
  const [plan] = JSON.parse(p.ok('plan', 'list', '--json').stdout).plans;
  expect(plan).toMatchObject({ intent: 'Make it 5', source: 'isolated', by: { name: 'mine' } });
  expect(JSON.parse(p.ok('copies', '--json').stdout).copies).toEqual([]);
  approvePlan(p, plan.id);
  p.ok('plan', 'apply', plan.id, '--yes');
  expect(JSON.parse(p.ok('show', 'last', '--json').stdout).changes).toMatchObject([
    { path: 'a.txt', grade: 'sure', authors: [{ actor: { name: 'mine' } }] },
  ]);
});

describe('--json tells every outcome', () => {
  const sh = (script: string) => ['--', 'sh', '-c', script];
  const change = sh('echo output; echo new >> a.txt');
  const result = (p: Project, ...args: readonly string[]) => {
    const done = p.run(['--json', ...args]);
    return { ...done, json: JSON.parse(done.stdout) };
  };

  it.each(['try', 'run --isolated'])('%s', (name) => {
    const p = inProject();
    const command = name.split(' ');
    const isRun = command[0] === 'run';
    const rung = whyNoOverlays() === null ? 'overlay' : expect.any(String);
    const ids = { id: expect.stringMatching(/^copy_/), rung };
    const session = isRun ? { session: expect.any(String), turns: [] } : {};
    expect(result(p, ...command, '--drop', ...sh('exit 3'))).toMatchObject({
      status: 3,
      json: { ...session, outcome: 'unchanged', exit: 3, signal: null, changes: [], copy: { ...ids, isKept: false } },
    });
    expect(result(p, ...command, '--drop', ...change).json).toMatchObject({
      ...session,
      outcome: 'dropped',
      changes: [{ path: 'a.txt' }],
      totals: { files: 1, added: 1 },
      notIsolated: expect.arrayContaining(['the network']),
    });
    const patch = path.join(p.base, `${command[0]}.patch`);
    expect(result(p, ...command, '--patch', patch, ...change).json).toMatchObject({ outcome: 'saved', patch });
    const { json: planned } = result(p, ...command, '--plan', ...change);
    expect(planned).toMatchObject({ outcome: 'planned', plan: expect.stringMatching(/^plan_/), operation: null });
    const { json: kept } = result(p, ...command, '--keep', ...change);
    expect(kept).toMatchObject({
      outcome: 'kept',
      copy: { ...ids, isKept: true, files: expect.stringContaining('/') },
    });
    expect(p.read('a.txt')).not.toContain('new');
    const { json: applied } = result(p, ...command, '--apply', ...change);
    expect(applied).toMatchObject({ outcome: 'applied', operation: { checkpoint: { trigger: 'apply' } }, error: null });
    expect(p.read('a.txt').endsWith('new\n')).toBe(true);
    const failed = result(p, ...command, '--apply', ...sh('echo more >> a.txt; exit 5'));
    expect(failed).toMatchObject({ status: 5, json: { outcome: 'kept', error: { code: 'CANCELLED' } } });
    p.write('a.txt', 'of a person\n');
    const conflict = result(p, 'try', '--continue', kept.copy.id, '--apply');
    expect(conflict.json).toMatchObject({ outcome: 'kept', exit: null, error: { code: 'CONFLICT' } });
    expect(conflict.status).not.toBe(0);
    expect(result(p, 'try', '--continue', kept.copy.id, '--drop').json).toMatchObject({
      outcome: 'dropped',
      exit: null,
    });
    const undecided = p.run(['--json', ...command, ...change]);
    expect([undecided.status, JSON.parse(undecided.stderr || undecided.stdout).error.code]).toEqual([2, 'USAGE']);
  });

  it('run --isolated --each-turn: the checkpoints of the turns', async () => {
    const p = inProject();
    const script = `${turnsOf(p, 'echo 1 > one')}\necho 2 > two`;
    const running = p.start(['--json', 'run', '--isolated', '--each-turn', '--apply', ...sh(script)]);
    await holds(p, 'one', '1\n');
    goOn(p, 0);
    const { stdout, status } = await running.done;
    const json = JSON.parse(stdout);
    expect([status, json.outcome, json.turns.length]).toEqual([0, 'applied', 1]);
    const [{ turn, checkpoint }] = json.turns;
    expect(turn).toBe(1);
    const paths = (id: string) =>
      JSON.parse(p.ok('show', id, '--json').stdout).changes.map((one: { path: string }) => one.path);
    expect([paths(checkpoint), paths(json.operation.checkpoint.id)]).toEqual([['one'], ['two']]);
  });
});
