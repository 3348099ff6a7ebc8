/** The options that say how a plan is committed. */

import type { VerbArguments } from '../../command.ts';

/** How to commit, as the user said. */
export function commitChoices({ message, hooks }: VerbArguments['options']) {
  return {
    ...(typeof message === 'string' ? { message } : {}),
    ...(hooks === true ? { hooks: true } : {}),
  };
}
