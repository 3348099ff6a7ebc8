import { type Savepoint, SavepointError, showText } from '@savepoint/core';
import { type OutputOf, VERBS } from '@savepoint/core/frontend';
import { command, lines, type VerbArguments, wholeNumber } from '../../command.ts';
import { localTime } from '../../show/format.ts';

type StatusJson = OutputOf<typeof VERBS.guardStatus>;
type VerdictJson = NonNullable<OutputOf<typeof VERBS.guardSteps>['verdict']>;

interface ShownVerdict extends Pick<VerdictJson, 'outcome' | 'why' | 'operation'> {
  readonly failures: readonly { readonly check: string; readonly shown: string }[];
  readonly kept: readonly { readonly path: string; readonly why: string }[];
}

const SHOWN_EVENTS = 20;
const MAX_FAILURES = 50;

export const CHECK_OPTION = {
  flags: '--check <name>',
  description: 'a check by its name, tool or kind, as `savepoint check` lists it',
  isRepeatable: true,
} as const;

export const guardOn = command({
  verb: VERBS.guardOn,
  operands: [],
  takesPaths: false,
  options: [
    CHECK_OPTION,
    { flags: '--attempts <number>', description: 'how often work is taken back in a row (default: 3)' },
    { flags: '--every <when>', description: 'turn, or a number: also after that many calls (default: turn)' },
    { flags: '--timeout <seconds>', description: 'for all checks together (default: 300)' },
    {
      flags: '--outside-sandbox',
      description: 'also for agents whose program runs commands in a sandbox, although the checks are outside of it',
    },
  ],
  examples: ['savepoint guard on --check tests', 'savepoint guard on --check tsc --check vitest --every 5'],

  input: (given) => {
    const every = everyOption(given);
    const attempts = wholeNumber(given, 'attempts', '--attempts');
    const timeoutSeconds = wholeNumber(given, 'timeout', '--timeout');
    return {
      checks: checkNames(given.options),
      ...(every === undefined ? {} : { every }),
      ...(attempts === undefined ? {} : { attempts }),
      ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }),
      ...(given.options['outsideSandbox'] === true ? { outsideSandbox: true } : {}),
    };
  },

  render: (status, { style }) =>
    lines(
      guardLines(status),
      status.failing.map((name) => style.faint(`${showText(name)} fails already: only new failures count.`)),
    ),
});

export const guardOff = command({
  verb: VERBS.guardOff,
  operands: [],
  takesPaths: false,
  options: [],
  examples: ['savepoint guard off'],
  input: () => ({}),
  render: ({ wasOn }) => lines(wasOn ? 'The guard is off.' : 'The guard was not on.'),
});

export const guardStatus = command({
  verb: VERBS.guardStatus,
  operands: [],
  takesPaths: false,
  options: [],
  examples: ['savepoint guard status'],
  input: () => ({}),
  render: (status, { style }) =>
    lines(
      guardLines(status),
      status.events.slice(-SHOWN_EVENTS).map(({ time, agent, outcome, checkpoint, text }) => {
        const about = text === '' ? '' : `  ${style.faint(showText(text))}`;
        return `  ${localTime(time)}  ${showText(agent)}  ${outcome.replace('-', ' ')}  ${checkpoint ?? '–'}${about}`;
      }),
    ),
});

export const guardSteps = command({
  verb: VERBS.guardSteps,
  operands: [],
  takesPaths: false,
  options: [
    CHECK_OPTION,
    { flags: '--since <checkpoint>', description: 'from the first call: the steps have ended' },
    { flags: '--timeout <seconds>', description: 'for all checks of one state together (default: 600)' },
  ],
  examples: ['savepoint guard steps --check tests', 'savepoint guard steps --check tests --since cp_12'],

  input: (given) => {
    const { since } = given.options;
    const timeoutSeconds = wholeNumber(given, 'timeout', '--timeout');
    return {
      checks: checkNames(given.options),
      ...(typeof since === 'string' ? { since } : {}),
      ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }),
    };
  },

  render: ({ since, failing, verdict }, { style }) => {
    if (verdict !== null) return verdictLines(verdict);
    return lines(
      `Guarded since ${since}. After the steps, run this again with --since ${since}.`,
      failing.map((name) => style.faint(`${showText(name)} fails already: only new failures count.`)),
    );
  },
});

/** @throws SavepointError USAGE */
export function checkNames({ check }: VerbArguments['options']): string[] {
  if (Array.isArray(check) && check.length > 0) return [...(check as readonly string[])];
  const hint = '`savepoint trust --list` shows the checks of this project.';
  throw new SavepointError('USAGE', 'Name at least one check with --check.', { argument: '--check' }, { hint });
}

export function everyOption(given: VerbArguments): 'turn' | number | undefined {
  return given.options['every'] === 'turn' ? 'turn' : wholeNumber(given, 'every', '--every');
}

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

function guardLines({ guard }: StatusJson): string[] {
  if (guard === null) return ['Nothing is guarded.'];
  const { checks, every, attempts, base } = guard;
  const when = every === 'turn' ? 'after each turn' : `after each turn, and after ${every} calls`;
  return [
    `Guarded: ${checks.map((name) => showText(name)).join(', ')}, ${when}.`,
    `Work is taken back at most ${attempts} times in a row. The last good state is ${base ?? 'not known'}.`,
  ];
}
