import { describe, expect, it } from 'vitest';
import { matchesAnyPattern } from '../../src/config/command-patterns.ts';

const SEED = ['rm *', 'mv *', 'git *', 'npm *'];

describe('patterns of commands', () => {
  it.each([
    'rm -rf build',
    'npm',
    'cd x && rm a',
    'true; git commit -m "a; b"',
    'FOO=1 sudo rm a',
    'echo $(mv a b)',
    'ls | xargs -n1 | npm ci',
    'if true; then rm a; fi',
    'a\nrm b',
    '`git stash`',
    '( mv a b )',
  ])('%s matches', (command) => {
    expect(matchesAnyPattern(command, SEED)).toBe(true);
  });

  it.each(['ls -l', 'rmdir a', 'echo rm', 'cat git', 'npmx', ''])('%s does not match', (command) => {
    expect(matchesAnyPattern(command, SEED)).toBe(false);
  });

  it('without patterns every command matches, and so does an unknown command', () => {
    expect(matchesAnyPattern('ls', [])).toBe(true);
    expect(matchesAnyPattern(null, SEED)).toBe(true);
    expect(matchesAnyPattern('x'.repeat(200_000), SEED)).toBe(true);
  });

  it('? is one character, and many stars are matched quickly', () => {
    expect(matchesAnyPattern('ab', ['a?'])).toBe(true);
    expect(matchesAnyPattern('abc', ['a?'])).toBe(false);
    expect(matchesAnyPattern('a'.repeat(20_000), [`${'*a'.repeat(200)}b`])).toBe(false);
  });
});
