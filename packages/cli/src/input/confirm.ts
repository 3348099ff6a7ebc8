import { SavepointError } from '@savepoint/core';
import type { CommandContext } from '../command.ts';

/** An action that the user must confirm. */
export interface Confirmation {
  /** Name of the verb. */
  readonly verb: string;
  /** What the action would do, for the error without a terminal: a clause without a full stop. */
  readonly consequence: string;
  readonly hint: string;
  /** Printed before the question. */
  readonly preview: string;
  readonly question: string;
  /** The message if the answer is no. */
  readonly declinedMessage: string;
}

export const IRREVERSIBLE_HINT = 'This cannot be undone. Repeat with --yes to proceed.';
export const DRY_RUN_HINT = 'Nothing was changed. Preview with --dry-run, then repeat with --yes.';

/** @throws SavepointError NEEDS_CONFIRMATION without a terminal, CANCELLED if the answer is no */
export async function confirm({ ask }: Pick<CommandContext, 'ask'>, proposal: Confirmation): Promise<void> {
  const { verb, consequence, hint, preview, question, declinedMessage } = proposal;
  if (ask === null) {
    throw new SavepointError(
      'NEEDS_CONFIRMATION',
      `${consequence}. There is no terminal to ask for confirmation.`,
      { verb },
      { hint },
    );
  }
  if (!(await ask(preview, question))) throw new SavepointError('CANCELLED', declinedMessage);
}
