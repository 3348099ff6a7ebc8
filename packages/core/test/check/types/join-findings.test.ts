import { expect, test } from 'vitest';
import { joinFindings } from '../../../src/check/types/join-findings.ts';
import type { CodeFinding } from '../../../src/code/finding.ts';
import type { TreePath } from '../../../src/model/names.ts';

/** @param place such as `a.ts:1` */
function finding(place: string, message: string, more: Partial<CodeFinding> = {}): CodeFinding {
  const [path = '', line] = place.split(':');
  const common = { class: 'breaks', rule: 'removed-export', evidence: [], follows: null } as const;
  return { ...common, path: path as TreePath, line: line === undefined ? null : Number(line), message, ...more };
}

const error = (place: string, message: string, more: Partial<CodeFinding> = {}): CodeFinding =>
  finding(place, message, { rule: 'type-error', ...more });

test('an error at the place of a finding is its evidence, and what follows from it follows from the finding', () => {
  const code = [
    finding('b.ts:1', "a.ts no longer exports 'x'."),
    finding('b.ts:1', "a.ts no longer exports 'y'."),
    finding('b.ts', 'No test reaches it.', { class: 'may-be-affected', rule: 'untested-change' }),
  ];
  const types = [
    error('b.ts:1', "No exported member 'y'."),
    error('b.ts:3', 'Implicit any.', { class: 'follows', follows: 0 }),
    error('a.ts:2', 'Another one.'),
  ];
  const joined = joinFindings(code, types);
  expect(joined.map(({ class: of, path, line, follows }) => [of, path, line, follows])).toEqual([
    ['breaks', 'b.ts', 1, null],
    ['breaks', 'b.ts', 1, null],
    ['breaks', 'a.ts', 2, null],
    ['follows', 'b.ts', 3, 1],
    ['may-be-affected', 'b.ts', null, null],
  ]);
  expect(joined.map(({ evidence }) => evidence.length)).toEqual([0, 1, 0, 0, 0]);
});

test('what may be affected breaks if the checker says so', () => {
  const code = [finding('b.ts:1', "'f' takes another argument.", { class: 'may-be-affected', rule: 'changed-export' })];
  expect(joinFindings(code, [error('b.ts:1', 'Expected 2 arguments.')])).toMatchObject([
    { class: 'breaks', rule: 'changed-export', evidence: [{ text: 'type checker: Expected 2 arguments.' }] },
  ]);
});

test('all errors of a file that cannot be parsed follow from that', () => {
  const code = [finding('a.ts:4', 'Expected a name.', { rule: 'syntax-error' })];
  const joined = joinFindings(code, [error('a.ts:9', "';' expected."), error('b.ts:9', 'Not related.')]);
  expect(joined.map(({ class: of, path, follows }) => [of, path, follows])).toEqual([
    ['breaks', 'a.ts', null],
    ['breaks', 'b.ts', null],
    ['follows', 'a.ts', 0],
  ]);
});
