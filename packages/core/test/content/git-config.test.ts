import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GIT_ENV, seededRandom, world } from '@savepoint/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { gitBoolean, lastStringValue, parseGitConfig } from '../../src/content/git-config.ts';

const PIECES = [
  '[core]\n',
  '[Core]',
  '[a "b"]\n',
  '[a "B c"]\n',
  '[a "q\\"\\\\"]\n',
  '[a.B]\n',
  '[ core ]\n',
  '[core',
  ']',
  '\n',
  '\r\n',
  '\r',
  ' ',
  'bare',
  'key = ',
  'Key=',
  'key-2 = v',
  'k',
  '=',
  'true',
  '"',
  '"x y"',
  '\\"',
  '\\n',
  '\\t',
  '\\b',
  '\\\\',
  '\\\n',
  '\\x',
  '#',
  ';',
  '# c\n',
  ' v ',
  'v  w',
  '\xe9',
  '-',
  '1a = 2\n',
  'k = "a#b" ; c\n',
  '\nname = value\n',
  'n = v\n',
  'flag\n',
  'x = "q r" s\n',
  'y =\n',
  'z = a\\\nb\n',
];

describe('the configuration syntax', () => {
  test('is read as git reads it, over random texts', () => {
    const seed = 20_260_101;
    const random = seededRandom(seed);
    const file = join(world(onTestFinished).folder, 'config');
    let read = 0;
    for (let round = 0; round < 300; round++) {
      const length = 1 + random.integer(9);
      const start = random.integer(3) > 0 ? '[core]\n' : '';
      const text = start + Array.from({ length }, () => random.pick(PIECES)).join('');
      writeFileSync(file, text, 'latin1');
      const git = spawnSync('git', ['config', '--file', file, '--list', '-z'], { env: { ...process.env, ...GIT_ENV } });
      const ours = parseGitConfig(text);
      const label = `seed ${seed}, round ${round}: ${JSON.stringify(text)}`;
      expect(ours.errorLine === null, label).toBe(git.status === 0);
      if (git.status !== 0) continue;
      const theirs = new Map<string, string | true>();
      for (const item of git.stdout.toString('latin1').split('\0').slice(0, -1)) {
        const cut = item.indexOf('\n');
        theirs.set(cut < 0 ? item : item.slice(0, cut), cut < 0 ? true : item.slice(cut + 1));
      }
      // Older versions of git replace every blank inside a value with a space.
      const plain = (values: Iterable<[string, string | true]>): unknown[] =>
        [...values].map(([key, value]) => [key, value === true ? value : value.replaceAll('\r', ' ')]).sort();
      expect(plain(ours.values), label).toEqual(plain(theirs));
      read += theirs.size;
    }
    expect(read).toBeGreaterThan(80);
  });

  test('stops at the first malformed line, and keeps the earlier ones', () => {
    const config = parseGitConfig('[core]\nbare = true\n!!\nignorecase = true\n');
    expect(config.errorLine).toBe(3);
    expect([...config.values]).toEqual([['core.bare', 'true']]);
  });

  test('is fast for hostile texts', () => {
    const long = 1024 * 1024;
    for (const text of [
      `[a "${'\\x'.repeat(long / 2)}`,
      `[a]\nb=${'\\\n'.repeat(long / 2)}`,
      `[a]\nb=x${' '.repeat(long)}y`,
      '[a]\n'.repeat(long / 4),
    ]) {
      expect(parseGitConfig(text).values.size).toBeLessThan(2);
    }
  });

  test('booleans', () => {
    expect(['yes', 'ON', 'true', '1', '-7', true].map((word) => gitBoolean(word as string))).toEqual(
      Array(6).fill(true),
    );
    expect(['no', 'Off', 'false', '0', ''].map((word) => gitBoolean(word))).toEqual(Array(5).fill(false));
    expect([gitBoolean(undefined), gitBoolean('perhaps')]).toEqual([null, null]);
  });
});

function excludesFile(text: string): string | null {
  return lastStringValue(parseGitConfig(text), 'core.excludesfile');
}

describe('one setting, ignoring values that git refuses,', () => {
  test.each([
    '[core]\n\texcludesfile = /x\n',
    '[CORE]\nExcludesFile=/x',
    '[core] excludesfile = /x',
    '[core]\r\nexcludesfile = /x\r\n',
    '[core]\nexcludesfile = "/with space" \n',
    '[core]\nexcludesfile = /with space   \n',
    '[core]\nexcludesfile = "/trailing  "\n',
    '[core]\nexcludesfile = /a"b c"d # comment\n',
    '[core]\nexcludesfile = /x;comment\n',
    '[core]\nexcludesfile = "/x;kept#too"\n',
    '[core]\nexcludesfile = "/tab\\there\\"quoted\\\\"\n',
    '[core]\nexcludesfile = /one\n[user]\nname = x\n[core]\nexcludesfile = /two\n',
    '[core]\nexcludesfile = /long\\\n  er\n',
    '# [core]\n; x\n[core]\n# excludesfile = /no\nexcludesfile = /yes\n',
    '[user]\nexcludesfile = /no\n',
    '[core "sub"]\nexcludesfile = /no\n',
    '[core]\neditor = vi\n',
    '\ufeff[core]\nexcludesfile = /bom\n',
    '[core]\n# comment with a backslash \\\nexcludesfile = /x\n',
    '[core]\nexcludesfile = /caf\u00e9\n',
    '',
  ])('equals the value that git reports: %j', (text) => {
    const { folder } = world(onTestFinished);
    writeFileSync(`${folder}/config`, text);
    let expected: string | null;
    try {
      const args = ['config', '-z', '--file', `${folder}/config`, 'core.excludesfile'];
      expected = execFileSync('git', args, { encoding: 'latin1', stdio: 'pipe' }).slice(0, -1);
    } catch {
      expected = null;
    }
    expect(excludesFile(Buffer.from(text).toString('latin1'))).toBe(expected);
  });

  test.each([
    '[core]\nexcludesfile\n',
    '[core]\nexcludesfile = "open\n',
    '[core]\nexcludesfile = /bad\\q\n',
    '[core\n',
    '][',
  ])('is absent where git refuses the file: %j', (text) => {
    expect(excludesFile(text)).toBeNull();
  });

  test.each([
    ['an open quote', '[core]\neditor = "vi\nexcludesfile = /x\n'],
    ['no key', '[core]\n= nothing\nexcludesfile = /x\n'],
    ['an unknown escape', '[core]\neditor = a\\q b \\\nexcludesfile = /no\nexcludesfile = /x\n'],
    ['no value', '[core]\nexcludesfile = /x\nexcludesfile\n'],
    ['blanks in a header', '[ core ]\nexcludesfile = /x\n'],
    ['a header that does not end', '[core]\nexcludesfile = /x\n[user\nname = y\n'],
  ])('is found next to values that git refuses: %s', (_what, text) => {
    expect(excludesFile(text)).toBe('/x');
  });

  test('has its section in lower case, and its subsection unchanged', () => {
    expect(parseGitConfig('[A "b.C"]\nKey = 1\n[d.E]\nf\n').settings).toEqual([
      { section: 'a', subsection: 'b.C', key: 'key', value: '1' },
      { section: 'd', subsection: 'e', key: 'f', value: true },
    ]);
  });
});
