/** Error codes of forks and plans. */
import type { CodeDescription } from './error-data.ts';

export const PROPOSAL_ERRORS = {
  UNKNOWN_FORK: {
    exit: 1,
    when: 'The workspace has no fork with this name.',
    data: { name: 'string', known: 'string[]' },
    hint: 'Run `savepoint fork list` to list the forks.',
  },
  CHECKS_FAILED: {
    exit: 1,
    when: 'Checks of what the merge of a fork would bring, or of a plan, find new failures, or give no answer. Or a merge finds no checks.',
    data: {
      fork: 'string | null',
      plan: 'string | null',
      checks: [{ name: 'string', comparison: 'string', outcome: 'string', why: 'string | null', new: 'string[]' }],
    },
    note: '`checks`: those that failed, with their new failures; empty: no checks were found',
    hint: 'Nothing was changed. Fix the failures in the fork or plan, or go on all the same with --override "REASON".',
  },
  UNKNOWN_PLAN: {
    exit: 1,
    when: 'The workspace has no plan with this id.',
    data: { given: 'string', known: 'string[]' },
    hint: 'Run `savepoint plan list` to list the plans.',
  },
} as const satisfies Readonly<Record<string, CodeDescription>>;
