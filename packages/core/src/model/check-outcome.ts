/** How a check ended, and how that compares with an earlier state. */

/**
 * - `did-not-finish`: it exceeded a limit, or was cancelled.
 * - `crashed`: it ended with an error, without a failure that could be read, or a signal ended it.
 * - `collected-nothing`: it ran no tests.
 * - `not-installed`: its program does not exist here.
 */
export const OUTCOMES = [
  'passed',
  'failed',
  'did-not-finish',
  'crashed',
  'collected-nothing',
  'not-installed',
] as const;

export type Outcome = (typeof OUTCOMES)[number];

/**
 * - `ok`: no failures.
 * - `same`: failures, but none that the base has not.
 * - `worse`: new failures, or the check worked on the base and did not on this state.
 * - `unknown`: the check did not work here, or its base is unknown, so nothing can be said about new failures.
 */
export const COMPARISONS = ['ok', 'same', 'worse', 'unknown'] as const;

export type Comparison = (typeof COMPARISONS)[number];
