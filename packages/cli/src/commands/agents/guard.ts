import { showText } from '@savepoint/core';
import { type OutputOf, VERBS } from '@savepoint/core/frontend';
import { command, lines, wholeNumber } from '../../command.ts';
import { localTime } from '../../show/format.ts';
import { verdictLines } from '../../show/guard.ts';
import { CHECK_OPTION, checkNames, everyOption } from './guard-options.ts';

type StatusJson = OutputOf<typeof VERBS.guardStatus>;
const SHOWN_EVENTS = 20;

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

function guardLines({ guard }: StatusJson): string[] {
  if (guard === null) return ['Nothing is guarded.'];
  const { checks, every, attempts, base } = guard;
  const when = every === 'turn' ? 'after each turn' : `after each turn, and after ${every} calls`;
  return [
    `Guarded: ${checks.map((name) => showText(name)).join(', ')}, ${when}.`,
    `Work is taken back at most ${attempts} times in a row. The last good state is ${base ?? 'not known'}.`,
  ];
}
