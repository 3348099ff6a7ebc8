import { type OutputOf, VERBS } from '@savepoint/core/frontend';
import { command } from '../../command.ts';
import { checksText } from '../../show/check-text.ts';
import type { OutputView } from '../../view.ts';
import { checkInput, LIMITS, ONLY } from './check-options.ts';

type CheckJson = OutputOf<typeof VERBS.check>;

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

function reportText(result: CheckJson, view: OutputView): string {
  const { checkpoint, fork, base, baseReason } = result;
  const what = fork === null ? checkpoint : `fork ${fork}`;
  const why = baseReason === null ? null : WHY[baseReason];
  const against =
    base === null ? (fork === null ? null : 'what was merged of it last') : `${base}${why === null ? '' : ` (${why})`}`;
  return checksText(result, `Checked ${what}${against === null ? '' : `, compared with ${against}`}.`, view);
}

const WHY = {
  given: null,
  prompt: 'at the last prompt',
  'tests-passed': 'tests passed',
  previous: 'the one before; none is known to have passed its tests',
  fork: null,
} as const;
