import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { quoteForBash } from '../../src/completion/bash-words.ts';

test.each(['a\x1b[2J', 'a\x7f', 'a\u009b2J', '\u0080\u009f'])(
  'bash reads %j again, and a terminal does not act on it',
  (name) => {
    const quoted = quoteForBash(name, '');
    expect(quoted).toMatch(/^[\x20-\x7e]+$/);
    expect(execFileSync('bash', ['-c', `printf %s ${quoted}`]).toString()).toBe(name);
  },
);
