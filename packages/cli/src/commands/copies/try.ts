/** `savepoint try`: not a verb, because it runs another program, and asks what becomes of its changes. */

import { isatty } from 'node:tty';
import { SavepointError } from '@savepoint/core';
import { shellWord } from '@savepoint/core/frontend';
import { safeJson } from '@savepoint/core/ports';
import { assertUtf8 } from '../../argument-path.ts';
import { runInForeground } from '../../child.ts';
import type { CommandContext, CommandEnvironment, ParsedArguments, StandaloneCommand } from '../../command.ts';
import { listenForInterrupts } from '../../interrupt.ts';
import { APPLY_OPTIONS, conflictsIn, DECISION_OPTIONS, decisionIn, planOf } from '../../proposal/decision.ts';
import { type Finishing, finishProposal } from '../../proposal/finish.ts';
import type { Proposal } from '../../proposal/proposal.ts';
import { resultToJson } from '../../proposal/result-json.ts';
import { commandInCopy, exitText, reportExit } from '../../proposal/run-in-copy.ts';
import { isolationText } from '../../proposal/texts.ts';
import { writeAll } from '../../write.ts';
import { DEPENDENCY_OPTION, dependenciesIn } from './dependency-option.ts';

const EXAMPLE = 'Example: `savepoint try -- npm run codemod`.';

export const tryCommand: StandaloneCommand = {
  description:
    'Runs the command in a copy of the folder as it is now. The folder itself does not change. Not isolated are other ' +
    'files (the home folder, /tmp, what links lead to), the network, and services of this machine. Then shows the exit ' +
    'status and what differs, and asks: apply the changes, keep them as a plan to review, save them as a patch, drop them, or keep the copy and ' +
    'decide later. If the folder has changed meanwhile, the changes are merged into it; `savepoint undo` reverts that. ' +
    'Without a terminal, one of --apply, --patch, --plan, --keep and --drop is needed. The exit status is that of the command; if ' +
    'the command succeeds and its changes cannot be applied, it is that of the failure. Ctrl-C ends the command, and the ' +
    'question follows. With --json, the output of the command goes to standard error.',
  usage: '[options] -- <command...>',
  // Accepted only for a better error message: the command must follow `--`.
  operands: [['[none...]', '']],
  takesCommand: true,
  options: [
    ...DECISION_OPTIONS,
    ...APPLY_OPTIONS,
    DEPENDENCY_OPTION,
    {
      flags: '--continue <copy>',
      description: 'use a copy that was kept: run the command in it, if there is one, and decide',
    },
  ],
  examples: [
    'savepoint try -- npm run codemod',
    'savepoint try --apply -- npx prettier --write src',
    'savepoint try --patch ../upgrade.patch -- npm update',
    'savepoint try --plan -m "Update all packages" -- npm update',
    'savepoint try --continue copy_1a2b3c4d --apply --theirs src/a.ts',
    'savepoint try --continue copy_1a2b3c4d --keep -- git log',
  ],

  run: (given, surroundings) => {
    const { continue: kept } = given.options;
    const command = typeof kept === 'string' && isEmpty(given) ? null : commandIn(given);
    return surroundings.inWorkspace((context) =>
      typeof kept === 'string'
        ? continueWith(kept, command, given, context, surroundings)
        : tryOut(command ?? commandIn(given), given, context, surroundings),
    );
  },
};

/** @throws SavepointError USAGE */
function commandIn({ operands: [stray], rest: [file, ...args] }: ParsedArguments): readonly [string, ...string[]] {
  if (stray !== undefined) {
    const message = `The command must follow --, but ${JSON.stringify(stray)} is before it.`;
    throw new SavepointError('USAGE', message, { argument: stray }, { hint: EXAMPLE });
  }
  if (file === undefined) {
    throw new SavepointError('USAGE', 'try needs a command after --.', { argument: 'command' }, { hint: EXAMPLE });
  }
  for (const word of [file, ...args]) assertUtf8(word);
  return [file, ...args];
}

function isEmpty({ operands, rest }: ParsedArguments): boolean {
  return operands.length + rest.length === 0;
}

/**
 * A copy whose command has ended counts as one of a command that succeeded: the user has seen how it ended.
 * @param command null: none runs
 */
async function continueWith(
  id: string,
  command: readonly [string, ...string[]] | null,
  given: ParsedArguments,
  context: CommandContext,
  { globals, env, interrupt }: CommandEnvironment,
): Promise<number> {
  const { savepoint, signal } = context;
  const mayAsk = context.ask !== null && !globals.json;
  const decision = decisionIn('try', given, mayAsk, context);
  const conflicts = await conflictsIn(given, decision, context);
  const say = (text: string): void => (globals.json ? undefined : writeAll(2, text));
  const copy = await savepoint.reopenCopy(id, { signal });
  const { description = `Applied ${id}`, author } = copy.proposal ?? {};
  const by =
    author === undefined
      ? {}
      : { author: { actor: { kind: 'agent' as const, name: author.agent }, session: author.session } };
  const proposal = { copy, description, ...by };
  if (command !== null) {
    interrupt.end();
    return runAndFinish(command, proposal, { context, env, decision, mayAsk, conflicts, say, json: globals.json });
  }
  const finished = await finishProposal(
    { ...proposal, isGood: true },
    { context, env, signal, decision, mayAsk, conflicts, say },
  );
  if (globals.json) {
    writeAll(1, `${safeJson(resultToJson(copy, null, finished), isatty(1) ? 2 : 0)}\n`);
  }
  return finished.failure?.exit ?? 0;
}

async function tryOut(
  command: readonly [string, ...string[]],
  given: ParsedArguments,
  context: CommandContext,
  { globals, env, interrupt }: CommandEnvironment,
): Promise<number> {
  const { savepoint, signal, view, clearProgress } = context;
  const mayAsk = context.ask !== null && !globals.json;
  const decision = decisionIn('try', given, mayAsk, context);
  const conflicts = await conflictsIn(given, decision, context);
  const say = (text: string): void => (globals.json ? undefined : writeAll(2, text));
  const description = `Tried: ${command.map(shellWord).join(' ')}`;
  const copy = await savepoint.openCopy({
    ...{ purpose: 'try', proposal: { description }, signal },
    ...dependenciesIn(given.options),
    ...planOf(decision),
  });
  clearProgress();
  say(isolationText(copy, view));
  interrupt.end();
  const proposal = { copy, description };
  return runAndFinish(command, proposal, { context, env, decision, mayAsk, conflicts, say, json: globals.json });
}

interface RunInCopy extends Omit<Finishing, 'context' | 'signal'> {
  readonly context: CommandContext;
  readonly json: boolean;
}

/** @returns the exit status */
async function runAndFinish(
  command: readonly [string, ...string[]],
  proposal: Omit<Proposal, 'isGood'>,
  { context, env, json, ...given }: RunInCopy,
): Promise<number> {
  const { copy } = proposal;
  const { view } = context;
  const { say } = given;
  const child = await commandInCopy(copy, context, command, env);
  const ended = await context.withoutMessages(() => runInForeground(child, { outputTo: json ? 2 : 1 }));
  const status = reportExit(ended, command[0], view.style);
  const later = listenForInterrupts(['SIGINT', 'SIGTERM']);
  try {
    if (ended.kind !== 'exit' || ended.status !== 0 || isatty(2)) say(`savepoint: ${exitText(ended)}\n`);
    const finished = await finishProposal(
      { ...proposal, isGood: status === 0 },
      { ...given, context, env, signal: later.signal },
    );
    if (json) writeAll(1, `${safeJson(resultToJson(copy, ended, finished), isatty(1) ? 2 : 0)}\n`);
    return status === 0 && finished.failure !== null ? (later.status() ?? finished.failure.exit) : status;
  } finally {
    later.end();
  }
}
