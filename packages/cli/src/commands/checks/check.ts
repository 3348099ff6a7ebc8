import { showText } from '@savepoint/core';
import { type OutputOf, VERBS } from '@savepoint/core/frontend';
import { command, lines, type VerbArguments, wholeNumber } from '../../command.ts';
import { checkResultText, verdictText } from '../../show/check-text.ts';
import type { OutputView } from '../../view.ts';
import { DEPENDENCY_OPTION, dependenciesIn } from '../copies/dependency-option.ts';

type CheckJson = OutputOf<typeof VERBS.check>;

export const ONLY = {
  flags: '--only <name>',
  description: 'only this check, tool or kind, for example tests',
  isRepeatable: true,
} as const;
export const LIMITS = [
  { flags: '--timeout <seconds>', description: 'for each check (default: 600)' },
  { flags: '--max-memory <number>', description: 'in megabytes, for each check, on Linux (default: 8192)' },
  DEPENDENCY_OPTION,
] as const;

export const check = command({
  verb: VERBS.check,
  operands: [],
  takesPaths: false,
  options: [
    { flags: '--at <checkpoint>', description: 'check this checkpoint (default: the folder as it is)' },
    { flags: '--fork <name>', description: 'check this fork, like `fork check`', conflicts: 'at' },
    {
      flags: '--base <checkpoint>',
      description:
        'compare with it (default: the last prompt, else the last state whose tests passed, else the one before)',
    },
    ONLY,
    ...LIMITS,
  ],
  examples: ['savepoint check', 'savepoint check --only tests', 'savepoint check --at cp_12 --base cp_9 --only tsc'],
  input(given) {
    const { at, fork, base } = given.options;
    return {
      ...(typeof at === 'string' ? { at } : {}),
      ...(typeof fork === 'string' ? { fork } : {}),
      ...(typeof base === 'string' ? { base } : {}),
      ...checkInput(given),
    };
  },
  render: reportText,
});

export const forkCheck = command({
  verb: VERBS.forkCheck,
  operands: [['<name>', 'the fork']],
  takesPaths: false,
  options: [ONLY, ...LIMITS],
  examples: ['savepoint fork check attempt', 'savepoint fork check attempt --only tests'],
  input: (given) => ({ name: given.operands[0] ?? '', ...checkInput(given) }),
  render: reportText,
});

/** The input of verbs that run checks. */
export function checkInput(given: VerbArguments) {
  const { only } = given.options;
  const timeoutSeconds = wholeNumber(given, 'timeout', '--timeout');
  const maxMemoryMb = wholeNumber(given, 'maxMemory', '--max-memory');
  return {
    ...(Array.isArray(only) ? { only: [...only] } : {}),
    ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }),
    ...(maxMemoryMb === undefined ? {} : { maxMemoryMb }),
    ...dependenciesIn(given.options),
  };
}

function reportText(result: CheckJson, view: OutputView): string {
  const { checks, notRun, notes, checkpoint, fork, base, baseReason } = result;
  if (checks.length === 0)
    return lines(
      notes.map((note) => showText(note)),
      'No checks were found, so nothing was checked.',
    );
  const what = fork === null ? checkpoint : `fork ${fork}`;
  const why = baseReason === null ? null : WHY[baseReason];
  const against =
    base === null ? (fork === null ? null : 'what was merged of it last') : `${base}${why === null ? '' : ` (${why})`}`;
  return lines(
    `Checked ${what}${against === null ? '' : `, compared with ${against}`}.`,
    checks.flatMap((one) => checkResultText(one, view)),
    notRun.length === 0 ? [] : `Not run: ${notRun.map((name) => showText(name)).join(', ')}.`,
    notes.map((note) => showText(note)),
    verdictText(checks),
  );
}

const WHY = {
  given: null,
  prompt: 'at the last prompt',
  'tests-passed': 'tests passed',
  previous: 'the one before; none is known to have passed its tests',
  fork: null,
} as const;
