import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { GIT_ENV, git, type SeededRandom, seededRandom, testEffort, world } from '@savepoint/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { IGNORE_FILE_BYTES, readIgnoreLines } from '../../../src/git/ignore-lines.ts';
import type { Name } from '../../../src/model/names.ts';
import { IgnoreChain, type IgnoreChainStart, type IgnoreFile } from '../../../src/workspace/rules/ignore-rules.ts';

/** Number of random trees in which the rules are compared with git's. */
const TREES = testEffort({ quick: 8, ci: 20, long: 20 });

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');
const PLENTY = { patterns: 10_000, slow: 64 };

function chainOf(top: string, start: Partial<IgnoreChainStart> = {}): IgnoreChain {
  return IgnoreChain.start({ ignoreCase: false, global: null, exclude: null, top: bytes(top), ...start });
}

/** Asks about a path (a folder if it ends in `/`). Enters each folder on the way, with the rules given for it. */
function ask(chain: IgnoreChain, path: string, rules: Readonly<Record<string, string>> = {}): boolean {
  const isFolder = path.endsWith('/');
  const names = (isFolder ? path.slice(0, -1) : path).split('/') as Name[];
  let at = chain;
  names.slice(0, -1).forEach((name, depth) => {
    const text = rules[names.slice(0, depth + 1).join('/')];
    at = at.enter(name, text === undefined ? null : bytes(text));
  });
  return at.isIgnored(names.at(-1) as Name, isFolder);
}

const covered = (rules: string, ...paths: string[]): string[] => paths.filter((path) => ask(chainOf(rules), path));

describe('compared with git check-ignore', () => {
  const NAMES = [
    'a',
    'b',
    'ab',
    'aa',
    'ba',
    'A',
    'a.b',
    'b.a',
    '-',
    'a b',
    ' a',
    'a ',
    '[a]',
    '!a',
    '#a',
    '\\a',
    'a*',
    '\xe9',
    '\xc3\xa9',
    '\xc9',
    '1',
    '_',
    'a\nb',
    '**',
    'a\r',
    '$a',
    '(a)',
    'a+',
    '{a}',
    'a\\',
    '\xff',
  ];
  const PIECES = [
    'a',
    'b',
    'A',
    'ab',
    '*',
    '**',
    '***',
    '?',
    '/',
    '/',
    '/**/',
    '[ab]',
    '[!a]',
    '[^b]',
    '[a-b]',
    '[A-Z]',
    '[[:alpha:]]',
    '[[:upper:]]',
    '[]a]',
    '[a',
    '\\*',
    '\\a',
    '\\ ',
    '\\/',
    '\\',
    '!',
    '#',
    ' ',
    '.',
    '*a',
    'a*',
    '*.b',
    '-',
    '+',
    '(',
    ')',
    '$',
    '^',
    '|',
    '{',
    '}',
    '\xe9',
    '\xc3',
    '\xa9',
    '\xff',
    '\t',
    '[\\a]',
    '[\\]]',
    '[b-a]',
    '[--0]',
    '[+-9]',
    '\r',
    '1',
    '_',
    '[!-~]',
    '[[:bogus:]]',
    '[[:a]',
    '[a-]',
    '[-a]',
    '\xc3?',
    '\0',
  ];

  /** Lines for which there is a shortcut, which the pieces rarely make. */
  const SHORT_CUT = [
    'a/**',
    'a/*',
    '/b/*',
    '!a/b*',
    '!b/**',
    '**/ab/**/',
    '!a',
    '/b/a/**',
    'A/**',
    '!/a/b/',
    '*.b',
    'aa',
  ];

  function randomLine(random: SeededRandom, ignoreCase: boolean): string {
    if (random.integer(5) === 0) return random.pick(SHORT_CUT);
    for (;;) {
      let line = `${random.integer(4) === 0 ? '!' : ''}${random.integer(5) === 0 ? '/' : ''}`;
      for (let left = 1 + random.integer(5); left > 0; left--) line += random.pick(PIECES);
      line += `${random.integer(5) === 0 ? '/' : ''}${random.integer(12) === 0 ? ' ' : ''}`;
      if (random.integer(12) === 0) line += '\r';
      const isRefused = readIgnoreLines(bytes(line), PLENTY).problems.length > 0;
      if (!isRefused && !isKnownDeviation(line, ignoreCase)) return line;
    }
  }

  /** The tests of known deviations below fix the behaviour for these. */
  function isKnownDeviation(line: string, ignoreCase: boolean): boolean {
    const besideEscapedSlash = /\*\*\\\/|\\\/\*\*/.test(line);
    const afterLiteral = /^!?[^*?[\\]*[^*?[\\/]\*{2,}(?:\/|$)/.test(line);
    return besideEscapedSlash || afterLiteral || (ignoreCase && /\\[A-Z]/.test(line));
  }

  function randomRules(random: SeededRandom, ignoreCase: boolean, chance: number): Buffer | null {
    if (random.next() >= chance) return null;
    const lines = Array.from({ length: 1 + random.integer(4) }, () => randomLine(random, ignoreCase));
    const mark = random.integer(15) === 0 ? '\xef\xbb\xbf' : '';
    return bytes(mark + lines.join('\n') + (random.integer(4) === 0 ? '' : '\n'));
  }

  test.skipIf(process.platform !== 'linux').each([
    { ignoreCase: false, seed: 4_711 },
    { ignoreCase: true, seed: 4_712 },
  ])('random rules in random trees, ignoreCase $ignoreCase, seed $seed', ({ ignoreCase, seed }) => {
    const random = seededRandom(seed);
    const { folder } = world(onTestFinished);
    const fold = (name: string): string => (ignoreCase ? name.toLowerCase() : name);
    const tally = { compared: 0, ignored: 0, reincluded: 0 };
    for (let round = 0; round < TREES; round++) {
      const top = `${folder}/${round}`;
      git(folder, 'init', '-q', top);
      const start: IgnoreChainStart = {
        ignoreCase,
        global: randomRules(random, ignoreCase, 0.3),
        exclude: randomRules(random, ignoreCase, 0.3),
        top: randomRules(random, ignoreCase, 0.8),
      };
      appendFileSync(`${top}/.git/config`, `[core]\nignorecase = ${ignoreCase}\nexcludesFile = ${top}/.git/global\n`);
      writeFileSync(`${top}/.git/global`, start.global ?? '');
      writeFileSync(`${top}/.git/info/exclude`, start.exclude ?? '');
      if (start.top !== null) writeFileSync(`${top}/.gitignore`, start.top);
      const asked: { readonly path: string; readonly ignored: boolean; readonly rules: string }[] = [];
      const shown = (file: IgnoreFile): string => JSON.stringify(file && Buffer.from(file).toString('latin1'));
      const fill = (path: string, depth: number, chain: IgnoreChain, rules: string): void => {
        const used = new Set<string>();
        for (const name of random.sample(NAMES, 6) as Name[]) {
          if (used.has(fold(name))) continue;
          used.add(fold(name));
          const isFolder = depth < 3 && random.integer(2) === 0;
          asked.push({ path: path + name, ignored: chain.isIgnored(name, isFolder), rules });
          if (!isFolder) {
            writeFileSync(bytes(`${top}/${path}${name}`), '');
            continue;
          }
          mkdirSync(bytes(`${top}/${path}${name}`));
          const own = randomRules(random, ignoreCase, 0.35);
          if (own !== null) writeFileSync(bytes(`${top}/${path}${name}/.gitignore`), own);
          const reported = own === null ? rules : `${rules}; ${JSON.stringify(path + name)}: ${shown(own)}`;
          fill(`${path}${name}/`, depth + 1, chain.enter(name, own), reported);
        }
      };
      const reported = `global: ${shown(start.global)}; exclude: ${shown(start.exclude)}; top: ${shown(start.top)}`;
      fill('', 0, IgnoreChain.start(start), reported);
      const answer = spawnSync('git', ['-C', top, 'check-ignore', '--no-index', '-v', '-n', '-z', '--stdin'], {
        input: bytes(asked.map(({ path }) => `${path}\0`).join('')),
        env: { ...process.env, ...GIT_ENV },
      });
      // Per path: the file, the line, the deciding pattern, and the path again.
      const fields = answer.stdout.toString('latin1').split('\0');
      asked.forEach(({ path, ignored, rules }, at) => {
        const pattern = fields[at * 4 + 2] as string;
        expect(fields[at * 4 + 3]).toBe(path);
        const theirs = pattern !== '' && !pattern.startsWith('!');
        expect(ignored, `seed ${seed}: ${JSON.stringify(path)} by ${JSON.stringify(pattern)}\n${rules}`).toBe(theirs);
        tally.compared += 1;
        if (theirs) tally.ignored += 1;
        else if (pattern !== '') tally.reincluded += 1;
      });
    }
    console.info(`ignore rules, seed ${seed}, ignoreCase ${ignoreCase}: ${JSON.stringify(tally)}`);
    expect(tally.compared).toBeGreaterThan(150 * TREES);
    expect(tally.ignored).toBeGreaterThan(15 * TREES);
    expect(tally.reincluded).toBeGreaterThan(testEffort({ quick: 3, ci: 20, long: 20 }));
  });
});

describe('known deviations from git 2.39', () => {
  // Git: true, true, false.
  test('** right after a literal prefix is read as *', () => {
    expect(ask(chainOf('a**/b\n'), 'ax/b')).toBe(true);
    expect(ask(chainOf('a**/b\n'), 'ax/y/b')).toBe(false);
    expect(ask(chainOf('a**/b\n'), 'ab')).toBe(false);
  });

  // Git: true, true.
  test('** next to an escaped slash is read as *', () => {
    expect(ask(chainOf('**\\/b\n'), 'x/y/b')).toBe(false);
    expect(ask(chainOf('x\\/**/b\n'), 'x/y/z/b')).toBe(false);
  });

  // Git: false, because it folds the name, but not the escaped character.
  test('an escaped capital matches with ignoreCase', () => {
    expect(ask(chainOf('\\A\n', { ignoreCase: true }), 'a')).toBe(true);
  });
});

describe('one file', () => {
  test('the last matching pattern decides', () => {
    expect(covered('*.log\n!keep.log\n/keep.log\n', 'a.log', 'keep.log', 'x/keep.log', 'x/a.log')).toEqual([
      'a.log',
      'keep.log',
      'x/a.log',
    ]);
  });

  test('an ignored folder hides everything below, whatever re-includes it', () => {
    expect(covered('/build/\n!/build/keep\n', 'build/', 'build', 'build/keep', 'x/build/')).toEqual([
      'build/',
      'build/keep',
    ]);
  });

  test('line endings, trailing spaces, escapes, comments, blank lines, byte order mark, NUL', () => {
    expect(covered('\xef\xbb\xbfa\r\n\r\n# b\n\\#c\nd  \ne\\ \n\\!f\ng\0h\ni\r', ...'abcdefghi')).toEqual([
      'a',
      'd',
      'g',
      'i',
    ]);
    expect(covered('e\\ \n\\#c\n\\!f\n', 'e', 'e ', '#c', '!f')).toEqual(['e ', '#c', '!f']);
    expect(covered('x\r\r\n', 'x', 'x\r')).toEqual(['x\r']);
    expect(covered('!\n\\\n/\n   \n', 'a', '\\', ' ')).toEqual([]);
  });

  test('bytes match bytes, also if they are not UTF-8', () => {
    expect(covered('caf\xe9\n?\xa9\n', 'caf\xe9', 'caf\xc3\xa9', '\xc3\xa9', '\xe9')).toEqual(['caf\xe9', '\xc3\xa9']);
  });

  test('letter case matters unless core.ignoreCase is set, which affects only ASCII', () => {
    expect(covered('*.TXT\n', 'a.txt', 'a.TXT')).toEqual(['a.TXT']);
    const folding = chainOf('*.TXT\n\xc9\n', { ignoreCase: true });
    expect(['a.txt', '\xe9', '\xc9'].map((name) => ask(folding, name))).toEqual([true, false, true]);
  });
});

describe('the chain', () => {
  test('a deeper file overrides a higher one, .gitignore overrides exclude, exclude overrides the global file', () => {
    const start = { global: bytes('*.g\n*.x\n*.t\n'), exclude: bytes('!*.x\n*.e\n') };
    const chain = chainOf('!*.t\n*.top\n', start);
    expect(['a.g', 'a.x', 'a.e', 'a.t', 'a.top'].map((name) => ask(chain, name))).toEqual([
      true,
      false,
      true,
      false,
      true,
    ]);
    expect(ask(chain, 'd/a.top', { d: '!*.top\n' })).toBe(false);
    expect(ask(chain, 'd/a.new', { d: '*.new\n' })).toBe(true);
    expect(ask(chain, 'a.new')).toBe(false);
  });

  test('a path that a deeper file re-includes is not hidden by a higher rule', () => {
    const rules = { foo: '!bar\n' };
    const chain = chainOf('/foo/bar\nsecret\n');
    expect(ask(chain, 'foo/bar/', rules)).toBe(false);
    expect(ask(chain, 'foo/bar/file', rules)).toBe(false);
    expect(ask(chain, 'foo/bar/deep/file', rules)).toBe(false);
    expect(ask(chain, 'foo/bar/secret', rules)).toBe(true);
    expect(ask(chain, 'foo/bar/file')).toBe(true);
    for (const odd of ['b*r', '[bar]', 'b\\r', 'b\nr', ' bar ', '!bar', 'b?r']) {
      const back = {
        foo: `!${odd
          .replace('\n', '?')
          .replace(/[\\*?[]/g, '\\$&')
          .replace(/ $/, '\\ ')}\n`,
      };
      const all = odd.includes('\n') ? { foo: '!*\n' } : back;
      expect(ask(chainOf('/foo/*\n'), `foo/${odd}/file`, all), odd).toBe(false);
      expect(ask(chainOf('/foo/*\n'), `foo/other/file`, odd.includes('\n') ? {} : all), odd).toBe(true);
    }
  });

  test('rules inside an ignored folder do not apply', () => {
    expect(ask(chainOf('/hidden/\n'), 'hidden/file', { hidden: '!*\n' })).toBe(true);
    expect(ask(chainOf('/hidden/\n'), 'hidden/deep/file', { 'hidden/deep': '!*\n' })).toBe(true);
  });

  test('rules of an enclosing repository do not apply', () => {
    const outer = chainOf('*.log\n').enter('sub' as Name, null);
    expect(outer.isIgnored('a.log' as Name, false)).toBe(true);
    expect(chainOf('').isIgnored('a.log' as Name, false)).toBe(false);
  });

  test('entering folders and queries do not change the parent chain', () => {
    const top = chainOf('a\n');
    const before = top.key;
    const below = top.enter('x' as Name, bytes('!a\nb\n'));
    expect([below.isIgnored('a' as Name, false), below.isIgnored('b' as Name, false)]).toEqual([false, true]);
    expect([top.isIgnored('a' as Name, false), top.isIgnored('b' as Name, false), top.key]).toEqual([
      true,
      false,
      before,
    ]);
  });

  test('equal keys for equal rules in equal places, and no others', () => {
    const key = (chain: IgnoreChain): string => chain.key;
    const x = 'x' as Name;
    expect(key(chainOf('a\n').enter(x, bytes('b')))).toBe(key(chainOf('a\n').enter(x, bytes('b'))));
    const different = [
      chainOf('a\n'),
      chainOf('a'),
      chainOf('a\n', { ignoreCase: true }),
      chainOf('a\n', { global: bytes('') }),
      chainOf('a\n', { exclude: bytes('') }),
      IgnoreChain.start({ ignoreCase: false, global: bytes('a\n'), exclude: null, top: null }),
      IgnoreChain.start({ ignoreCase: false, global: null, exclude: bytes('a\n'), top: null }),
      chainOf('a\n').enter(x, null),
      chainOf('a\n').enter(x, bytes('')),
      chainOf('a\n').enter(x, bytes('b')),
      chainOf('a\n').enter('y' as Name, bytes('b')),
      chainOf('a\n').enter(x, null, true),
      chainOf('a\n').enter('y' as Name, null, true),
      chainOf('a\n').enter(x, null).enter(x, null),
      chainOf('a\n').enter(x, bytes('b')).enter(x, null),
      chainOf('a\n').enter(x, null).enter(x, bytes('b')),
    ].map(key);
    expect(new Set(different).size).toBe(different.length);
    for (const text of different) expect(text).toMatch(/^[0-9a-f]{40}(\+\d+)?$/);
  });

  test('names that do not exist are not an error', () => {
    const chain = chainOf('*\n');
    for (const name of ['', '.', '..', '../x', '/x', './x', 'C:/x', '__proto__']) {
      expect(() => [chain.isIgnored(name as Name, false), chain.isIgnored(name as Name, true)], name).not.toThrow();
    }
  });
});

describe('hostile files', () => {
  const problems = (text: string): unknown[] => chainOf(text).problems.map(({ why, line }) => ({ why, line }));

  test('patterns over the limit are reported, and re-include everything if one of them re-includes', () => {
    const many = Array.from({ length: 10_000 }, (_, at) => `file${at}`).join('\n');
    expect(problems(`${many}\n`)).toEqual([]);
    const chain = chainOf(`# one line\n${many}\nlater\n`);
    expect(chain.problems).toMatchObject([{ why: 'too-many', line: 10_002, file: '.gitignore' }]);
    expect(['file1', 'later'].map((name) => ask(chain, name))).toEqual([true, false]);
    const back = chainOf(`${many}\nlater\n!file1\n`);
    expect(['file1', 'file2', 'later'].map((name) => ask(back, name))).toEqual([false, false, false]);
  });

  test('a file over the size limit is reported, and may re-include anything', () => {
    const line = `${'x'.repeat(999)}\n`;
    const text = `secret\n${line.repeat(Math.ceil(IGNORE_FILE_BYTES / line.length))}`;
    expect(problems(text)).toEqual([{ why: 'too-large', line: null }]);
    expect(ask(chainOf(text), 'secret')).toBe(false);
    expect(ask(chainOf('', { global: bytes(text) }), 'secret')).toBe(false);
    expect(ask(chainOf(text, { global: bytes('other\n') }), 'other')).toBe(false);
  });

  test('a long pattern is reported and not used; if it re-includes, everything is re-included', () => {
    const long = 'x'.repeat(1025);
    expect(problems(`a\n${long}\n`)).toEqual([{ why: 'too-long', line: 2 }]);
    expect(ask(chainOf(`a\n${long}\n`), 'a')).toBe(true);
    expect(ask(chainOf(`a\n!${long}\nb\n`), 'a')).toBe(false);
    expect(ask(chainOf(`a\n!${long}\nb\n`), 'b')).toBe(true);
  });

  test('the number of reported problems is limited', () => {
    expect(problems(`${'x'.repeat(1025)}\n`.repeat(500))).toHaveLength(20);
  });

  test('patterns that take too long to match are reported and not used', () => {
    const name = 'a'.repeat(255);
    const digits = '1'.repeat(255);
    const deep = 'a/'.repeat(150);
    // The package compiles these in a way that cannot be slow.
    for (const pattern of [
      'a*'.repeat(100),
      '*a'.repeat(100),
      '*[ab]'.repeat(50),
      '?*'.repeat(200),
      '*[!a]'.repeat(50),
    ]) {
      expect(problems(`${pattern}b\n`)).toEqual([]);
      expect(ask(chainOf(`${pattern}b\n`), `${deep}${name}`)).toBe(false);
    }
    // These it does not, so they are refused.
    for (const pattern of ['*[+-9]'.repeat(10), 'a/**/'.repeat(10), '*[!-~]*[a/]*']) {
      expect(problems(`${pattern}b\n`), pattern).toEqual([{ why: 'too-complex', line: 1 }]);
      expect(ask(chainOf(`${pattern}b\n`), `${deep}${digits}`)).toBe(false);
      expect(ask(chainOf(`z\n!${pattern}b\n`), 'z')).toBe(false);
    }
    // Several consecutive ** are equal to one, so these are not refused.
    expect(problems(`${'**/'.repeat(50)}b\na/${'**/'.repeat(50)}b\na/${'***/'.repeat(9)}**\n`)).toEqual([]);
    expect(covered(`a/${'**/'.repeat(50)}b\n`, 'a/b', 'a/x/y/b', 'b')).toEqual(['a/b', 'a/x/y/b']);
  });

  test('the slow patterns of an entire chain are counted together', () => {
    const slow = (letter: string): string => `**/${letter}/**/b\n`.repeat(40);
    const top = chainOf(slow('a'));
    expect(top.problems).toEqual([]);
    const below = top.enter('d' as Name, bytes(slow('c')));
    expect(below.problems[0]).toMatchObject({ why: 'too-complex', line: 25 });
  });

  test('so are all patterns', () => {
    const many = bytes(Array.from({ length: 9000 }, (_, at) => `file${at}`).join('\n'));
    let chain = chainOf('')
      .enter('d' as Name, many)
      .enter('d' as Name, many);
    expect(chain.problems).toEqual([]);
    chain = chain.enter('d' as Name, many);
    expect(chain.problems).toMatchObject([{ why: 'too-many', line: 2001 }]);
    expect([chain.isIgnored('file1' as Name, false), chain.isIgnored('file8999' as Name, false)]).toEqual([true, true]);
  });

  test('very deep folders have no rules, which is reported once; contents of ignored folders stay hidden', () => {
    const go = (chain: IgnoreChain, levels: number): IgnoreChain => {
      let at = chain;
      for (let level = 0; level < levels; level++) at = at.enter('a' as Name, bytes('x\n'));
      return at;
    };
    const bottom = go(chainOf('*.log\n'), 200);
    expect([bottom.isIgnored('a.log' as Name, false), bottom.problems]).toEqual([true, []]);
    const below = go(bottom, 1);
    expect(below.isIgnored('a.log' as Name, false)).toBe(false);
    expect(below.problems).toMatchObject([{ why: 'too-deep' }]);
    const far = go(below, 5000);
    expect([far.isIgnored('x' as Name, false), far.problems]).toEqual([false, []]);
    expect(go(chainOf('a/\n'), 5000).isIgnored('y' as Name, false)).toBe(true);
  });

  test('random bytes are never an error', () => {
    const seed = 99;
    const random = seededRandom(seed);
    for (let round = 0; round < testEffort({ quick: 400, ci: 2_000, long: 2_000 }); round++) {
      const text = Array.from({ length: random.integer(60) }, () =>
        random.integer(3) === 0
          ? random.pick(['*', '/', '[', ']', '\\', '!', '\n', '\0', '-', ':'])
          : random.bytes(1).toString('latin1'),
      ).join('');
      const path = random
        .bytes(20)
        .toString('latin1')
        .replace(/[\0]/g, 'x')
        .replace(/\/+/g, '/')
        .replace(/^\/|\/$/g, '');
      expect(
        () => ask(chainOf(text, { ignoreCase: round % 2 === 0 }), path),
        `seed ${seed}: ${JSON.stringify(text)}`,
      ).not.toThrow();
    }
  });
});
