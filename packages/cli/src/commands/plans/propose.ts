/** Commands that make plans and look at them. */

import { type JsonName, nameFromJson, SavepointError, showText } from '@savepoint/core';
import { type InputOf, VERBS } from '@savepoint/core/frontend';
import { command, lines, type VerbArguments, wholeNumber } from '../../command.ts';
import { readRequest } from '../../input/read-request.ts';
import { localTime } from '../../show/format.ts';
import { patchText } from '../../show/patch.ts';
import { nextStep, planLine, planText, wordsText } from '../../show/plan-text.ts';
import { checkedRequest, requestIn } from '../changes/checked-request.ts';

const HINT = 'Nothing was changed. `savepoint help edit` shows valid edits.';
const EXPECTED = 'a JSON object with a field `files`, or a patch';
const UNCHANGED = 'The folder is not changed.';

export const planNew = command({
  verb: VERBS.planNew,
  operands: [['[file]', 'edits as JSON, as for `edit`, or a patch as of `git diff` (default, and -: standard input)']],
  takesPaths: false,
  options: [
    { flags: '-m, --message <text>', description: 'what the plan is for' },
    {
      flags: '--from-branch <branch>',
      description: 'what a branch changed since it left HEAD',
      conflicts: ['fromFork', 'fromWorktree'],
    },
    {
      flags: '--from-worktree <dir>',
      description: 'what is not committed in another git worktree of the repository',
      conflicts: ['fromFork'],
    },
    { flags: '--from-fork <name>', description: 'what a fork changed; the fork stays' },
  ],
  examples: [
    'savepoint plan new edits.json -m "Rename the setting"',
    'git diff main...topic | savepoint plan new -m "Rename the setting"',
    'savepoint plan new --from-branch topic',
  ],
  async input({ operands: [file], options }, { signal, absolutePath }) {
    const { message } = options;
    const intent = (otherwise: unknown): string =>
      typeof message === 'string' ? message : typeof otherwise === 'string' ? otherwise : '';
    const origin = originIn(options, absolutePath);
    if (origin !== null) {
      if (file !== undefined) {
        throw new SavepointError('USAGE', 'Give a file, or a branch, worktree or fork, not both.', { argument: file });
      }
      const { name, ...where } = origin;
      return { ...where, intent: intent(`Changes of ${name}`) };
    }
    const { message: own, ...changes } = await changesIn(file, signal);
    const named = typeof message === 'string' ? undefined : changes['intent'];
    return { ...changes, intent: named ?? intent(own) } as InputOf<typeof VERBS.planNew>;
  },
  async carryOut(input, _given, { savepoint, signal }) {
    if (input.intent === '') {
      const hint = 'Give it with `-m TEXT`, or as the field `intent` of the request.';
      throw new SavepointError(
        'USAGE',
        'A plan needs words that say what it is for.',
        { argument: 'intent' },
        { hint },
      );
    }
    return VERBS.planNew.handle(savepoint, await checkedRequest(VERBS.planNew, input, HINT), { signal });
  },
  render: (plan, view) => lines(planText(plan, view), UNCHANGED, nextStep(plan)),
});

export const planRevise = command({
  verb: VERBS.planRevise,
  operands: [
    ['<id>', 'the plan'],
    ['[file]', 'the new revision: edits as JSON, or a patch (-: standard input)'],
  ],
  takesPaths: false,
  options: [
    { flags: '-m, --message <text>', description: 'what its author is to change' },
    {
      flags: '--expect-revision <number>',
      description: 'the revision that you saw: if the plan has another one, nothing is done',
    },
  ],
  examples: [
    'savepoint plan revise plan_1a2b3c4d -m "Keep the old name as an alias"',
    'savepoint plan revise plan_1a2b3c4d edits.json',
  ],
  async input(given, { signal }) {
    const {
      operands: [id = '', file],
      options,
    } = given;
    const { message } = options;
    const revision = wholeNumber(given, 'expectRevision', '--expect-revision');
    const { message: _, ...changes } = file === undefined ? {} : await changesIn(file, signal);
    return {
      ...changes,
      id,
      ...(typeof message === 'string' ? { words: message } : {}),
      ...(revision === undefined ? {} : { revision }),
    } as InputOf<typeof VERBS.planRevise>;
  },
  async carryOut(input, _given, { savepoint, signal }) {
    return VERBS.planRevise.handle(savepoint, await checkedRequest(VERBS.planRevise, input, HINT), { signal });
  },
  render: (plan, view, { options }) =>
    lines(planText(plan, view), typeof options['message'] === 'string' ? wordsText(plan) : [], nextStep(plan)),
});

export const planList = command({
  verb: VERBS.planList,
  operands: [],
  takesPaths: false,
  options: [{ flags: '--all', description: 'also those that are applied, rolled back or cancelled' }],
  examples: ['savepoint plan list', 'savepoint plan list --all'],
  input: ({ options }) => (options['all'] === true ? { all: true } : {}),
  render: ({ plans, warnings }, view) =>
    lines(
      plans.length === 0
        ? 'No open plans.'
        : plans.map((one) => `${planLine(one, view)}  expires ${localTime(one.expires).slice(0, 10)}`),
      warnings.map((one) => `warning: ${showText(one)}`),
    ),
});

export const planShow = command({
  verb: VERBS.planShow,
  operands: [['<id>', 'the plan']],
  takesPaths: true,
  isPaged: true,
  options: [{ flags: '--patch', description: 'also show a patch in git format' }],
  examples: ['savepoint plan show plan_1a2b3c4d', 'savepoint plan show plan_1a2b3c4d --patch -- src'],
  input: ({ operands: [id = ''], paths, options }) => ({
    id,
    ...(options['patch'] === true ? { patch: true } : {}),
    ...(paths.length === 0 ? {} : { paths: [...paths] }),
  }),
  render(plan, view) {
    const text = lines(planText(plan, view), nextStep(plan));
    if (plan.patch === null) return text;
    const patch = patchText(nameFromJson(plan.patch.text), view);
    return Buffer.concat([Buffer.from(`${text}\n`), Buffer.from(patch)]);
  },
});

/** Where the changes are, if not in a file, with a name for people. */
function originIn(
  { fromBranch: branch, fromWorktree: worktree, fromFork: fork }: VerbArguments['options'],
  absolute: (path: string) => JsonName,
) {
  if (typeof branch === 'string') return { branch, name: `branch ${branch}` };
  if (typeof worktree === 'string') return { worktree: absolute(worktree), name: `worktree ${worktree}` };
  return typeof fork === 'string' ? { fork, name: `fork ${fork}` } : null;
}

/** Edits as JSON start with a brace, which no patch does. @throws SavepointError USAGE */
async function changesIn(
  file: string | undefined,
  signal: AbortSignal,
): Promise<{ readonly message?: unknown } & Readonly<Record<string, unknown>>> {
  const text = await readRequest(file === undefined || file === '-' ? null : file, signal, 'savepoint plan new');
  return /^\ufeff?\s*[{[]/.test(text) || text.trim() === '' ? requestIn(text, EXPECTED) : { patch: text };
}
