/** Commands that look at forks. */

import { nameFromJson, showText } from '@savepoint/core';
import { type OutputOf, someOf, VERBS } from '@savepoint/core/frontend';
import { command, lines, wholeNumber } from '../../command.ts';
import { changeLine, totalsLine } from '../../show/changes.ts';
import { checksText, portsText, runText } from '../../show/fork-run.ts';
import { localTime, pathText, sizeText } from '../../show/format.ts';
import { patchText } from '../../show/patch.ts';
import type { OutputView } from '../../view.ts';

type ForkJson = OutputOf<typeof VERBS.forkList>['forks'][number];

const LISTED = 20;

export const forkList = command({
  verb: VERBS.forkList,
  operands: [],
  takesPaths: false,
  options: [],
  examples: ['savepoint fork list'],
  input: () => ({}),
  render({ forks, dropped, warnings }, view) {
    return lines(
      forks.length === 0
        ? 'No forks. Create one with `savepoint fork create NAME`.'
        : forks.map((one) => forkLine(one, view)),
      dropped.map(({ from, time }) => `${from}  ${localTime(time)}  (--from ${from} brings it back)`),
      warnings.map((one) => `warning: ${showText(one)}`),
    );
  },
});

export const forkShow = command({
  verb: VERBS.forkShow,
  operands: [['<name>', 'the fork']],
  takesPaths: false,
  options: [{ flags: '--output <number>', description: 'show the end of what this command has printed' }],
  examples: ['savepoint fork show attempt', 'savepoint fork show attempt --output 1'],
  input(given) {
    const [name = ''] = given.operands;
    const output = wholeNumber(given, 'output', '--output');
    return { name, ...(output === undefined ? {} : { output }) };
  },
  render(fork, view) {
    const { printed } = fork;
    if (printed !== null)
      return lines(showText(Buffer.from(nameFromJson(printed.text), 'latin1').toString('utf8').trimEnd(), 'keep'));
    const { folder, checkpoint, created, branch, plan, port, rung, runs, checks, changes, common } = fork;
    return lines(
      forkLine(fork, view),
      folder === null ? '  no folder until `savepoint fork open`' : `  folder: ${pathText(folder)}`,
      `  left the workspace at ${checkpoint}, ${localTime(created)}${branch === null ? '' : `, on branch ${showText(branch)}`}`,
      plan === null ? [] : `  started with ${plan}`,
      `  ports for its servers: ${portsText(port)}; made as ${madeAs(rung)}`,
      checks === null ? [] : `  ${checksText(checks)}, checked ${localTime(checks.time)}`,
      runs.map((run) => `  ${runText(run)}  output: ${pathText(run.output)}`),
      common.map(({ fork: other, paths }) => `  in common with ${other}: ${paths.map(pathText).join(', ')}`),
      changes.slice(0, LISTED).map((one) => `  ${changeLine(one, view.style)}`),
      changes.length > LISTED ? `  … and ${changes.length - LISTED} more (see \`savepoint fork diff\`)` : [],
    );
  },
});

export const forkDiff = command({
  verb: VERBS.forkDiff,
  operands: [
    ['<name>', 'the fork'],
    ['[other]', 'compare its files with those of this fork, or (.) of the workspace'],
  ],
  takesPaths: true,
  isPaged: true,
  options: [{ flags: '--patch', description: 'show a patch in git format; the default on a terminal' }],
  examples: [
    'savepoint fork diff attempt',
    'savepoint fork diff attempt --patch -- src',
    'savepoint fork diff attempt-1 attempt-2',
    'savepoint fork diff attempt .',
  ],
  input: ({ operands: [name = '', other], paths, options }, { output }) => ({
    name,
    ...(other === undefined ? {} : { other }),
    ...(paths.length === 0 ? {} : { paths: [...paths] }),
    ...(options['patch'] === true || output === 'terminal' ? { patch: true } : {}),
  }),
  render({ changes, totals, patch }, view, { operands: [, other] }) {
    if (changes.length === 0) return lines(other === undefined ? 'Nothing to merge.' : 'The files are the same.');
    if (patch !== null) return patchText(nameFromJson(patch.text), view);
    return lines(
      changes.map((one) => changeLine(one, view.style)),
      totalsLine(totals),
    );
  },
});

export const forkCompare = command({
  verb: VERBS.forkCompare,
  operands: [['[names...]', 'two or more forks (default: all)']],
  takesPaths: false,
  options: [],
  examples: ['savepoint fork compare', 'savepoint fork compare attempt-1 attempt-2'],
  input: ({ operands }) => (operands.length === 0 ? {} : { names: [...operands] }),
  render: ({ forks, pairs, warnings }, { style }) =>
    lines(
      forks.flatMap(({ name, totals, checks, conflicts }) => [
        `${style.strong(name)}  ${totals.files === 0 ? 'nothing to merge' : totalsLine(totals)}`,
        ...(checks === null ? [] : [`  ${checksText(checks)}`]),
        ...conflictLines(conflicts, 'conflicts with the workspace'),
      ]),
      pairs.flatMap(({ forks: [first = '', second = ''], common, conflicts }) => [
        `${first} and ${second} ${common.length === 0 ? 'change no file in common' : `both change ${someOf(common.map(pathText), LISTED)}`}, ` +
          (conflicts.length === 0 ? 'and do not conflict with each other' : 'and conflict with each other'),
        ...conflictLines(conflicts, `of ${second} conflicts if ${first} is merged first`),
      ]),
      warnings.map((one) => `warning: ${showText(one)}`),
    ),
});

export const forkOpen = command({
  verb: VERBS.forkOpen,
  operands: [['<name>', 'the fork']],
  takesPaths: false,
  options: [],
  examples: ['cd "$(savepoint fork open attempt)"'],
  input: ({ operands: [name = ''] }) => ({ name }),
  render: ({ folder }, { isTerminal }) =>
    isTerminal ? lines(pathText(folder)) : Buffer.from(`${nameFromJson(folder)}\n`, 'latin1'),
});

function madeAs(rung: string): string {
  if (rung === 'overlay') return 'an overlay';
  return rung === 'reflink' ? 'a folder that shares blocks with the workspace' : 'a folder with copied files';
}

type Conflicts = OutputOf<typeof VERBS.forkCompare>['pairs'][number]['conflicts'];

function conflictLines(conflicts: Conflicts, what: string): readonly string[] {
  const more = conflicts.length - LISTED;
  return [
    ...conflicts.slice(0, LISTED).map(({ path, why }) => `  ${pathText(path)} ${what}: ${showText(why)}`),
    ...(more > 0 ? [`  … and ${more} more`] : []),
  ];
}

function forkLine(
  { name, state, totals, created, branch, common, runs, checks, bytes }: ForkJson,
  { style }: OutputView,
): string {
  const running = runs.find((run) => run.state === 'running');
  const [newest] = runs;
  const ended =
    newest === undefined || newest.state === 'running'
      ? null
      : newest.exit === null
        ? 'killed'
        : `exited ${newest.exit}`;
  return [
    style.strong(name),
    localTime(created),
    state === 'changed' ? totalsLine(totals) : state === 'merged' ? 'merged' : 'no changes',
    ...(branch === null ? [] : [`branch ${showText(branch)}`]),
    ...(common.length === 0
      ? []
      : [
          `changes files that ${common.map(({ fork }) => fork).join(', ')} ${common.length === 1 ? 'changes' : 'change'}, too`,
        ]),
    ...(checks === null ? [] : [checksText(checks)]),
    ...(running === undefined ? [] : [`running: ${showText(running.command.join(' '))}`]),
    ...(ended === null ? [] : [ended]),
    sizeText(bytes),
  ].join('  ');
}
