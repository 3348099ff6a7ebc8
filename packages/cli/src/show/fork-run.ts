/** Texts about commands that run in forks. */

import { showText } from '@savepoint/core';
import type { OutputOf, VERBS } from '@savepoint/core/frontend';

export function runText({ number, command, state, exit }: OutputOf<typeof VERBS.forkRun>): string {
  const how = state === 'exited' ? `exit status ${exit}` : state;
  return `run ${number}: ${showText(command.join(' '))} (${how})`;
}
