/** Decides what becomes of a session's work: checks the state, and takes the work back if something is worse. */

import type { ComparedCheck } from '../../check/compare.ts';
import { showText } from '../../content/show-name.ts';
import type { Checkpoint } from '../../model/checkpoint.ts';
import { SavepointError } from '../../model/errors.ts';
import { type CallId, type CheckpointId, checkpointNumber, type SessionId } from '../../model/ids.ts';
import type { GuardFailure, GuardVerdict } from '../../session/guarded-work.ts';
import { checkState } from '../copies/check-state.ts';
import type { Engine } from '../engine.ts';
import { putBackAgain, takeBack, whoWorkedSince } from './take-back.ts';

export interface JudgeRequest {
  readonly session: SessionId;
  readonly checks: readonly string[];
  /** What the state is compared with. Everything of the session after it is taken back if something is worse. */
  readonly base: CheckpointId;
  /** Number of the checkpoint of the last take-back; 0: none. What the session did since is what is judged. */
  readonly lastAttempt: number;
  /** False: nothing is taken back any more. */
  readonly mayTakeBack: boolean;
  /** The call in which the guard itself runs. */
  readonly inside: CallId | null;
  readonly signal: AbortSignal;
}

export interface Judged {
  readonly verdict: GuardVerdict;
  /** What later work is compared with. */
  readonly base: CheckpointId;
}

/** A check that does not end in time is an answer. @throws SavepointError what the checks and the rollback throw */
export async function judge(engine: Engine, request: JudgeRequest): Promise<Judged> {
  const { session, base, inside, signal } = request;
  const after = checkpointNumber(base);
  const isNew = await whoWorkedSince(engine, session, Math.max(after, request.lastAttempt));
  if (!isNew.session || (await isAsIn(engine, base))) return { verdict: verdictOf('unchanged'), base };
  const { checkpoint, checks } = await measure(engine, request);
  const worse = checks.filter(({ comparison }) => comparison === 'worse');
  if (worse.length === 0) {
    const unsure = checks.filter(({ comparison }) => comparison === 'unknown');
    if (unsure.length === 0) return { verdict: { ...verdictOf('good'), checkpoint }, base: checkpoint.id };
    const why = unsure.map(({ name, why: reason }) => `${name}: ${reason ?? 'it gave no answer'}`).join('; ');
    return { verdict: { ...verdictOf('unknown'), why, checkpoint }, base };
  }
  const failures = worse.flatMap(failuresOf);
  const found = { ...verdictOf('left'), failures, checkpoint };
  // What stays is what later work is compared with. Otherwise, that would be taken back for these failures, too.
  const left = (why: string, kept: GuardVerdict['kept'] = []): Judged => {
    return { verdict: { ...found, why, kept }, base: checkpoint.id };
  };
  if (!request.mayTakeBack) return left('it was taken back too often');
  let taken: Awaited<ReturnType<typeof takeBack>>;
  try {
    taken = await takeBack(engine, { session, after, inside, because: `Guard: ${summaryOf(worse)}.`, signal });
  } catch (error) {
    if (!(error instanceof SavepointError) || error.code === 'CANCELLED') throw error;
    return { verdict: { ...found, why: `it could not be taken back: ${error.message}` }, base };
  }
  const { operation, kept } = taken;
  if (operation === null) return left('none of it can be taken back', kept);
  const verdict: GuardVerdict = { ...found, outcome: 'taken-back', operation, kept };
  // Only now does the timeline have all that others changed meanwhile.
  const { others } = await whoWorkedSince(engine, session, after);
  if (!others && kept.length === 0) return { verdict, base };
  // Others have worked, too, so the failures may be theirs.
  const without = await measure(engine, request);
  const remaining = without.checks.filter(({ comparison }) => comparison === 'worse').flatMap(failuresOf);
  if (remaining.length === 0) return { verdict, base };
  const isHelpful = failures.some((one) => !remaining.some((other) => keyOf(other) === keyOf(one)));
  if (isHelpful || !(await putBackAgain(engine, operation, signal))) return { verdict, base: without.checkpoint.id };
  return left('the failures are still there without its changes, so these were put back', kept);
}

/** Runs the checks on the folder as it is, and compares them with the base. */
export function measure(
  engine: Engine,
  { checks, base, signal }: { readonly checks: readonly string[]; readonly base: string; readonly signal: AbortSignal },
): ReturnType<typeof checkState> {
  return checkState(engine, { only: checks, base, signal });
}

/** `2 new failures of vitest, tsc did not finish`. Safe to show. */
function summaryOf(worse: readonly ComparedCheck[]): string {
  return worse
    .map(({ name, new: added, outcome, why }) =>
      added.length > 0
        ? `${added.length} new failure${added.length === 1 ? '' : 's'} of ${showText(name)}`
        : `${showText(name)} ${words(outcome)}${why === null ? '' : ` (${showText(why)})`}`,
    )
    .join(', ');
}

function failuresOf({ name, new: added, outcome, why }: ComparedCheck): readonly GuardFailure[] {
  if (added.length === 0) {
    return [{ check: name, path: null, shown: `${words(outcome)}${why === null ? '' : `: ${why}`}` }];
  }
  return added.map(({ path, shown }) => ({ check: name, path, shown }));
}

function words(outcome: ComparedCheck['outcome']): string {
  return outcome.replaceAll('-', ' ');
}

/** Lines move when changes are taken back. */
function keyOf({ check, path, shown }: GuardFailure): string {
  return JSON.stringify([check, path, shown.replace(/\d+/g, '0')]);
}

function verdictOf(outcome: GuardVerdict['outcome']): GuardVerdict {
  return { outcome, why: null, failures: [], checkpoint: null, operation: null, kept: [] };
}

/** Whether the last capture has the files of the base: nothing is left to judge. */
function isAsIn(engine: Engine, base: CheckpointId): Promise<boolean> {
  return engine.read((workspace) => {
    const { snapshot } = engine.resolve(workspace, base);
    const latest: Checkpoint | null = workspace.timeline.latest();
    return latest?.snapshot.files === snapshot.files && latest.snapshot.side === snapshot.side;
  });
}
