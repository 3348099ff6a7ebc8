import fs from 'node:fs';
import { git, project, workingFiles } from '@savepoint/testkit/command';
import { describe, expect, it } from 'vitest';
import { runEveryVerb } from './verbs.ts';

/** Names that could control a terminal, or be mistaken for something else. */
const SPEAKING = [
  '\x1b]0;title\x07.txt',
  '\x1b[2J\x1b[31mred.txt',
  'carriage\rreturn.txt',
  'line\nbreak.txt',
  'back\bspace.txt',
  'delete\x7f.txt',
  'c1\u009b31m.txt',
  'right\u202eto-left.txt',
  'isolate\u2066.txt',
  'zero\u200bwidth.txt',
  'bom\ufeff.txt',
  '--yes',
  '-rf',
  'quote".txt',
  '\u001b',
];

/** Everything that must not reach a terminal unescaped. A line break may only end a line. */
const UNSAFE = /[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/;

describe('names with terminal control characters', () => {
  it('are printed escaped by every verb, as text, as JSON and in errors', () => {
    const p = project();
    for (const name of SPEAKING) p.write(`dir/${name}`, `${name}\n`);
    p.git('init', '-q');
    fs.writeFileSync(p.at('.git/HEAD'), 'ref: refs/heads/\x1b]0;branch\x07\n');
    const outcomes = runEveryVerb(p, () => {
      for (const name of SPEAKING) p.write(`dir/${name}`, 'changed\n');
    });
    for (const outcome of outcomes) {
      // Contents of files are data: a patch shows them in lines that start with a sign.
      const printed = `${outcome.stdout}\n${outcome.stderr}`.replace(/^[ +-][^\n]*$/gm, '');
      expect(UNSAFE.exec(printed)?.index, JSON.stringify(printed)).toBeUndefined();
    }
    for (const args of [
      ['show', '\x1b]0;x\x07'],
      ['restore', 'cp_1', '--yes', '--', 'no-\x1b[31m-such'],
      ['-C', '/no/\x1b[31m/such', 'status'],
      ['\x1b[31m'],
      ['list', '--\x1b[31m'],
      ['history', '\u009b31m'],
      ['undo', '\x1b]0;x\x07'],
      ['diff', 'cp_1', '--', '\u009b31m'],
      ['install', '\u009b31m'],
      ['daemon', '\u009b31m'],
    ]) {
      for (const json of [[], ['--json']]) {
        const outcome = p.run([...args.slice(0, 1), ...json, ...args.slice(1)]);
        expect(outcome.status).not.toBe(0);
        expect(UNSAFE.exec(outcome.stdout + outcome.stderr), JSON.stringify(outcome)).toBeNull();
      }
    }
  });

  it('are escaped by a hook for an unknown agent, and by a preview of edits in a pipe, with the contents', () => {
    const p = project();
    p.write('a.txt', 'old \x1b[31m\u009b2J\n');
    for (const name of ['\x1b]0;title\x07', '\u009b31m', 'turned\u202e']) {
      const outcome = p.run(['hook', name], { input: '{}' });
      expect(outcome.stderr).toContain('unknown agent');
      expect(UNSAFE.exec(outcome.stdout + outcome.stderr), JSON.stringify(outcome)).toBeNull();
    }
    const files = [
      { file_path: 'a.txt', edits: [{ op: 'write', content: 'café \x1b]0;title\x07\u009b31m\u202e\n' }] },
      ...SPEAKING.map((name) => ({ file_path: `dir/${name}`, edits: [{ op: 'create', content: `${name}\n` }] })),
    ];
    for (const args of [['edit', '--dry-run'], ['edit']]) {
      const { status, stdout, stderr } = p.run(args, { input: JSON.stringify({ files }) });
      expect(status, stderr).toBe(0);
      expect(UNSAFE.exec(stdout + stderr), JSON.stringify(stdout)).toBeNull();
      if (args.length > 1) expect(stdout).toContain('\n+café \\x1b]0;title');
    }
    const wrong = { files: [{ file_path: '\u009b31m', edits: [{ op: 'delete' }, { op: '\x1b]0;x\x07' }] }] };
    const refused = p.run(['edit'], { input: JSON.stringify(wrong) });
    expect(refused.status).toBe(2);
    expect(UNSAFE.exec(refused.stderr), JSON.stringify(refused)).toBeNull();
  });

  it('a message and a path with escapes are kept as data and printed escaped', () => {
    const p = project();
    p.write('a.txt', 'a\n');
    const message = 'red \x1b[31m and \u202e turned';
    p.ok('checkpoint', '-m', message);
    const list = p.ok('list');
    expect(UNSAFE.exec(list.stdout)).toBeNull();
    expect(list.stdout).toContain('red ');
    const json = p.ok('list', '--json').stdout;
    expect(UNSAFE.exec(json)).toBeNull();
    expect(JSON.stringify(JSON.parse(json))).toContain(JSON.stringify(message).slice(1, -1));
  });

  it('all of them are restored', () => {
    const p = project();
    for (const name of SPEAKING) p.write(`dir/${name}`, `${name}\n`);
    fs.writeFileSync(Buffer.from(`${p.dir}/dir/\xff\xfe\x1b.txt`, 'latin1'), 'not UTF-8\n');
    const before = workingFiles(p.dir);
    const cp = p.checkpoint();
    p.delete('dir');
    p.restore(cp);
    expect(workingFiles(p.dir)).toEqual(before);
  });
});

describe('names that git refuses', () => {
  it('are reported and left alone, and nothing is ever written to such a name', () => {
    const p = project();
    const refused = ['.GIT/config', '.Git', 'git~1', '.g\u200cit/config', '.git\ufeff', 'deep/.gIt/hooks/pre-commit'];
    for (const name of refused) p.write(name, 'mine\n');
    p.write('a.txt', 'a\n');
    const taken = p.ok('checkpoint');
    for (const name of refused) fs.rmSync(p.at(name));
    p.write('git~1', 'changed\n');
    p.write('a.txt', 'changed\n');
    expect(taken.stdout + taken.stderr).toContain('git~1');
    p.restore('cp_1');
    expect(p.read('a.txt')).toBe('a\n');
    expect(p.read('git~1')).toBe('changed\n');
    for (const name of refused.filter((other) => other !== 'git~1')) expect(p.has(name), name).toBe(false);
  });
});

it('a .gitmodules that is a link is left out and listed, so that git accepts the store', () => {
  const p = project();
  fs.symlinkSync('target', p.at('.gitmodules'));
  fs.symlinkSync('target', p.at('.GitModules'));
  const { leftOut } = JSON.parse(p.ok('checkpoint', '--json').stdout).capture;
  expect(p.ok('status').stdout).toContain('.gitmodules (git refuses this name, or a link with this name)');
  expect(leftOut).toMatchObject([
    { path: '.GitModules', reason: 'name' },
    { path: '.gitmodules', reason: 'name' },
  ]);
  const [id = ''] = fs.readdirSync(`${p.store}/workspaces`);
  git(p.dir, `--git-dir=${p.store}/workspaces/${id}/objects.git`, 'fsck', '--strict');
});

it('other files of git that are links are captured and restored; git only warns, and clones a bundle with them', () => {
  const p = project();
  const names = ['.gitattributes', '.gitignore', '.mailmap', 'deep/.GitAttributes'];
  fs.mkdirSync(p.at('deep'));
  for (const name of names) fs.symlinkSync('target', p.at(name));
  p.write('target', 'x\n');
  p.checkpoint();
  for (const name of names) p.delete(name);
  p.restore('cp_1');
  for (const name of names) expect(fs.readlinkSync(p.at(name)), name).toBe('target');
  const [id = ''] = fs.readdirSync(`${p.store}/workspaces`);
  git(p.dir, `--git-dir=${p.store}/workspaces/${id}/objects.git`, 'fsck', '--strict');
  p.ok('bundle', 'create', `${p.base}/x.bundle`);
  const clone = `${p.base}/clone`;
  git(p.base, '-c', 'transfer.fsckObjects=true', 'clone', '-q', `${p.base}/x.bundle`, clone);
  for (const name of names) expect(fs.readlinkSync(`${clone}/files/${name}`), name).toBe('target');
});
