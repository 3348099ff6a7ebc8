import { execFileSync } from 'node:child_process';
import { GIT_ENV, git, seededRandom, world } from '@savepoint/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { checkName, checkTreePath } from '../../src/io/safe-path.ts';
import { bytesFromText } from '../../src/model/names.ts';

const DOT_GIT_FORMS = [
  '.git',
  '.GIT',
  '.Git',
  '.git.',
  '.git ',
  '.git . .',
  '.git:stream',
  '.git::$INDEX_ALLOCATION',
  'git~1',
  'GIT~1',
  'git~1.',
  'git~1 ',
  'git~1:x',
  '.git\\x',
  'a\\.git',
  'a\\.git\\hooks',
  'a\\git~1',
];

/** Names that HFS+ treats as .git. git refuses them if core.protectHFS is set. */
const HFS_FORMS = ['.g\u200cit', '\ufeff.git', '.git\u200d', '.\u206agi\u200et', '.g\u202ei\u202at'];

const FINE = [
  'a',
  '.gitignore',
  '.github',
  'git',
  'git~',
  'git~1x',
  'xgit~1',
  '.gita',
  '..git',
  '...',
  'con',
  'aux.txt',
];
const FINE_ON_LINUX = [
  'trailing.',
  'trailing ',
  'a:b',
  'a\\b',
  'a\\..\\b',
  '"',
  '*',
  '-rf',
  '\x1b]0;x\x07',
  'new\nline',
  ' ',
];

describe('checkName', () => {
  test.each([...DOT_GIT_FORMS, ...HFS_FORMS, 'git~2', 'git~9999', '\uff0egit', '.\uff27\uff29\uff34', '\u2024git'])(
    'treats %j as .git on every platform',
    (name) => {
      for (const platform of ['linux', 'darwin', 'win32'] as const) {
        expect(checkName(bytesFromText(name), platform)).toBe('is equivalent to .git for git or some file systems');
      }
    },
  );

  test.each(FINE.concat(FINE_ON_LINUX))('accepts %j on Linux', (name) => {
    expect(checkName(bytesFromText(name), 'linux')).toBeNull();
  });

  test.each([
    ['', 'is empty'],
    ['.', 'is . or ..'],
    ['..', 'is . or ..'],
    ['a/b', 'contains a slash or a NUL'],
    ['/', 'contains a slash or a NUL'],
    ['a\0', 'contains a slash or a NUL'],
    ['n'.repeat(256), 'is too long'],
  ])('refuses %j everywhere', (name, why) => {
    for (const platform of ['linux', 'darwin', 'win32'] as const) expect(checkName(name, platform)).toBe(why);
  });

  test('counts bytes on Linux and characters elsewhere', () => {
    const name = bytesFromText('\u4e2d'.repeat(100));
    expect(name).toHaveLength(300);
    expect(checkName(name, 'linux')).toBe('is too long');
    expect(checkName(name, 'darwin')).toBeNull();
    expect(checkName(name, 'win32')).toBeNull();
    expect(checkName(bytesFromText('\u4e2d'.repeat(256)), 'win32')).toBe('is too long');
  });

  test('accepts any bytes on Linux, and only UTF-8 elsewhere', () => {
    expect(checkName('caf\xe9', 'linux')).toBeNull();
    expect(checkName('caf\xe9', 'darwin')).toBe('is not UTF-8, which this platform requires');
    expect(checkName('caf\xe9', 'win32')).toBe('is not UTF-8, which this platform requires');
    expect(checkName('.git\xff', 'linux')).toBeNull();
  });

  test.each([
    ['a:b', 'has a character that Windows does not allow'],
    ['a\\b', 'has a character that Windows does not allow'],
    ['a\nb', 'has a character that Windows does not allow'],
    ['what?', 'has a character that Windows does not allow'],
    ['trailing.', 'ends in a dot or a space, which Windows drops'],
    ['trailing ', 'ends in a dot or a space, which Windows drops'],
    ['con', 'is the name of a device on Windows'],
    ['NUL.txt', 'is the name of a device on Windows'],
    ['aux .c', 'is the name of a device on Windows'],
    ['com1.tar.gz', 'is the name of a device on Windows'],
    ['LPT\u00b9', 'is the name of a device on Windows'],
    ['conin$', 'is the name of a device on Windows'],
  ])('refuses %j on Windows', (name, why) => {
    expect(checkName(bytesFromText(name), 'win32')).toBe(why);
    expect(checkName(bytesFromText(name), 'linux')).toBeNull();
  });

  test.each(['com10', 'console', 'nul0', 'a.con', 'lpt'])('accepts %j on Windows', (name) => {
    expect(checkName(name, 'win32')).toBeNull();
  });

  test('refuses everything that git refuses', () => {
    const { workspace } = world(onTestFinished);
    git(workspace, 'init', '-q');
    const parts = [
      '.',
      'g',
      'G',
      'i',
      't',
      'git',
      '~1',
      '~',
      ' ',
      ':',
      '\\',
      '\u200c',
      '\ufeff',
      'x',
      '.git',
      '\u00e9',
    ];
    const random = seededRandom(Math.floor(Math.random() * 2 ** 31));
    const pick = (): string => random.pick(parts);
    const names = new Set(DOT_GIT_FORMS.concat(HFS_FORMS, FINE, FINE_ON_LINUX).map(bytesFromText));
    for (let tries = 0; tries < 4000; tries++) {
      names.add(bytesFromText(pick() + pick() + (tries % 2 === 0 ? pick() : '') + (tries % 4 === 0 ? pick() : '')));
    }
    names.delete('');
    const accepted = acceptedByGit(workspace, [...names]);
    const refused = [...names].filter((name) => !accepted.has(name));
    expect(refused.length).toBeGreaterThan(20);
    const letBe = refused.filter((name) => checkName(name, 'linux') === null);
    expect(letBe, `seed ${random.seed}`).toEqual([]);
  });
});

/** The names that git accepts into an index when all file system protections are on. */
function acceptedByGit(folder: string, names: readonly string[]): ReadonlySet<string> {
  const env = { PATH: process.env['PATH'], ...GIT_ENV };
  const run = (args: readonly string[], input: string): string => {
    const guards = ['-c', 'core.protectHFS=true', '-c', 'core.protectNTFS=true'];
    const bytes = Buffer.from(input, 'latin1');
    return execFileSync('git', [...guards, ...args], { cwd: folder, env, input: bytes, stdio: 'pipe' }).toString(
      'latin1',
    );
  };
  const blob = run(['hash-object', '-w', '--stdin'], 'x').trim();
  const lines = names.map((name) => `100644 ${blob}\t${name}\0`);
  run(['update-index', '-z', '--index-info'], lines.join(''));
  return new Set(run(['ls-files', '-z'], '').split('\0'));
}

describe('checkTreePath', () => {
  test('names the refused component', () => {
    expect(checkTreePath('', 'linux')).toBeNull();
    expect(checkTreePath('a/b c/d', 'linux')).toBeNull();
    expect(checkTreePath('a/.git/hooks', 'linux')).toEqual({
      component: '.git',
      why: 'is equivalent to .git for git or some file systems',
    });
    expect(checkTreePath('a//b', 'linux')).toEqual({ component: '', why: 'is empty' });
    expect(checkTreePath('/a', 'linux')?.why).toBe('is empty');
    expect(checkTreePath('a/', 'linux')?.why).toBe('is empty');
    expect(checkTreePath('a/../b', 'linux')?.component).toBe('..');
    expect(checkTreePath('aa/'.repeat(1666), 'linux')?.why).toBe('is too long');
  });
});
