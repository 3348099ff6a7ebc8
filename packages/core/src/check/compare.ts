/** Compares the results of a check on two states: only new failures count. */

import type { Comparison, Outcome } from '../model/check-outcome.ts';
import type { CheckResult, Finding } from './check.ts';

export interface ComparedCheck {
  readonly name: string;
  readonly comparison: Comparison;
  readonly outcome: Outcome;
  /** Null: the check was not run on a base. */
  readonly base: Outcome | null;
  /** In place of `why`, if nothing can be said. */
  readonly why: string | null;
  readonly new: readonly Finding[];
  /** New failures of tests that passed when they ran again. */
  readonly flaky: readonly Finding[];
  readonly fixed: number;
  readonly remaining: number;
}

/** The paths of files that were renamed since the base, as text: from the old one to the new one. */
export type Renames = ReadonlyMap<string, string>;

/** Returns whether a check gave an answer: its failures are known. */
export function isAnswer(outcome: string): outcome is 'passed' | 'failed' {
  return outcome === 'passed' || outcome === 'failed';
}

/** Returns whether it found new failures, or gave no answer. */
export function isFailing({ comparison }: Pick<ComparedCheck, 'comparison'>): boolean {
  return comparison === 'worse' || comparison === 'unknown';
}

/**
 * @param base null: none is known. Then all failures are listed as new, and the comparison is `unknown`
 * @param again the second run of this state, if there was one
 */
export function compareResults(
  now: CheckResult,
  base: CheckResult | null,
  renames: Renames,
  again: CheckResult | null = null,
): ComparedCheck {
  const { name, outcome } = now;
  const common = { name, outcome, base: base?.outcome ?? null };
  if (!isAnswer(outcome)) {
    const worked = base !== null && isAnswer(base.outcome);
    const comparison = worked && outcome !== 'not-installed' ? 'worse' : 'unknown';
    return { ...common, comparison, why: now.why, new: [], flaky: [], fixed: 0, remaining: 0 };
  }
  if (outcome === 'passed') {
    const fixed = base === null ? 0 : base.findings.length;
    return { ...common, comparison: 'ok', why: null, new: [], flaky: [], fixed, remaining: 0 };
  }
  // A base without tests had no failing ones.
  if (base === null || !(isAnswer(base.outcome) || base.outcome === 'collected-nothing')) {
    const why =
      base === null ? 'there is no earlier state to compare with' : `on the base, ${base.why ?? 'it did not work'}`;
    return { ...common, comparison: 'unknown', why, new: now.findings, flaky: [], fixed: 0, remaining: 0 };
  }
  const { added, shared, removed } = compareFindings(now.findings, base.findings, renames);
  const repeated =
    again !== null && isAnswer(again.outcome) ? compareFindings(added, again.findings, NO_RENAMES) : null;
  const confirmed = repeated === null ? added : repeated.shared;
  const isUncertain = confirmed.length === 0 && now.omitted > base.omitted;
  return {
    ...common,
    comparison: confirmed.length > 0 ? 'worse' : isUncertain ? 'unknown' : 'same',
    why: isUncertain ? `it has ${now.omitted} more failures than can be compared` : null,
    new: confirmed,
    flaky: repeated?.added ?? [],
    fixed: removed,
    remaining: shared.length,
  };
}

export interface FindingDifference {
  readonly added: readonly Finding[];
  readonly shared: readonly Finding[];
  /** How many of the base are gone. */
  readonly removed: number;
}

/** Compares as multisets: of two equal failures, one may be new. */
export function compareFindings(
  now: readonly Finding[],
  base: readonly Finding[],
  renames: Renames,
): FindingDifference {
  const left = new Map<string, number>();
  for (const finding of base) {
    const key = keyOf(finding, renames);
    left.set(key, (left.get(key) ?? 0) + 1);
  }
  const added: Finding[] = [];
  const shared: Finding[] = [];
  for (const finding of now) {
    const key = keyOf(finding, NO_RENAMES);
    const count = left.get(key) ?? 0;
    if (count > 0) left.set(key, count - 1);
    (count > 0 ? shared : added).push(finding);
  }
  return { added, shared, removed: base.length - shared.length };
}

const NO_RENAMES: Renames = new Map();

/** Messages and names of tests can have the path, too. */
function keyOf({ tool, path, rule, message }: Finding, renames: Renames): string {
  const newPath = path === null ? undefined : renames.get(path);
  if (path === null || newPath === undefined) return JSON.stringify([tool, path, rule, message]);
  const [before, after] = [moduleName(path), moduleName(newPath)];
  const newRule = rule?.startsWith(`${before}.`) === true ? `${after}${rule.slice(before.length)}` : rule;
  return JSON.stringify([tool, newPath, newRule, withPath(message, path, newPath)]);
}

function withPath(text: string, path: string, newPath: string): string {
  return text.split(path).reduce((sum, part) => {
    const isPath = !/[\w./-]$/.test(sum) && !/^[\w-]/.test(part);
    return `${sum}${isPath ? newPath : path}${part}`;
  });
}

/** `tests/test_a.py` is the module `tests.test_a` in the names of Python's tests. */
function moduleName(path: string): string {
  return path.replace(/\.[^./]+$/, '').replaceAll('/', '.');
}
