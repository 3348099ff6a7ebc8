/** What the guard says to an agent's model. Text from the project is escaped, and the length is limited. */

import type { Session } from '@savepoint/core';
import { shortText } from './short-text.ts';

type GuardStep = NonNullable<Awaited<ReturnType<Session['guardStep']>>>;

const MAX_FAILURES = 20;
const MAX_KEPT = 10;

/** Empty if the agent need not know. */
export function guardText({ verdict, attempt, attempts }: GuardStep): readonly string[] {
  const { outcome, failures, why, operation, kept } = verdict;
  if (outcome === 'taken-back') {
    return [
      `Savepoint guard: checks became worse, so your changes since the last good state were taken back (${operation?.id ?? ''}, ` +
        `attempt ${attempt} of ${attempts}). New failures:`,
      ...listed(failures),
      ...(kept.length === 0
        ? []
        : ['These stayed, because they may be by others or do not merge:', ...keptLines(kept)]),
      'Read the files again, then do your work in another way that does not cause these failures.',
    ];
  }
  if (outcome === 'left') {
    return [
      `Savepoint guard: checks became worse. Your changes stay, because ${shortText(why ?? 'they could not be taken back')}. ` +
        'New failures:',
      ...listed(failures),
    ];
  }
  return [];
}

function listed(failures: GuardStep['verdict']['failures']): readonly string[] {
  const rest = failures.length - MAX_FAILURES;
  return [
    ...failures.slice(0, MAX_FAILURES).map(({ check, shown }) => `- ${shortText(check)}: ${shortText(shown)}`),
    ...(rest > 0 ? [`- and ${rest} more`] : []),
  ];
}

function keptLines(kept: GuardStep['verdict']['kept']): readonly string[] {
  return kept.slice(0, MAX_KEPT).map(({ path, why }) => `- ${shortText(path)}: ${shortText(why)}`);
}
