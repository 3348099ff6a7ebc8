import { expect, test } from 'vitest';
import { NameFilter } from '../../../src/workspace/rules/name-filter.ts';

test.each([
  ['node_modules/', 'node_modules', 'modules'],
  ['*.log', 'a.LOG', 'log'],
  ['/build', 'build', 'builds'],
  ['docs/_build/*.html', 'x.html', 'html'],
  ['a*z', 'abcz', 'abc'],
  ['a\\*z', 'a*z', 'b*z'],
  ['x/a[/-9]b', 'a5b', 'a5c'],
  ['**/foo', 'foo', 'bar'],
])('%s may match %s, and not %s', (pattern, yes, no) => {
  const filter = NameFilter.of(['other', pattern]);
  expect(filter?.mayMatch(yes)).toBe(true);
  expect(filter?.mayMatch(no)).toBe(false);
});

test('a name that is only re-included needs no further check', () => {
  expect(NameFilter.of(['!back', 'a'])?.mayMatch('back')).toBe(false);
});

test.each([
  ['foo/**', 'FOO', 'bar'],
  ['/foo/*', 'foo', 'bar'],
  ['/x/foo/**/', 'foo', 'x'],
  ['**/foo/**', 'foo', 'x'],
])('%s may match any name in %s, and not in %s', (pattern, yes, no) => {
  const filter = NameFilter.of(['other', pattern]);
  expect(filter?.mayMatch('some')).toBe(false);
  expect(filter?.isOpenIn(yes)).toBe(true);
  expect(filter?.isOpenIn(no)).toBe(false);
});

test.each(['*', 'f*/**', '/**', '**/**', 'a[/]b/**', 'a\\/**', 'loose\\ ', 'a[bc]*'.slice(1), 'end\r'])(
  '%j may match any name',
  (pattern) => {
    expect(NameFilter.of([pattern])).toBeNull();
  },
);
