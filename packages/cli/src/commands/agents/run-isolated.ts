/** `savepoint run --isolated`: the program works in a copy of the folder, and what it changed there is a proposal. */

import { isatty } from 'node:tty';
import { type DiskPath, SavepointError, type SessionOptions, showText } from '@savepoint/core';
import { safeJson } from '@savepoint/core/ports';
import { runInForeground } from '../../child.ts';
import { type CommandContext, type CommandEnvironment, lines, type ParsedArguments } from '../../command.ts';
import { asFailure, failureAsText } from '../../failure.ts';
import { ignoreHangUps, listenForInterrupts } from '../../interrupt.ts';
import { conflictsIn, type Decision, decisionIn, planOf } from '../../proposal/decision.ts';
import { assertEachTurn, EachTurn } from '../../proposal/each-turn.ts';
import { finishProposal } from '../../proposal/finish.ts';
import { resultToJson } from '../../proposal/result-json.ts';
import { commandInCopy, exitText, reportExit } from '../../proposal/run-in-copy.ts';
import { isolationText, unreadText, withoutHooksText } from '../../proposal/texts.ts';
import type { ShowOverlay } from '../../terminal-host/host.ts';
import { runHosted } from '../../terminal-host/run-hosted.ts';
import { writeAll } from '../../write.ts';
import { hostedAgent } from './hosted-agent.ts';

interface IsolatedRun {
  readonly command: readonly [string, ...string[]];
  readonly given: ParsedArguments;
  /** The agent that is recorded as the author if it is not a known one, and the session. */
  readonly names: SessionOptions;
  readonly folder: DiskPath;
}

/** @returns the exit status */
export async function runIsolated(
  { command, given, names, folder }: IsolatedRun,
  context: CommandContext,
  { env, interrupt, globals: { json } }: CommandEnvironment,
): Promise<number> {
  const { savepoint, signal, view, clearProgress } = context;
  const mayAsk = context.ask !== null && !json;
  const access = accessIn(given.options['preset']);
  if (access !== null && given.options['revise'] !== undefined)
    throw new SavepointError('USAGE', '--revise needs a program that may edit.', { argument: '--revise' });
  // Nothing can be changed, so there is nothing to decide.
  const decision = access === null ? await decisionOrPlan(given, mayAsk, context) : { kind: 'drop' as const };
  const conflicts = await conflictsIn(given, decision, context);
  const isEachTurn = given.options['eachTurn'] === true;
  if (isEachTurn)
    assertEachTurn({ access, isAnswered: decision !== null, isTerminal: !json && [0, 1, 2].every(isatty) });
  const [file, ...args] = command;
  const hosted = await hostedAgent(file, args, folder, env);
  const say = (text: string): void => (json ? undefined : writeAll(2, text));
  if (hosted.note !== null && isatty(2)) say(lines(hosted.note));
  const session = savepoint.session(hosted.known === null ? names : { ...names, agent: hosted.known });
  await session.start({ signal });
  const author = { actor: session.actor, session: session.id };
  const proposal = {
    description: `Isolated run of ${session.actor.name}`,
    author: { agent: session.actor.name, session: session.id },
  };
  const copy = await savepoint.openCopy({
    purpose: 'isolated',
    isLong: true,
    proposal,
    signal,
    ...(access === null ? {} : { access }),
    ...planOf(decision),
  });
  clearProgress();
  say(isolationText(copy, view));
  const { plan } = planOf(decision);
  if (plan !== undefined && hosted.agent === null) say(withoutHooksText(await savepoint.plan(plan)));
  const following = new AbortController();
  const followed = savepoint
    .followPlans(copy, {
      session: session.id,
      agent: session.actor.name,
      isForPlan: decision?.kind === 'plan',
      ...(plan === undefined ? {} : { plan }),
      signal: following.signal,
    })
    // Whatever it is, the program works, and its changes are kept.
    .catch((error: unknown) => asFailure(error).message);
  interrupt.end();
  const child = await commandInCopy(copy, context, [file, ...hosted.args], hosted.env);
  // The list of earlier states would be about the folder, and not about the copy.
  const hosts = { agent: hosted.known, session: session.id };
  const notes: string[] = [];
  const turns = isEachTurn
    ? new EachTurn({ copy, description: proposal.description, author }, context, {
        always: decision?.kind === 'apply' || decision?.kind === 'plan' ? decision : null,
        plan: plan ?? null,
        conflicts,
        // The program has the terminal.
        say: (text) => void (isatty(2) ? notes.push(text) : say(text)),
      })
    : null;
  const onPages = (show: ShowOverlay): void => turns?.askWith(show);
  const running = context.withoutMessages(() =>
    json
      ? runInForeground(child, { outputTo: 2 })
      : runHosted(child, { key: false, following: async () => child, hosts, onPages }, context),
  );
  const stopIgnoring = ignoreHangUps();
  const ended = await running;
  const status = reportExit(ended, file, view.style);
  const later = listenForInterrupts(['SIGINT', 'SIGTERM']);
  try {
    const { copy: left, plan: ongoing } = (await turns?.stop()) ?? { copy, plan: plan ?? null };
    following.abort();
    const missed = await followed;
    const unread = typeof missed === 'string' ? [] : missed;
    if (typeof missed === 'string')
      say(`savepoint: what was said about plans may not have reached the agent: ${showText(missed)}\n`);
    const applied = turns?.applied ?? [];
    for (const note of notes) say(note);
    if (status !== 0 || isatty(2)) say(`savepoint: ${exitText(ended)}\n`);
    const finished = await finishProposal(
      {
        copy: left,
        description: proposal.description,
        author,
        isGood: status === 0,
        hasApplied: applied.length > 0,
      },
      { context, env, signal: later.signal, decision: goingOn(decision, ongoing), mayAsk, conflicts, say },
    );
    say(unreadText(unread));
    if (finished.outcome === 'applied' || applied.length > 0) {
      say(`To revert only these changes later: \`savepoint rollback --session ${session.id}\`\n`);
    }
    await session.close({ signal: later.signal });
    await savepoint.idle();
    if (json) {
      const result = {
        session: session.id,
        turns: applied,
        unread: unread.map(({ id, words }) => ({ plan: id, words: [...words] })),
        ...resultToJson(left, ended, finished),
      };
      writeAll(1, `${safeJson(result, isatty(1) ? 2 : 0)}\n`);
    }
    return status === 0 && finished.failure !== null ? (later.status() ?? finished.failure.exit) : status;
  } catch (error) {
    const failure = asFailure(error);
    if (json) throw failure;
    say(failureAsText(failure, view.style));
    return status === 0 ? failure.exit : status;
  } finally {
    later.end();
    stopIgnoring();
  }
}

/** In plan mode, a plan is made of everything, unless another way is chosen. @returns null: the user is asked */
async function decisionOrPlan(
  given: ParsedArguments,
  mayAsk: boolean,
  context: CommandContext,
): Promise<Decision | null> {
  const found = decisionIn('run --isolated', given, true, context);
  if (found !== null) return found;
  if (await isPlanMode(context)) return { kind: 'plan', intent: null, revises: null };
  return decisionIn('run --isolated', given, mayAsk, context);
}

/** @throws SavepointError STORE_DAMAGED if it is unknown */
async function isPlanMode({ savepoint, signal }: CommandContext): Promise<boolean> {
  try {
    return (await savepoint.planMode({ signal })).workspace !== null;
  } catch (error) {
    if (error instanceof SavepointError && error.code === 'NO_WORKSPACE') return false;
    throw error;
  }
}

/** @param plan that the changes are a part of already; null: none */
function goingOn(decision: Decision | null, plan: string | null): Decision | null {
  return decision?.kind === 'plan' ? { ...decision, revises: plan } : decision;
}

/** @returns null: everything */
function accessIn(preset: unknown): 'list' | 'read' | null {
  if (preset === undefined || preset === 'edit') return null;
  if (preset === 'list' || preset === 'read') return preset;
  const message = `--preset needs list, read or edit, not ${JSON.stringify(preset)}.`;
  throw new SavepointError('USAGE', message, { argument: '--preset' });
}
