import { nameFromJson, SavepointError, showName } from '@savepoint/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bytesOfArgument, nameOfArgument } from '../src/argument-path.ts';

describe('a path on the command line', () => {
  it.each([
    ['a.txt', 'a.txt'],
    ['-rf', '-rf'],
    ['sub dir/x', 'sub dir/x'],
    ['back\\slash', 'back\\slash'],
    ['"caf\\351.txt"', 'caf\xe9.txt'],
    ['"new\\nline"', 'new\nline'],
    ['"\\"quoted\\""', '"quoted"'],
    ['"back\\\\slash"', 'back\\slash'],
    ['"\\33[31m"', '\x1b[31m'],
    ['"plain"', 'plain'],
    ['""', ''],
  ])('%j names the bytes %j', (argument, bytes) => {
    expect(bytesOfArgument(argument)).toBe(bytes);
  });

  it('reads non-ASCII text as UTF-8, with and without quotes', () => {
    expect(nameOfArgument('ünï')).toBe('ünï');
    expect(nameOfArgument('"ünï"')).toBe('ünï');
    expect(nameFromJson(nameOfArgument('"ü\\377"'))).toBe('\xc3\xbc\xff');
  });

  it.each(['"', '"open', '"a"b"', '"a\\"', '"\\x41"', '"\\8"', '"\\777"', 'bad \ufffd bytes'])(
    '%j is refused',
    (argument) => {
      expect(() => bytesOfArgument(argument)).toThrow(SavepointError);
      expect(() => bytesOfArgument(argument)).toThrow(expect.objectContaining({ code: 'USAGE' }));
    },
  );

  it('a name as printed by Savepoint is accepted as an argument, for any bytes', () => {
    const bytes = fc.uint8Array({ minLength: 1, maxLength: 30 }).map((it) => Buffer.from(it).toString('latin1'));
    fc.assert(
      fc.property(bytes, (name) => {
        const shown = showName(name);
        // An unquoted U+FFFD cannot be distinguished from lost bytes. Only the quoted form is unambiguous.
        fc.pre(shown.startsWith('"') || !shown.includes('\ufffd'));
        expect(bytesOfArgument(shown)).toBe(name);
      }),
      { numRuns: 2000 },
    );
  });
});
