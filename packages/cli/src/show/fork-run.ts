/** Texts about commands and checks that run on forks. */

import { showText } from '@savepoint/core';
import { isFailing, type OutputOf, PORTS_PER_FORK, type VERBS } from '@savepoint/core/frontend';

export function runText({ number, command, state, exit }: OutputOf<typeof VERBS.forkRun>): string {
  const how = state === 'exited' ? `exit status ${exit}` : state;
  return `run ${number}: ${showText(command.join(' '))} (${how})`;
}

/** @param first of its ports */
export function portsText(first: number): string {
  return `${first} to ${first + PORTS_PER_FORK - 1}`;
}

export function checksText({ results, isCurrent }: NonNullable<ForkChecksJson>): string {
  const bad = results.filter(isFailing);
  const named = bad.map(({ name, outcome, new: added }) => {
    const how = outcome === 'failed' ? `${added} new` : outcome.replaceAll('-', ' ');
    return `${showText(name)} (${showText(how)})`;
  });
  const none = results.length === 0 ? 'no checks were found' : 'no new failures';
  return `${bad.length === 0 ? none : `checks failed: ${named.join(', ')}`}${isCurrent ? '' : ', before it was changed'}`;
}

type ForkChecksJson = OutputOf<typeof VERBS.forkList>['forks'][number]['checks'];
