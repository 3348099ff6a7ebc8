import { showText } from '@savepoint/core';
import { type OutputOf, VERBS } from '@savepoint/core/frontend';
import { command, lines, type VerbArguments, wholeNumber } from '../../command.ts';
import { countText } from '../../show/format.ts';
import type { OutputView } from '../../view.ts';
import { DEPENDENCY_OPTION, dependenciesIn } from '../copies/dependency-option.ts';

type CheckJson = OutputOf<typeof VERBS.check>;
type Result = CheckJson['checks'][number];

const ONLY = {
  flags: '--only <name>',
  description: 'only this check, tool or kind, for example tests',
  isRepeatable: true,
} as const;
const LIMITS = [
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
    { flags: '--base <checkpoint>', description: 'compare with it (default: the state at the last prompt)' },
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

function checkInput(given: VerbArguments) {
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
  const { checks, notRun, notes, checkpoint, fork, base } = result;
  if (checks.length === 0)
    return lines(
      notes.map((note) => showText(note)),
      'No checks were found, so nothing was checked.',
    );
  const what = fork === null ? checkpoint : `fork ${fork}`;
  const against = base ?? (fork === null ? null : 'what was merged of it last');
  return lines(
    `Checked ${what}${against === null ? '' : `, compared with ${against}`}.`,
    checks.flatMap((one) => shownResult(one, view)),
    notRun.length === 0 ? [] : `Not run: ${notRun.map((name) => showText(name)).join(', ')}.`,
    notes.map((note) => showText(note)),
    verdict(checks),
  );
}

/** The rest can be read with `--json`. */
const MAX_FINDINGS = 20;
const OUTPUT_LINES = 10;

function shownResult(result: Result, { style }: OutputView): readonly string[] {
  const { name, outcome, comparison, why, fixed, remaining, took, output } = result;
  const counts = [
    ...(result.new.length === 0 ? [] : [`${result.new.length} ${comparison === 'worse' ? 'new' : 'failed'}`]),
    ...(remaining === 0 ? [] : [`${remaining} as before`]),
    ...(fixed === 0 ? [] : [`${fixed} fixed`]),
    ...(result.flaky.length === 0 ? [] : [`${result.flaky.length} flaky`]),
  ];
  const said = [outcome.replaceAll('-', ' '), ...counts].join(', ');
  const line = `  ${showText(name)}: ${said} (${(took / 1000).toFixed(1)} s)${why === null ? '' : `: ${showText(why)}`}`;
  const isAnswered = outcome === 'passed' || outcome === 'failed';
  return [
    comparison === 'ok' || comparison === 'same' ? line : style.bad(line),
    ...shownFindings(result.new, comparison === 'worse' ? 'new' : 'failed'),
    ...shownFindings(result.flaky, 'flaky'),
    ...(isAnswered ? [] : lastLines(output).map((text) => `      ${showText(text)}`)),
  ];
}

function shownFindings(findings: Result['new'], label: string): readonly string[] {
  const more = findings.length - MAX_FINDINGS;
  return [
    ...findings.slice(0, MAX_FINDINGS).map(({ shown }) => `    ${label}  ${showText(shown)}`),
    ...(more > 0 ? [`    … ${more} more`] : []),
  ];
}

function lastLines(output: string): readonly string[] {
  const all = output.trimEnd().split(/\r?\n/);
  return all.length === 1 && all[0] === '' ? [] : all.slice(-OUTPUT_LINES);
}

function verdict(checks: readonly Result[]): string {
  const worse = checks.filter(({ comparison }) => comparison === 'worse').length;
  const unknown = checks.filter(({ comparison }) => comparison === 'unknown').length;
  if (worse > 0) return `New failures in ${countText(worse, 'check')}.`;
  if (unknown > 0)
    return `It is unknown whether ${countText(unknown, 'check')} ${unknown === 1 ? 'has' : 'have'} new failures.`;
  return 'No new failures.';
}
