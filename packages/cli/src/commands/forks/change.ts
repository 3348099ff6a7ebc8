/** Commands that create, merge and remove forks. */

import { SavepointError, showText } from '@savepoint/core';
import { VERBS } from '@savepoint/core/frontend';
import { command, lines, type VerbArguments } from '../../command.ts';
import { commandText } from '../../show/conversation.ts';
import { portsText, runText } from '../../show/fork-run.ts';
import { countText, pathText } from '../../show/format.ts';
import { confirmAndRun, operationText } from '../../show/operation.ts';
import { DEPENDENCY_OPTION, dependenciesIn } from '../copies/dependency-option.ts';
import { CONFLICT_OPTIONS, conflictInput } from '../rewind/conflict-options.ts';

export const forkCreate = command({
  verb: VERBS.forkCreate,
  operands: [['<name>', 'its name']],
  takesPaths: false,
  takesCommand: true,
  options: [
    {
      flags: '--from <state>',
      description:
        'a checkpoint, an approved plan, or a dropped fork (dropped:NAME); default: the files as they are now',
    },
    { flags: '--branch <name>', description: 'make each repository a git worktree on this branch' },
    { flags: '--conversation', description: "also copy the agent's conversation as it was at --from" },
    { flags: '--session <id>', description: 'whose conversation (default: the only one since)' },
    { flags: '--count <number>', description: 'create NAME-1, NAME-2, … at once' },
    {
      ...DEPENDENCY_OPTION,
      description: 'what each fork gets of node_modules and the like (default: copy_dependencies)',
    },
  ],
  examples: [
    'savepoint fork create attempt',
    'savepoint fork create attempt --branch topic',
    'savepoint fork create attempt --count 8 -- npm test',
    'savepoint fork create trial --from plan_1a2b3c4d',
    'savepoint fork create again --from dropped:attempt',
    'savepoint fork create other-way --from @prompt~2 --conversation',
  ],
  input: ({ operands: [name = ''], options, rest = [] }, { variables }) => ({
    name,
    ...(typeof options['from'] === 'string' ? { from: options['from'] } : {}),
    ...(typeof options['branch'] === 'string' ? { branch: options['branch'] } : {}),
    ...dependenciesIn(options),
    ...(options['conversation'] === true ? { conversation: true } : {}),
    ...(typeof options['session'] === 'string' ? { session: options['session'] } : {}),
    ...(typeof options['count'] === 'string' ? { count: numberOf(options['count']) } : {}),
    ...(rest.length === 0 ? {} : { command: [...rest], variables: { ...variables } }),
  }),
  render: ({ forks }) =>
    lines(
      forks.flatMap(({ name, folder, port, continue: next, notes }) => [
        folder === null ? `${name} (no folder until \`savepoint fork open ${name}\`)` : `${name}: ${pathText(folder)}`,
        `  ports for its servers: ${portsText(port)} (SAVEPOINT_FORK_PORT in commands of \`fork create\` and \`fork run\`)`,
        ...(next === null ? [] : [`  continue the conversation: ${commandText(next)}`]),
        ...notes.map((note) => `  note: ${showText(note)}`),
      ]),
    ),
});

export const forkRun = command({
  verb: VERBS.forkRun,
  operands: [['<name>', 'the fork']],
  takesPaths: false,
  takesCommand: true,
  options: [],
  examples: ['savepoint fork run attempt -- npm test'],
  input({ operands: [name = ''], rest = [] }, { variables }) {
    if (rest.length === 0) {
      throw new SavepointError(
        'USAGE',
        'The command is missing.',
        { argument: 'command' },
        { hint: 'Put it after `--`.' },
      );
    }
    return { name, command: [...rest], variables: { ...variables } };
  },
  render: (run) => lines(runText(run), `  output: ${pathText(run.output)}`),
});

export const forkMerge = command({
  verb: VERBS.forkMerge,
  operands: [['<name>', 'the fork']],
  takesPaths: true,
  options: [
    ...CONFLICT_OPTIONS,
    {
      flags: '--check [names]',
      description: 'merge only if checks of the merged files find no new failures: all, or these, with commas between',
    },
    { flags: '--override <text>', description: 'with --check: merge all the same, and record why' },
    { flags: '--force', description: 'also change frozen paths' },
    { flags: '-n, --dry-run', description: 'only show what would change; with --check, run the checks as well' },
    { flags: '-y, --yes', description: 'do not ask for confirmation' },
  ],
  examples: [
    'savepoint fork merge attempt --dry-run',
    'savepoint fork merge attempt --yes -- src',
    'savepoint fork merge attempt --check tests,tsc',
  ],
  input: async ({ operands: [name = ''], paths, options }, context) => ({
    name,
    ...(paths.length === 0 ? {} : { paths: [...paths] }),
    ...(await conflictInput(options, context)),
    ...checkOptions(options),
    ...(options['force'] === true ? { force: true } : {}),
    ...(options['dryRun'] === true ? { dryRun: true } : {}),
  }),
  carryOut(input, { options }, context) {
    const { savepoint, signal } = context;
    const { check: _, override: __, ...previewed } = input;
    const run = (given: typeof input) => VERBS.forkMerge.handle(savepoint, given, { signal });
    const words = { verb: 'fork merge', noun: 'merge', asked: 'Merge', done: 'merged' };
    return confirmAndRun({ run, input, previewed, isSure: options['yes'] === true }, context, words);
  },
  render: (output, view) => operationText(output, view, 'Nothing to merge.'),
});

export const forkDrop = command({
  verb: VERBS.forkDrop,
  operands: [['<name>', 'the fork']],
  takesPaths: false,
  options: [{ flags: '--force', description: 'also if something is not merged, or a command runs' }],
  examples: ['savepoint fork drop attempt', 'savepoint fork drop attempt --force'],
  input: ({ operands: [name = ''], options }) => ({ name, ...(options['force'] === true ? { force: true } : {}) }),
  render: ({ dropped, notes }) =>
    lines(
      `Dropped fork ${dropped}. \`savepoint fork create ${dropped} --from dropped:${dropped}\` brings its files back.`,
      notes.map((note) => `  note: ${showText(note)}`),
    ),
});

export const forkClean = command({
  verb: VERBS.forkClean,
  operands: [],
  takesPaths: false,
  options: [],
  examples: ['savepoint fork clean'],
  input: () => ({}),
  render: ({ dropped, debris, notes }) =>
    lines(
      dropped.length === 0
        ? 'No fork is merged and idle.'
        : `Dropped ${countText(dropped.length, 'fork')}: ${dropped.join(', ')}`,
      debris.length === 0 ? [] : `Removed what dead processes left: ${debris.join(', ')}`,
      notes.map((note) => `  note: ${showText(note)}`),
    ),
});

/** Without names, all checks run. */
function checkOptions({ check, override }: VerbArguments['options']) {
  const names = typeof check === 'string' ? check.split(',').filter((name) => name !== '') : [];
  return {
    ...(check === undefined ? {} : { check: names }),
    ...(typeof override === 'string' ? { override } : {}),
  };
}

function numberOf(given: string): number {
  if (/^[1-9]\d{0,3}$/.test(given)) return Number(given);
  throw new SavepointError('USAGE', `--count takes a number, not ${JSON.stringify(given)}.`, { argument: 'count' });
}
