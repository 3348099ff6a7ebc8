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
  ])('%s is meant', (command) => {
    expect(matchesAnyPattern(command, SEED)).toBe(true);
  });

  it.each(['ls -l', 'rmdir a', 'echo rm', 'cat git', 'npmx', ''])('%s is not', (command) => {
    expect(matchesAnyPattern(command, SEED)).toBe(false);
  });

  it('no patterns mean every command, and so does a command that nobody knows', () => {
    expect(matchesAnyPattern('ls', [])).toBe(true);
    expect(matchesAnyPattern(null, SEED)).toBe(true);
    expect(matchesAnyPattern('x'.repeat(200_000), SEED)).toBe(true);
  });

  it('? is one character, and stars do not take for ever', () => {
    expect(matchesAnyPattern('ab', ['a?'])).toBe(true);
    expect(matchesAnyPattern('abc', ['a?'])).toBe(false);
    expect(matchesAnyPattern('a'.repeat(20_000), [`${'*a'.repeat(200)}b`])).toBe(false);
  });
});
