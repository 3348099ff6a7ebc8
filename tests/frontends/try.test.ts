/** `savepoint try`: a command in a copy of the folder, and what becomes of its changes. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { type Project, project } from '@savepoint/testkit/command';
import { describe, expect, it } from 'vitest';
import { HostedTerminal, until } from './hosted-terminal.ts';

function inProject(): Project {
  const p = project();
  p.write('a.txt', 'one\ntwo\nthree\n');
  return p;
}

const tried = (script: string, ...options: readonly string[]) => ['try', ...options, '--', 'sh', '-c', script];

function copies(p: Project): readonly string[] {
  const folder = path.join(p.store, 'copies');
  return fs.existsSync(folder) ? fs.readdirSync(folder).filter((name) => name.startsWith('copy_')) : [];
}

describe('try without a terminal', () => {
  it('applies what a command that succeeds changed, and undo reverts it', () => {
    const p = inProject();
    const script = 'echo four >> a.txt; printf "\\0" > b.bin; mkdir empty; read line; echo "out $line"';
    const done = p.run(tried(script, '--apply'), { input: 'typed\n' });
    expect(done).toMatchObject({ status: 0, stdout: 'out typed\n' });
    expect(done.stderr).toMatch(/Applied to 3 paths {2}\(now cp_2\)/);
    expect(p.read('a.txt')).toBe('one\ntwo\nthree\nfour\n');
    expect(fs.statSync(p.at('empty')).isDirectory()).toBe(true);
    expect(copies(p)).toEqual([]);
    const last = JSON.parse(p.ok('show', 'last', '--json').stdout);
    expect(last).toMatchObject({ trigger: 'apply', description: expect.stringMatching(/^Tried: sh -c /) });
    p.ok('undo');
    expect([p.read('a.txt'), p.has('b.bin'), p.has('empty')]).toEqual(['one\ntwo\nthree\n', false, false]);
  });

  it('is short where one line says what was done and what is not isolated', () => {
    const p = inProject();
    const done = p.run(tried(`echo ${'long '.repeat(60)} > a.txt`, '--apply'));
    expect(done.stderr).toMatch(/Not isolated: files outside of [^\n]{1,160}\.\n/);
    const lines = [p.ok('status').stdout, p.ok('undo').stdout, p.ok('status').stdout, p.ok('list').stdout].join('\n');
    expect(lines).toMatch(/Undid cp_\d+ \(Tried: [^\n]+…\): 1 path/);
    expect(Math.max(...lines.split('\n').map((line) => line.length))).toBeLessThan(200);
  });

  it('kept copies are removed only after a question, and only those of the workspace', async () => {
    const p = inProject();
    // A process of its own: while it lives, the copy is in use.
    await p.start(tried('echo new > a.txt', '--keep')).done;
    const [id = ''] = copies(p);
    expect(p.ok('copies').stdout).toMatch(new RegExp(`^${id}  try .* kept  `, 'm'));
    const refused = p.run(['copies', '--clean', '--all']);
    expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining(`may exist nowhere else (${id})`)]);
    const other = path.join(p.base, 'other');
    fs.mkdirSync(other);
    p.run(['copies', '--clean', '--all', '--yes'], { cwd: other });
    expect(copies(p)).toEqual([id]);
    p.ok('copies', '--clean', '--all', '--yes');
    expect(copies(p)).toEqual([]);
  });

  it('names commits that were made in the copy, and keeps it', () => {
    const p = inProject();
    const commit = 'git -c user.name=a -c user.email=a@b -c commit.gpgsign=false commit -q';
    execFileSync('sh', ['-c', `git init -q && git add -A && ${commit} -m first`], {
      cwd: p.at(''),
      env: p.environment(),
    });
    const done = p.run(tried(`echo four >> a.txt; ${commit} -am second`, '--apply'));
    expect(done.stderr).toMatch(/commits of the copy, which cannot be applied.*\n *\.: [0-9a-f]{40} \(\w+\)\n/);
    const [id] = copies(p);
    expect(done.stderr).toContain(`The copy ${id} is kept. It has the commits.`);
    expect(p.read('a.txt')).toBe('one\ntwo\nthree\nfour\n');

    // If its changes are a plan, it is not offered to apply them. The commands that it prints get the commits.
    p.ok('undo');
    const planned = p.run(['try', '--continue', id ?? '', '--plan']);
    expect(planned.stderr).toMatch(/Its changes are plan_\w+\. .*--drop/);
    expect(planned.stderr).not.toContain('--apply');
    const bundle = path.join(p.base, 'out.bundle');
    const printed = planned.stderr.split('\n').filter((line) => /^ {4}(?:savepoint|git) /.test(line));
    for (const line of printed) {
      const [program, ...words] = line
        .trim()
        .replaceAll(/\S+\/copy_\w+\.bundle/g, bundle)
        .split(' ');
      if (program === 'git') p.git(...words);
      else p.ok(...words);
    }
    expect(printed.length).toBeGreaterThan(0);
    expect(p.git('log', '--all', '--format=%s').trim().split('\n')).toEqual(['second', 'first']);
    p.ok('try', '--continue', id ?? '', '--drop');
  });

  it.each([
    [
      'a branch that is not checked out',
      'git checkout -qb side; echo p > p.txt; git add .; GIT commit -qm p; git checkout -q main',
      'refs/heads/side',
    ],
    ['a stash', 'echo more >> a.txt; GIT stash -q', 'refs/stash'],
    ['a packed tag', 'GIT tag -a v1 -m text; git pack-refs --all', 'refs/tags/v1'],
    ['a note', 'GIT notes add -m text', 'refs/notes/commits'],
    ['a detached HEAD', 'git checkout -q --detach; GIT commit -q --allow-empty -m p', 'HEAD'],
    ['a new repository', 'git init -q -b own sub; cd sub; GIT commit -q --allow-empty -m p', 'refs/heads/own'],
  ])('keeps a copy with a commit of its own: %s', (_, script, ref) => {
    const p = inProject();
    p.commitAll();
    p.git('branch', '-M', 'main');
    const git = 'git -c user.name=a -c user.email=a@b -c commit.gpgsign=false';
    const done = p.run(['--json', ...tried(script.replaceAll('GIT', git), '--apply')]);
    const { copy, commits } = JSON.parse(done.stdout);
    expect([copy.isKept, commits]).toEqual([true, [expect.objectContaining({ ref })]]);
    const again = p.run(['try', '--continue', copy.id, '--apply']);
    expect(again.stderr).toContain(`${commits[0].commit} (${ref.replace(/^refs\/(?:heads\/|tags\/|(?=stash))/, '')})`);
    expect(again.stderr).toContain('is kept. It has the commits.');
    expect(again.stderr).not.toContain('nothing was changed');
    expect(copies(p)).toEqual([copy.id]);
  });

  it('names ignored files and dependencies that were changed and are not applied', () => {
    const p = inProject();
    p.write('.gitignore', 'dist\n');
    p.write('node_modules/old/i.js', '1\n');
    p.commitAll();
    const build = 'mkdir -p node_modules/a dist; echo 1 > node_modules/a/i.js; echo 2 > dist/o.js';
    const done = p.run(tried(build, '--apply'));
    expect(done.stderr).toContain('nothing was changed in the copy that can be applied');
    expect(done.stderr).toMatch(/^changed, and not applied .*dist/m);
    if (!done.stderr.includes('no overlay is possible')) expect(done.stderr).toMatch(/not applied .*node_modules\/a/);
    const both = JSON.parse(p.run(['--json', ...tried(`${build}; echo four >> a.txt; git status`, '--apply')]).stdout);
    expect([both.outcome, both.notApplied]).toEqual(['applied', expect.arrayContaining(['dist'])]);
    expect(p.run(tried('git status', '--apply')).stderr).toContain('nothing was changed in the copy.\n');
  });

  it('does not keep a copy for refs to commits that the repository has', () => {
    const p = inProject();
    p.commitAll();
    p.git('commit', '-q', '--allow-empty', '-m', 'second');
    p.git('reset', '-q', '--hard', 'HEAD~');
    const done = p.run(
      tried('git branch other; git tag old; git reset -q --hard ORIG_HEAD; git pack-refs --all', '--apply'),
    );
    expect(done.stderr).toContain('nothing was changed in the copy');
    expect(copies(p)).toEqual([]);
  });

  it('keeps the copy of a command that fails, unless its changes are to be applied always', () => {
    const p = inProject();
    const script = 'echo four >> a.txt; exit 7';
    const failed = p.run(tried(script, '--apply'));
    expect(failed.status).toBe(7);
    expect(failed.stderr).toMatch(/The command failed, so its changes were not applied\./);
    const [id] = copies(p);
    expect(failed.stderr).toContain(`The copy ${id} is kept.`);
    expect(p.read('a.txt')).toBe('one\ntwo\nthree\n');
    expect(p.run(tried(script, '--apply', '--always')).status).toBe(7);
    expect(p.read('a.txt')).toBe('one\ntwo\nthree\nfour\n');
    expect(copies(p)).toEqual([id]);
  });

  it('saves a patch with everything that git knows, and drops', () => {
    const p = inProject();
    p.write('gone.txt', 'gone\n');
    p.write('tool.sh', 'echo\n');
    p.commitAll();
    const before = p.git('status', '--porcelain', '--ignored');
    const script = 'printf "\\0\\1" > new.bin; rm gone.txt; mv a.txt moved.txt; chmod +x tool.sh';
    const file = path.join(p.base, 'changes.patch');
    expect(p.run(tried(script, '--patch', '../changes.patch')).status).toBe(0);
    expect(p.git('status', '--porcelain', '--ignored')).toBe(before);
    execFileSync('git', ['apply', '--check', file], { cwd: p.dir });
    execFileSync('git', ['apply', file], { cwd: p.dir });
    expect(p.git('status', '--porcelain').split('\n').sort().filter(Boolean)).toEqual([
      ' D a.txt',
      ' D gone.txt',
      ' M tool.sh',
      '?? moved.txt',
      '?? new.bin',
    ]);
    expect(fs.readFileSync(p.at('new.bin'))).toEqual(Buffer.from([0, 1]));
    const dropped = p.run(tried('echo x > x.txt', '--drop'));
    expect(dropped).toMatchObject({ status: 0 });
    expect([p.has('x.txt'), copies(p)]).toEqual([false, []]);
  });

  it.each([
    [[], /no terminal to ask what to do/],
    [['--patch', 'a.txt'], /a\.txt already exists/],
    [['--patch', 'none/new.patch'], /The folder of .* does not exist/],
    [['--always'], /--always needs --apply/],
    [['--drop', '--skip-conflicts'], /--skip-conflicts needs --apply/],
    [['--apply', '--drop'], /cannot be used with/],
  ])('%j: a usage error before anything runs', (options, text) => {
    const p = inProject();
    const refused = p.run(tried(`echo ran > '${p.base}/ran'`, ...options));
    expect(refused.status).toBe(2);
    expect(refused.stderr).toMatch(text);
    expect([fs.existsSync(path.join(p.base, 'ran')), copies(p)]).toEqual([false, []]);
  });

  it('with --json, the result is the only output, also after a conflict', async () => {
    const p = inProject();
    const wait = `touch '${p.base}/changed'; while ! test -e '${p.base}/go'; do sleep 0.05; done`;
    const script = `echo out; sed -i s/two/2/ a.txt; ${wait}`;
    const running = p.start(['--json', ...tried(script, '--apply')]);
    await until(
      async () => fs.existsSync(path.join(p.base, 'changed')),
      () => 'the command',
      20_000,
    );
    p.write('a.txt', 'mine\n');
    fs.writeFileSync(path.join(p.base, 'go'), '');
    const done = await running.done;
    const json = JSON.parse(done.stdout);
    expect(json).toMatchObject({ exit: 0, signal: null, outcome: 'kept', error: { code: 'CONFLICT' } });
    expect(json.changes).toMatchObject([{ path: 'a.txt', operation: 'write' }]);
    expect(json.copy).toMatchObject({ id: copies(p)[0], isKept: true });
    expect([done.status, p.read('a.txt')]).toEqual([3, 'mine\n']);
    expect(p.run(['try', '--continue', json.copy.id, '--apply'])).toMatchObject({ status: 3 });
    p.ok('try', '--continue', json.copy.id, '--apply', '--theirs', 'a.txt');
    expect([p.read('a.txt'), copies(p)]).toEqual(['one\n2\nthree\n', []]);
    const last = JSON.parse(p.ok('show', 'last', '--json').stdout);
    expect(last.description).toMatch(/^Tried: sh -c /);
    const none = p.run(['try', '--continue', json.copy.id, '--apply']);
    expect(none.stderr).toContain(`There is no copy "${json.copy.id}"`);
  });
});

describe('what the folder has instead', () => {
  /** A kept copy with a change that does not merge, and one that does. */
  const conflicting = (script: string) => {
    const p = inProject();
    const kept = p.run(tried(script, '--keep'));
    p.write('a.txt', 'one\nmine\nthree\n');
    const [, id = ''] = /The copy (copy_[0-9a-f]{8}) is kept/.exec(kept.stderr) ?? [];
    return {
      p,
      id,
      decide: (...options: readonly string[]) => p.run(['try', '--continue', id, '--apply', ...options]),
    };
  };

  it('--ours gives up the change of the copy, and says so', () => {
    const { p, decide } = conflicting('sed -i s/two/2/ a.txt');
    const done = decide('--ours', 'a.txt');
    expect(done.stderr).toMatch(/Nothing was applied: [^\n]*\nleft unchanged:\n {2}a\.txt \(kept, as requested\)/);
    expect([done.status, p.read('a.txt'), copies(p)]).toEqual([0, 'one\nmine\nthree\n', []]);
  });

  it('--skip-conflicts applies the rest, and the copy stays for what was skipped', () => {
    const { p, id, decide } = conflicting('sed -i s/two/2/ a.txt; echo new > new.txt');
    const done = decide('--skip-conflicts');
    expect(done.stderr).toContain(`The copy ${id} is kept. It has the changes that were not applied.`);
    expect([done.status, p.read('a.txt'), p.read('new.txt')]).toEqual([0, 'one\nmine\nthree\n', 'new\n']);
    const rest = decide('--theirs', 'a.txt');
    expect([rest.status, p.read('a.txt'), copies(p)]).toEqual([0, 'one\n2\nthree\n', []]);
  });

  it('the same change: nothing is left to apply', () => {
    const { p, decide } = conflicting('sed -i s/two/mine/ a.txt');
    expect(decide().stderr).toContain('Nothing was left to apply: the folder already has these changes.');
    expect(copies(p)).toEqual([]);
  });
});

describe('try on a terminal', () => {
  const start = (p: Project, script: string) =>
    new HostedTerminal(p, `trap : INT; $SAVEPOINT_COMMAND try -- sh -c '${script}'; echo "status $?."`);

  it('shows what differs, shows the diff, and applies', async () => {
    const p = inProject();
    const terminal = start(p, 'test -t 1 && echo four >> a.txt');
    await terminal.displays(/a\.txt \| 1 \+[\s\S]*What to do with these changes\?[\s\S]*\[a\/r\/p\/d\/x\/K\]/);
    expect(p.read('a.txt')).toBe('one\ntwo\nthree\n');
    terminal.type('d\r');
    await terminal.displays(/\+four[\s\S]*\[a\/r\/p\/d\/x\/K\]/);
    terminal.type('a\r');
    await terminal.displays(/Applied to 1 path {2}\(now cp_2\)[\s\S]*status 0\./);
    expect(p.read('a.txt')).toBe('one\ntwo\nthree\nfour\n');
  });

  it('Ctrl-C ends the command, and the question follows; the end of the input keeps the copy', async () => {
    const p = inProject();
    const terminal = start(p, 'echo four >> a.txt; echo ready; read line');
    await terminal.displays(/ready/);
    terminal.type('\x03');
    await terminal.displays(/ended by SIGINT|exit status 130/);
    await terminal.displays(/\[a\/r\/p\/d\/x\/K\]/);
    terminal.type('\x04');
    await terminal.displays(/The copy copy_\w+ is kept\.[\s\S]*status 130\./);
    expect(copies(p).length).toBe(1);
    expect(p.read('a.txt')).toBe('one\ntwo\nthree\n');
  });

  it('asks how to go on if the folder has changed in the same lines', async () => {
    const p = inProject();
    const terminal = start(p, 'sed -i s/two/2/ a.txt; echo x > new.txt; exit 4');
    await terminal.displays(/\[a\/r\/p\/d\/x\/K\]/);
    p.write('a.txt', 'one\nmine\nthree\nnext\n');
    terminal.type('a\r');
    await terminal.displays(/1 path does not merge[\s\S]*\[t\/o\/s\/B\]/);
    terminal.type('t\r');
    await terminal.displays(/Applied to 2 paths[\s\S]*status 4\./);
    expect([p.read('a.txt'), p.read('new.txt')]).toEqual(['one\n2\nthree\nnext\n', 'x\n']);
  });

  it('asks for the file of a patch again if that one exists', async () => {
    const p = inProject();
    const terminal = start(p, 'echo four >> a.txt');
    await terminal.displays(/\[a\/r\/p\/d\/x\/K\]/);
    terminal.type('p\r');
    await terminal.displays(/File: /);
    terminal.type('a.txt\r');
    await terminal.displays(/already exists[\s\S]*\[a\/r\/p\/d\/x\/K\]/);
    terminal.type('p\r');
    await terminal.displays(/File: \S*\s*$/);
    terminal.type('../new.patch\r');
    await terminal.displays(/Saved 1 change in [\s\S]*status 0\./);
    expect(fs.readFileSync(path.join(p.base, 'new.patch'), 'utf8')).toContain('\n+four\n');
  });
});

it('very many changes are not all listed, and all are in the JSON', () => {
  const p = project();
  const many = 'n=0; while [ $n -lt 120 ]; do echo new > new-$n.txt; n=$((n + 1)); done';
  const tried = p.run(['try', '--apply', '--', 'sh', '-c', many]);
  expect(tried.stderr).toMatch(
    /new-0\.txt +\| 1 \+[\s\S]*\n … and 70 more \(all with --json, or in the diff\)\n 120 paths/,
  );
  expect(tried.stderr).toMatch(/Applied to 120 paths[\s\S]*… and 110 more/);
  expect(tried.stderr.split('\n').length).toBeLessThan(90);
  const { changes } = JSON.parse(p.run(['--json', 'try', '--drop', '--', 'sh', '-c', 'rm new-*']).stdout);
  expect(changes.length).toBe(120);
});
