/** `savepoint run --isolated`: a program works in a copy, and its changes are a proposal. */

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { whyNoOverlays } from '@savepoint/testkit';
import { type Project, project } from '@savepoint/testkit/command';
import { describe, expect, it } from 'vitest';
import { HostedTerminal, until } from './hosted-terminal.ts';

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
  await terminal.displays(/exit status 3[\s\S]*\[a\/p\/d\/x\/K\]/);
  expect(p.has('new.txt')).toBe(false);
  terminal.type('a\r');
  await terminal.displays(/Applied to 1 path[\s\S]*status 3\./);
  expect(p.read('new.txt')).toBe('new\n');
});

it.each([
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
