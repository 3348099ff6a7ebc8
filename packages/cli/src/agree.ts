import { SavepointError } from '@savepoint/core';
import type { Session } from './command.ts';

/** An action that the user must confirm. */
export interface Proposal {
  /** Name of the verb. */
  readonly verb: string;
  /** What would be done, for the error without a terminal: a clause without a full stop. */
  readonly would: string;
  readonly hint: string;
  /** Printed before the question. */
  readonly shown: string;
  readonly question: string;
  /** The message if the answer is no. */
  readonly declined: string;
}

export const FOR_GOOD = 'This cannot be undone. Repeat with --yes to proceed.';
export const LOOK_FIRST = 'Nothing was changed. Preview with --dry-run, then repeat with --yes.';

/** @throws SavepointError NEEDS_CONFIRMATION without a terminal, CANCELLED if the answer is no */
export async function agree({ ask }: Pick<Session, 'ask'>, proposal: Proposal): Promise<void> {
  const { verb, would, hint, shown, question, declined } = proposal;
  if (ask === null) {
    throw new SavepointError(
      'NEEDS_CONFIRMATION',
      `${would}. There is no terminal to ask for confirmation.`,
      { verb },
      { hint },
    );
  }
  if (!(await ask(shown, question))) throw new SavepointError('CANCELLED', declined);
}
