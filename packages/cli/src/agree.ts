import { SavepointError } from '@savepoint/core';
import type { Session } from './command.ts';

/** What a person has to agree to. */
export interface Proposal {
  /** Name of the verb. */
  readonly verb: string;
  /** What would be done, where nobody is there to be asked: a clause that ends without a full stop. */
  readonly would: string;
  readonly hint: string;
  /** Printed before the question. */
  readonly shown: string;
  readonly question: string;
  /** What was not done where the answer is no. */
  readonly declined: string;
}

export const FOR_GOOD = 'It cannot be undone. Repeat with --yes if that is what you want.';
export const LOOK_FIRST = 'Look at it with --dry-run, then repeat with --yes. Nothing was changed.';

/** @throws SavepointError NEEDS_CONFIRMATION where nobody is there, CANCELLED */
export async function agree({ ask }: Pick<Session, 'ask'>, proposal: Proposal): Promise<void> {
  const { verb, would, hint, shown, question, declined } = proposal;
  if (ask === null) {
    throw new SavepointError('NEEDS_CONFIRMATION', `${would}, and nobody is there to be asked.`, { verb }, { hint });
  }
  if (!(await ask(shown, question))) throw new SavepointError('CANCELLED', declined);
}
