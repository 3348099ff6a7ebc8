/** Error codes of forks and plans. */
import type { CodeDescription } from './error-data.ts';

export const PROPOSAL_ERRORS = {
  UNKNOWN_FORK: {
    exit: 1,
    when: 'The workspace has no fork with this name.',
    data: { name: 'string', known: 'string[]' },
    hint: 'Run `savepoint fork list` to list the forks.',
  },
  UNKNOWN_PLAN: {
    exit: 1,
    when: 'The workspace has no plan with this id.',
    data: { given: 'string', known: 'string[]' },
    hint: 'Run `savepoint plan list` to list the plans.',
  },
} as const satisfies Readonly<Record<string, CodeDescription>>;
