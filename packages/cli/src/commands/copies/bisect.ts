import { nameFromJson, SavepointError, showText } from '@savepoint/core';
import { type OutputOf, runBisectVerb, VERBS } from '@savepoint/core/frontend';
import { command, lines, wholeNumber } from '../../command.ts';
import { changeLine } from '../../show/changes.ts';
import { shortText } from '../../show/checkpoint.ts';
import { countText } from '../../show/format.ts';
import { patchText } from '../../show/patch.ts';
import type { OutputView } from '../../view.ts';
import { writeAll } from '../../write.ts';
import { authorsLine, commandAfter, RUN_OPTIONS, runInput, runNotes, runText, tailLines } from './state-run.ts';

type BisectJson = OutputOf<typeof VERBS.bisect>;

export const bisect = command({
  verb: VERBS.bisect,
  operands: [],
  takesPaths: false,
  takesCommand: true,
  options: [
    { flags: '--good <checkpoint>', description: 'a checkpoint at which the command succeeds: cp_12, @prompt~2, …' },
    { flags: '--bad <checkpoint>', description: 'a newer one at which it fails (default last)' },
    { flags: '--jobs <number>', description: 'how many states to test at the same time (default 1)' },
    { flags: '--keep-going', description: 'a command that cannot be started, or is killed, skips the state' },
    { flags: '--trust-ends', description: 'do not test the ends, or what test results say' },
    { flags: '--ignore-results', description: 'do not use the test results of checkpoints' },
    ...RUN_OPTIONS,
  ],
  examples: [
    'savepoint bisect --good cp_3 -- npm test',
    "savepoint bisect --good @prompt~4 --bad last --jobs 2 -- sh -c 'make && ./check.sh'",
    'savepoint bisect --good cp_3 --turns --json -- npm test',
  ],

  input(given, { variables }) {
    const { options } = given;
    const jobs = wholeNumber(given, 'jobs', '--jobs');
    const good = options['good'];
    if (typeof good !== 'string') {
      throw new SavepointError('USAGE', 'bisect needs --good.', { argument: '--good' });
    }
    return {
      good,
      bad: typeof options['bad'] === 'string' ? options['bad'] : 'last',
      command: commandAfter(given, 'bisect'),
      ...(jobs === undefined ? {} : { jobs }),
      ...(options['keepGoing'] === true ? { keepGoing: true } : {}),
      ...(options['trustEnds'] === true ? { trustEnds: true } : {}),
      ...(options['ignoreResults'] === true ? { ignoreResults: true } : {}),
      ...runInput(given, variables),
    };
  },

  carryOut: (input, _given, { savepoint, signal, output, clearProgress }) =>
    runBisectVerb(savepoint, input, { signal }, ({ checkpoint, verdict, run, problem, left }) => {
      if (output === 'json') return;
      clearProgress();
      const why = run === null ? showText(problem ?? '') : runText(run);
      writeAll(2, `${checkpoint.id}  ${verdict.padEnd(4)}  ${why}  (${countText(left, 'state')} left)\n`);
    }),

  render(output, view) {
    const head = lines(headLines(output, view), knownBefore(output), runNotes(output));
    if (output.outcome !== 'found' || output.patch === null) return head;
    const rest = lines(
      ...(output.rollback === null
        ? [`To see it: \`savepoint diff ${output.good.id} ${output.bad.id}\``]
        : [`To roll this back: \`${output.rollback}\``]),
    );
    return Buffer.concat([
      Buffer.from(`${head}\n`),
      Buffer.from(patchText(nameFromJson(output.patch.text), view)),
      Buffer.from(`\n${rest}`),
    ]);
  },
});

/** The states that were not run, and the faults that are not the one that was searched. */
function knownBefore({ repaired, fromResults }: BisectJson): readonly string[] {
  return [
    ...(repaired.length === 0
      ? []
      : [`Also bad, but repaired before the good state: ${repaired.join(', ')}. That is another fault.`]),
    ...(fromResults.length === 0
      ? []
      : [`Not run, because their test results are known: ${fromResults.join(', ')} (\`--ignore-results\` runs them).`]),
  ];
}

function headLines(output: BisectJson, { style }: OutputView): readonly string[] {
  const { outcome, good, bad, skipped, tested, changes, prompts } = output;
  const last = tested.at(-1)?.run ?? null;
  switch (outcome) {
    case 'found':
      return [
        `${style.id(bad.id)} is the first bad state; ${good.id} is good.  ${shortText(bad.description)}`,
        ...prompts.map(
          ({ actor, words, checkpoint }) =>
            `turn    ${showText(actor.name)}: ${words === null ? '(no prompt recorded)' : shortText(words)}` +
            `${checkpoint === null ? '' : `  (${checkpoint})`}`,
        ),
        ...changes.map((change) => `${changeLine(change, style)}  ${style.faint(authorsLine(change))}`),
        ...(output.complete ? [] : ['This list of changes is not complete.']),
      ];
    case 'range':
      return [
        `The first bad state is one of these; those in between cannot be tested: ${[...skipped, bad.id].join(', ')}.`,
        `${good.id} is good.`,
      ];
    case 'stopped':
      return [
        `The command cannot be run: ${last === null ? 'it was not started' : runText(last)}. The bisect ended.`,
        'A command that is not in every state should be named by a path outside of the workspace. `--keep-going` skips such states.',
        ...tailLines(last),
      ];
    case 'good-end-is-bad':
      return [`The command fails at ${good.id}, which should be good.`, ...tailLines(last)];
    case 'bad-end-is-good':
      return [`The command succeeds at ${bad.id}, which should be bad.`];
    default:
      return [
        `The ${outcome === 'good-end-is-skipped' ? `good end (${good.id})` : `bad end (${bad.id})`} cannot be tested.`,
        ...tailLines(last),
      ];
  }
}
