/** What it means how a check compares with the state before. */
export const COMPARISONS = {
  ok: 'passed',
  same: 'no new failures',
  worse: 'new failures',
  unknown: 'no answer',
} as const;
