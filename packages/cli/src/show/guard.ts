/** Shows what the guard did. */
import { type Savepoint, showText } from '@savepoint/core';
import type { OutputOf, VERBS } from '@savepoint/core/frontend';
import { lines } from '../command.ts';

type VerdictJson = NonNullable<OutputOf<typeof VERBS.guardSteps>['verdict']>;

interface ShownVerdict extends Pick<VerdictJson, 'outcome' | 'why' | 'operation'> {
  readonly failures: readonly { readonly check: string; readonly shown: string }[];
  readonly kept: readonly { readonly path: string; readonly why: string }[];
}

const MAX_FAILURES = 50;

/** What became of guarded work. Text from the project is escaped. */
export function verdictLines({ outcome, why, failures, operation, kept }: ShownVerdict): string {
  const found = failures.slice(0, MAX_FAILURES).map(({ check, shown }) => `  ${showText(check)}: ${showText(shown)}`);
  const more = failures.length > MAX_FAILURES ? [`  and ${failures.length - MAX_FAILURES} more`] : [];
  switch (outcome) {
    case 'good':
      return lines('savepoint: nothing is worse.');
    case 'unchanged':
      return lines('savepoint: nothing was changed.');
    case 'taken-back':
      return lines(
        `savepoint: checks became worse, and the changes were taken back (${operation ?? ''}). New failures:`,
        found,
        more,
        kept.map((one) => `  stays: ${showText(one.path)}: ${showText(one.why)}`),
        `\`savepoint show ${operation ?? 'last'}\` lists the changes, \`savepoint undo\` brings them back.`,
      );
    case 'left':
      return lines(
        `savepoint: checks became worse. The changes stay, because ${showText(why ?? '').replace(/\.$/, '')}.`,
        found,
        more,
      );
    case 'unknown':
      return lines(`savepoint: the checks gave no answer, and the changes stay: ${showText(why ?? '')}`);
  }
}

type GuardEvent = Awaited<ReturnType<Savepoint['guardStatus']>>['events'][number];

/** What the guard of an agent's turns did. Good turns are not listed. */
export function turnLines(events: readonly GuardEvent[]): string {
  return events.map(turnLine).join('');
}

function turnLine({ outcome, checkpoint, text }: GuardEvent): string {
  const about = showText(text);
  const at = checkpoint ?? 'last';
  switch (outcome) {
    case 'good':
      return '';
    case 'repaired':
      return lines('savepoint: nothing is worse after the repair.');
    case 'taken-back':
      return lines(
        `savepoint: checks became worse, and the changes of a turn were taken back (${at}): ${about}`,
        `\`savepoint show ${at}\` lists the changes.`,
      );
    case 'left':
      return lines(`savepoint: checks became worse, and the changes of a turn stay: ${about}`);
    case 'unknown':
      return lines(`savepoint: the checks of a turn gave no answer, and its changes stay: ${about}`);
  }
}
