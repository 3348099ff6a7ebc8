import { describe, expect, test } from 'vitest';
import type { CheckResult, Finding } from '../../src/check/check.ts';
import { compareFindings, compareResults } from '../../src/check/compare.ts';
import type { Outcome } from '../../src/model/check-outcome.ts';

function finding(path: string | null, message: string, rule: string | null = 'R'): Finding {
  return { tool: 'tool', path, rule, message, shown: `${path}: ${message}` };
}

function result(outcome: Outcome, findings: readonly Finding[] = [], omitted = 0): CheckResult {
  const why = outcome === 'passed' || outcome === 'failed' ? null : `it ${outcome}`;
  return { name: 'check', outcome, why, findings, omitted, took: 1, output: '' };
}

const NONE = new Map<string, string>();
const [A, B] = [finding('a.ts', 'one'), finding('b.ts', 'two')];

test('counts equal failures: of two, one can be new', () => {
  expect(compareFindings([A, A, B], [A], NONE)).toEqual({ added: [A, B], shared: [A], removed: 0 });
  expect(compareFindings([A], [A, A, B], NONE)).toEqual({ added: [], shared: [A], removed: 2 });
});

describe('follows renamed files', () => {
  const renames = new Map([['tests/test_a.py', 'tests/test_b.py']]);

  test('in paths, names of tests and messages', () => {
    const before = finding('tests/test_a.py', 'in tests/test_a.py, not mytests/test_a.py', 'tests.test_a.TestX.test_y');
    const after = finding('tests/test_b.py', 'in tests/test_b.py, not mytests/test_a.py', 'tests.test_b.TestX.test_y');
    expect(compareFindings([after], [before], renames)).toEqual({ added: [], shared: [after], removed: 0 });
  });

  test('and nothing else', () => {
    const short = new Map([['a.ts', 'c.ts']]);
    const before = finding('a.ts', 'a failed at data.ts', 'a rule');
    expect(compareFindings([finding('c.ts', 'a failed at data.ts', 'a rule')], [before], short).added).toEqual([]);
  });
});

test('only new failures count', () => {
  expect(compareResults(result('failed', [A, B]), result('failed', [A]), NONE)).toMatchObject({
    comparison: 'worse',
    new: [B],
    remaining: 1,
    fixed: 0,
  });
  expect(compareResults(result('failed', [A]), result('failed', [A, B]), NONE)).toMatchObject({
    comparison: 'same',
    new: [],
    remaining: 1,
    fixed: 1,
  });
  expect(compareResults(result('passed'), result('failed', [A]), NONE)).toMatchObject({ comparison: 'ok', fixed: 1 });
});

test('a new failure that is gone in the second run is flaky', () => {
  const now = result('failed', [A, B]);
  expect(compareResults(now, result('passed'), NONE, result('failed', [A]))).toMatchObject({
    comparison: 'worse',
    new: [A],
    flaky: [B],
  });
  expect(compareResults(now, result('passed'), NONE, result('passed'))).toMatchObject({
    comparison: 'same',
    new: [],
    flaky: [A, B],
  });
});

test.each(['did-not-finish', 'crashed', 'collected-nothing'] as const)(
  'a second run that %s excuses nothing',
  (outcome) => {
    expect(compareResults(result('failed', [A]), result('passed'), NONE, result(outcome))).toMatchObject({
      comparison: 'worse',
      new: [A],
      flaky: [],
    });
  },
);

const BROKEN = ['did-not-finish', 'crashed', 'collected-nothing', 'not-installed'] as const;

test.each(BROKEN)('%s is never a success', (outcome) => {
  const expected = outcome === 'not-installed' ? 'unknown' : 'worse';
  expect(compareResults(result(outcome), result('passed'), NONE).comparison).toBe(expected);
  expect(compareResults(result(outcome), result('failed', [A]), NONE)).toMatchObject({
    comparison: expected,
    fixed: 0,
    why: `it ${outcome}`,
  });
  for (const base of BROKEN) expect(compareResults(result(outcome), result(base), NONE).comparison).toBe('unknown');
  expect(compareResults(result(outcome), null, NONE).comparison).toBe('unknown');
});

test('failures without a known base are listed, and said to be unknown', () => {
  expect(compareResults(result('failed', [A]), null, NONE)).toMatchObject({ comparison: 'unknown', new: [A] });
  expect(compareResults(result('failed', [A]), result('crashed'), NONE)).toMatchObject({
    comparison: 'unknown',
    new: [A],
    why: 'on the base, it crashed',
  });
  expect(compareResults(result('failed', [A]), result('collected-nothing'), NONE).comparison).toBe('worse');
});

test('failures that were not kept make the comparison unknown', () => {
  expect(compareResults(result('failed', [A], 5), result('failed', [A], 0), NONE).comparison).toBe('unknown');
  expect(compareResults(result('failed', [A], 5), result('failed', [A], 5), NONE).comparison).toBe('same');
});
