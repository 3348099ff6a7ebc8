/** Decides what becomes of a session's work: checks the state, and takes the work back if something is worse. */

import { type ComparedCheck, isAnswer } from '../../check/compare.ts';
import { showText } from '../../content/show-name.ts';
import type { Checkpoint } from '../../model/checkpoint.ts';
import { sameSnapshot } from '../../model/entries.ts';
import { SavepointError } from '../../model/errors.ts';
import { type CallId, type CheckpointId, checkpointNumber, type SessionId } from '../../model/ids.ts';
import type { GuardFailure, GuardVerdict } from '../../session/guarded-work.ts';
import { captureBefore } from '../copies/capture-before.ts';
import { checkState } from '../copies/check-state.ts';
import type { Engine } from '../engine.ts';
import { guardedChecks, type LostCheck } from './lost-checks.ts';
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
  const found = await compareWithBase(engine, request);
  const { checkpoint, failures } = found;
  if (failures.length === 0) {
    if (found.unsure === null) return { verdict: { ...verdictOf('good'), checkpoint }, base: checkpoint.id };
    return { verdict: { ...verdictOf('unknown'), why: found.unsure, checkpoint }, base };
  }
  const worse = { ...verdictOf('left'), failures, checkpoint };
  // What stays is what later work is compared with. Otherwise, that would be taken back for these failures, too.
  const left = (why: string, kept: GuardVerdict['kept'] = []): Judged => {
    return { verdict: { ...worse, why, kept }, base: checkpoint.id };
  };
  if (!request.mayTakeBack) return left('it was taken back too often');
  let taken: Awaited<ReturnType<typeof takeBack>>;
  try {
    taken = await takeBack(engine, { session, after, inside, because: `Guard: ${found.summary}.`, signal });
  } catch (error) {
    if (!(error instanceof SavepointError) || error.code === 'CANCELLED') throw error;
    return { verdict: { ...worse, why: `it could not be taken back: ${error.message} ${goesBack(base)}` }, base };
  }
  const { operation, kept } = taken;
  if (operation === null) return left('none of it can be taken back', kept);
  const verdict: GuardVerdict = { ...worse, outcome: 'taken-back', operation, kept };
  // Only now does the timeline have all that others changed meanwhile.
  const { others } = await whoWorkedSince(engine, session, after);
  if (!others && kept.length === 0 && !found.cannotRun) return { verdict, base };
  // Others have worked, too, so the failures may be theirs. What a check needs to run may be in no checkpoint.
  const without = await compareWithBase(engine, request);
  const remaining = without.failures;
  if (remaining.length === 0) return { verdict, base };
  const isHelpful = failures.some((one) => !remaining.some((other) => keyOf(other) === keyOf(one)));
  if (isHelpful || !(await putBackAgain(engine, operation, signal))) return { verdict, base: without.checkpoint.id };
  return left('the failures are still there without its changes, so these were put back', kept);
}

interface Difference {
  readonly checkpoint: Checkpoint;
  /** Empty: nothing is worse. */
  readonly failures: readonly GuardFailure[];
  /** Of the failures, in one line that is safe to show. */
  readonly summary: string;
  /** Whether a check that worked on the base cannot run any more. */
  readonly cannotRun: boolean;
  /** Why nothing can be said; null: it can. */
  readonly unsure: string | null;
}

interface MeasureRequest {
  readonly checks: readonly string[];
  readonly base: string;
  readonly signal: AbortSignal;
  /** Whether `checks` has only names, no tools or kinds. */
  readonly exactly?: boolean;
}

/** Runs the checks on the folder as it is, and compares them with the base. */
export function measure(
  engine: Engine,
  { checks, base, signal, exactly = false }: MeasureRequest,
): ReturnType<typeof checkState> {
  return checkState(engine, { only: checks, base, signal, exactly });
}

/** Of an error after the work: says that the work stays, and what goes back. `undo` might revert something else. */
export async function namingStateBefore<T>(base: CheckpointId, judging: () => Promise<T>): Promise<T> {
  try {
    return await judging();
  } catch (error) {
    if (!(error instanceof SavepointError)) throw error;
    const { code, message, data } = error;
    const hint = `The work was done, and was not taken back. ${goesBack(base)}`;
    throw new SavepointError(code, `After the guarded work: ${message}`, data, { cause: error, hint });
  }
}

/** A guarded check that is gone, or runs something that no person trusts, is worse. Then none of them run. */
async function compareWithBase(engine: Engine, request: JudgeRequest): Promise<Difference> {
  const { checks: wanted, base, signal } = request;
  const guarded = await guardedChecks(engine, wanted, base);
  if (guarded.lost.length > 0) return lostDifference(engine, guarded.lost, signal);
  const { names } = guarded;
  const { checkpoint, checks } = await measure(
    engine,
    names === null ? request : { base, signal, checks: names, exactly: true },
  );
  const worse = checks.filter((check) => check.comparison === 'worse' || isUninstalled(check));
  const unsure = checks.filter((check) => check.comparison === 'unknown' && !isUninstalled(check));
  return {
    checkpoint,
    failures: worse.flatMap(failuresOf),
    summary: summaryOf(worse),
    cannotRun: worse.some(isUninstalled),
    unsure:
      unsure.length === 0 ? null : unsure.map(({ name, why }) => `${name}: ${why ?? 'it gave no answer'}`).join('; '),
  };
}

/** Its program is gone, which it was not on the base. */
function isUninstalled({ outcome, base }: ComparedCheck): boolean {
  return outcome === 'not-installed' && base !== null && isAnswer(base);
}

async function lostDifference(engine: Engine, lost: readonly LostCheck[], signal: AbortSignal): Promise<Difference> {
  return {
    checkpoint: await engine.write({ signal }, 'existing', (writing) => captureBefore(engine, writing, {})),
    failures: lost.map(({ name, why }) => ({ check: name, path: null, shown: why })),
    summary: lost.map(({ name, why }) => `${showText(name)}: ${why}`).join(', '),
    cannotRun: true,
    unsure: null,
  };
}

function goesBack(base: CheckpointId): string {
  return `\`savepoint restore ${base}\` goes back to the state before it.`;
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
    const latest = workspace.timeline.latest();
    return latest !== null && sameSnapshot(latest.snapshot, snapshot);
  });
}
