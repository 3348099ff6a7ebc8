/** Commands that work in copies, in an overlay: at the real path, and nothing of the real folder changes. */

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { whyNoOverlays } from '@savepoint/testkit';
import { type CommandOutcome, main, type Project, project } from '@savepoint/testkit/command';
import { describe, expect, it } from 'vitest';
import { treeState } from '../../packages/core/test/copy/overlay/tree-state.ts';

/** Changes all that a command can change, and prints where it was. */
const CHANGE = [
  'pwd >> "$PLACES"',
  'echo new >> a.txt',
  'chmod 600 mode.txt',
  'rm -r folder',
  'echo built > ignored/built.txt',
  'rm ignored/old.txt',
  'ln -s a.txt link',
  'touch -d 2001-01-01 mode.txt',
  'git add -A',
].join('; ');

function repository(): Project {
  const p = project();
  p.write('.gitignore', 'ignored\n');
  p.write('a.txt', 'old\n');
  p.write('mode.txt', 'old\n', 0o644);
  p.write('folder/b.txt', 'old\n');
  p.write('ignored/old.txt', 'old\n');
  p.write('own.sh', `${CHANGE}\n! grep -q wrong a.txt || { echo "a.txt:1: error: wrong"; exit 1; }\n`);
  p.write('.savepoint.json', JSON.stringify({ checks: { own: { command: ['sh', 'own.sh'] } } }));
  p.commitAll();
  return p;
}

/** Runs a command that is not to change the folder. @returns its outcome, and where commands ran */
function unchanged(p: Project, ...args: readonly string[]): CommandOutcome & { readonly places: readonly string[] } {
  const places = path.join(p.base, 'places');
  fs.writeFileSync(places, '');
  const before = treeState(p.dir);
  const outcome = p.run(args, { env: { PLACES: places } });
  expect(outcome.stderr).not.toContain('no overlay is possible');
  expect(treeState(p.dir)).toEqual(before);
  return { ...outcome, places: [...new Set(fs.readFileSync(places, 'utf8').split('\n').filter(Boolean))] };
}

const SH = ['--', 'sh', '-c'] as const;

describe.skipIf(whyNoOverlays() !== null)('in an overlay', () => {
  it('try: nothing changes, and a copy that was kept continues after its process has ended', () => {
    const p = repository();
    const tried = unchanged(p, 'try', '--drop', ...SH, CHANGE);
    expect(tried).toMatchObject({ status: 0, places: [p.dir] });
    const kept = unchanged(p, '--json', 'try', '--keep', ...SH, CHANGE);
    const { copy } = JSON.parse(kept.stdout);
    expect(copy).toMatchObject({ rung: 'overlay', isKept: true });
    p.write('own.sh', 'of a person\n');
    p.ok('try', '--continue', copy.id, '--apply');
    expect([p.read('a.txt'), p.read('own.sh'), p.has('folder')]).toEqual(['old\nnew\n', 'of a person\n', false]);
    expect(fs.readlinkSync(p.at('link'))).toBe('a.txt');
    expect(fs.statSync(p.at('mode.txt')).mode & 0o777).toBe(0o600);
    expect(fs.readdirSync(path.join(p.store, 'copies')).filter((name) => name.startsWith('copy_'))).toEqual([]);
  });

  it('a linked worktree: git in the copy changes nothing of the repository outside', () => {
    const p = repository();
    const other = path.join(p.base, 'worktree');
    p.git('worktree', 'add', '-q', other);
    const git = 'git -c user.name=a -c user.email=a@b -c commit.gpgsign=false';
    const script = `echo new >> a.txt; ${git} stash -q; ${git} stash pop -q; ${git} commit -qam second; git gc -q`;
    const before = [p.at('.git'), other].map(treeState);
    for (const command of ['try', 'run --isolated']) {
      const done = p.run([...command.split(' '), '--keep', ...SH, script], { cwd: other });
      expect(done.stderr).not.toContain('no overlay is possible');
      const [, commit = 'none'] = /commits of the copy[\s\S]* \.: ([0-9a-f]{40})/.exec(done.stderr) ?? [];
      const [, id = ''] = /The copy (copy_[0-9a-f]{8}) is kept/.exec(done.stderr) ?? [];
      const kept = p.run(['try', '--continue', id, '--drop'], { cwd: other });
      expect(kept.stderr).toContain(` .: ${commit} (`);
      expect([p.at('.git'), other].map(treeState)).toEqual(before);
    }
  });

  it('what a command leaves running is ended before its changes are looked at, and named', () => {
    const p = repository();
    const background = `(setsid sh -c 'trap "" TERM; while :; do echo more >> grows.txt; sleep 0.05; done' >/dev/null 2>&1 &)`;
    // The second copy begins with the file that the first one applied.
    const script = `rm -f grows.txt; ${background}; while ! test -s grows.txt; do sleep 0.05; done`;
    const done = p.run(['try', '--apply', ...SH, script]);
    expect(done.stderr).toMatch(/these still ran in the copy, and were ended:\n[\s\S]*sh -c trap "" TERM; while/);
    const kept = JSON.parse(p.run(['--json', 'try', '--keep', ...SH, script]).stdout);
    expect(kept.ended.join('\n')).toMatch(/sh -c trap/);
    const grown = p.read('grows.txt');
    expect(grown).toMatch(/^(?:more\n)+$/);
    const { status, stderr } = p.run(['run', '--isolated', '--apply', ...SH, 'echo ok > a.txt']);
    expect([status, stderr]).toEqual([0, expect.not.stringContaining('still ran')]);
    expect(p.read('grows.txt')).toBe(grown);
  });

  it('a hook of Savepoint that still works is waited for, and not named', () => {
    const p = repository();
    const event = { session_id: 's-1', cwd: p.dir, hook_event_name: 'SessionEnd', reason: 'other' };
    p.write('event.json', JSON.stringify(event));
    // As an agent that exits while its last hook starts.
    const agent = `
      const input = require('node:fs').openSync('event.json');
      const options = { detached: true, stdio: [input, 'ignore', 'ignore'] };
      require('node:child_process').spawn(process.execPath, [process.argv[1], 'hook', 'claude'], options).unref();`;
    const { status, stderr } = p.run(['run', '--isolated', '--apply', '--', process.execPath, '-e', agent, main]);
    expect([status, stderr]).toEqual([0, expect.not.stringContaining('still ran')]);
  });

  it('check and guard: the checks run at the real path', () => {
    const p = repository();
    p.ok('checkpoint');
    p.ok('trust', '--yes');
    const checked = unchanged(p, 'check', '--base', 'cp_1');
    expect(checked).toMatchObject({ status: 0, places: [p.dir] });
    const places = path.join(p.base, 'places');
    const guard = ['guard', '--check', 'own', ...SH];
    const git = () => execFileSync('git', ['hash-object', '.git/index'], { cwd: p.dir, encoding: 'utf8' });
    const index = git();
    const good = p.run([...guard, 'echo good >> a.txt'], { env: { PLACES: places } });
    expect(good.stderr).toContain('nothing is worse');
    const bad = p.run([...guard, 'echo wrong >> a.txt'], { env: { PLACES: places } });
    expect([bad.status, bad.stderr]).toEqual([3, expect.stringContaining('a.txt:1: error: wrong')]);
    expect([p.read('a.txt'), p.read('ignored/old.txt'), p.has('link')]).toEqual(['old\ngood\n', 'old\n', false]);
    expect(git()).toBe(index);
    expect(new Set(fs.readFileSync(places, 'utf8').trim().split('\n'))).toEqual(new Set([p.dir]));
  });

  it('a check in an isolated run runs in there, and what is trusted in there is trusted nowhere else', () => {
    const p = repository();
    p.ok('checkpoint');
    p.ok('trust', '--yes');
    const places = path.join(p.base, 'places');
    const change = (text: string) => `echo '{"checks":{"own":{"command":["sh","-c","${text}"]}}}' > .savepoint.json`;
    const check = '$SAVEPOINT_COMMAND check; echo "status $?"';
    const script = [
      'echo wrong >> a.txt',
      check,
      change('echo changed >> $PLACES'),
      check,
      '$SAVEPOINT_COMMAND trust --yes',
      check,
    ].join('\n');
    fs.writeFileSync(path.join(p.base, 'script.sh'), `exec >'${p.base}/said' 2>&1\n${script}\n`);
    const before = treeState(p.dir);
    fs.writeFileSync(places, '');
    const command = `${process.execPath} ${main}`;
    const env = { PLACES: places, SAVEPOINT_COMMAND: command };
    const done = p.run(['run', '--isolated', '--keep', '--', 'sh', path.join(p.base, 'script.sh')], { env });
    expect(treeState(p.dir)).toEqual(before);
    const said = fs.readFileSync(path.join(p.base, 'said'), 'utf8');
    // Trusted outside: it runs, in a copy of the copy. Changed: not before it is trusted, and then only in there.
    expect(said).toMatch(/own: failed[\s\S]*error: wrong/);
    expect(said).toMatch(/not trusted, or have changed since: own\.[\s\S]*own: passed/);
    expect(fs.readFileSync(places, 'utf8')).toMatch(/changed\n$/);
    expect(done.stderr).toMatch(/checked in the copy, as its programs report:\n {2}own: passed/);
    const [, id = ''] = /The copy (copy_[0-9a-f]{8}) is kept/.exec(done.stderr) ?? [];
    const kept = p.run(['try', '--continue', id, '--apply']);
    expect(kept.stderr).toMatch(/checked in the copy, as its programs report:\n {2}own: passed/);
    expect(p.run(['check']).stderr).toContain('not trusted, or have changed since: own');
    expect(fs.readFileSync(places, 'utf8')).toMatch(/changed\n$/);
  });

  it('bisect: each state is at the real path', () => {
    const p = repository();
    p.ok('checkpoint');
    for (const line of ['one', 'wrong', 'three']) {
      fs.appendFileSync(p.at('a.txt'), `${line}\n`);
      p.ok('checkpoint', '-m', line);
    }
    const found = unchanged(p, 'bisect', '--good', 'cp_1', '--', 'sh', 'own.sh');
    expect(found).toMatchObject({ status: 0, places: [p.dir] });
    expect(found.stdout).toContain('+wrong');
  });
});
