/**
 * Resolves the names of checkpoints: `cp_12`, `last`, `last~2`, a commit id prefix, `@{10 minutes ago}`, `@prompt` and
 * `@session`.
 * With an agent's id of a message, or a unique beginning of it, `message:ID` means after its work and before the next
 * message. `before:ID` means before its work.
 */
import { closest } from '../../content/closest.ts';
import { showText } from '../../content/show-name.ts';
import type { Checkpoint } from '../../model/checkpoint.ts';
import { SavepointError } from '../../model/errors.ts';
import { checkpointId } from '../../model/ids.ts';
import type { CheckpointRef, Timeline } from '../record/timeline.ts';
import { uniqueMatch } from './match-id.ts';
import { sessionsOf, stateOfMessage } from './messages.ts';

import { findLast } from './not-happened.ts';
import { findWorkStart, parseWorkStart } from './work-starts.ts';

const UNITS: Readonly<Record<string, number>> = {
  second: 1_000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  week: 7 * 86_400_000,
};

/**
 * Returns the checkpoint with the given name.
 * @param now wall clock, milliseconds since 1970; only `@{…}` uses it
 * @throws SavepointError BAD_ID, UNKNOWN_CHECKPOINT, AMBIGUOUS_ID, NO_CHECKPOINT
 */
export function resolveCheckpoint(timeline: Timeline, given: string, now: number): Checkpoint {
  const refs = timeline.list();
  const find = findByName(given, refs, timeline, now);
  if (refs.length === 0) throw new SavepointError('NO_CHECKPOINT', 'This workspace has no checkpoint yet.');
  return timeline.read(find());
}

/** A checkpoint's number, or milliseconds since 1970. */
export type Moment = { readonly checkpoint: number } | { readonly time: number };

/**
 * Resolves a value for `after`: any name of a checkpoint, a date, or `10 minutes ago`.
 * @throws SavepointError BAD_ID, UNKNOWN_CHECKPOINT, AMBIGUOUS_ID, NO_CHECKPOINT
 */
export function resolveMoment(timeline: Timeline, given: string, now: number): Moment {
  const text = given.trim();
  const time = parsePointInTime(/^@\{(.{1,50})\}$/.exec(text)?.[1]?.trim() ?? text, now);
  return time === null ? { checkpoint: resolveCheckpoint(timeline, text, now).number } : { time };
}

/**
 * Parses `10 minutes ago`, `2026-01-31`, `2026-01-31 12:00` or `2026-01-31T12:00:00.000Z`. Without
 * a zone it is local time.
 * @param now milliseconds since 1970
 * @returns milliseconds since 1970; null if the text is none of these
 */
export function parsePointInTime(text: string, now: number): number | null {
  const ago = /^(\d{1,6})\s+(second|minute|hour|day|week)s?\s+ago$/.exec(text);
  if (ago !== null) return now - Number(ago[1]) * UNITS[ago[2]!]!;
  if (!/^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:?\d\d)?)?$/.test(text)) return null;
  // `Date.parse` takes a date without a time as UTC.
  const time = Date.parse(text.length === 10 ? `${text}T00:00` : text.replace(' ', 'T'));
  return Number.isNaN(time) ? null : time;
}

/** Returns the name of a checkpoint that a text which is none probably means; null if there is none. */
export function meantCheckpoint(given: string): string | null {
  const number = /^(?:cp|checkpoint)?[ _#-]?([1-9]\d{0,8})$/i.exec(given.trim())?.[1];
  return number === undefined ? closest(given, ['last', '@prompt', '@session'], 2) : `cp_${number}`;
}

function findByName(
  given: string,
  refs: readonly CheckpointRef[],
  timeline: Timeline,
  now: number,
): () => CheckpointRef {
  const byNumber = /^cp_([1-9]\d{0,8})$/.exec(given);
  if (byNumber !== null) return () => findByNumber(Number(byNumber[1]), refs, given);
  const last = /^last(?:~(\d{1,6}))?$/.exec(given);
  if (last !== null)
    return () =>
      findLast(timeline, refs, Number(last[1] ?? 0)) ??
      throwUnknownCheckpoint(given, 'There are not that many checkpoints.');
  if (/^[0-9a-f]{4,40}$/.test(given)) return () => findByPrefix(given, refs);
  const start = parseWorkStart(given);
  if (start !== null)
    return () => {
      const found = findWorkStart(timeline, refs, start.kind, start.count);
      return found.ref ?? throwUnknownCheckpoint(given, found.why);
    };
  const message = /^(message|before):(.{1,500})$/s.exec(given);
  if (message !== null) return () => findAtMessage(message[2]!, message[1] === 'before', refs, timeline);
  const inBraces = /^@\{(.{1,50})\}$/.exec(given)?.[1];
  const time = inBraces === undefined ? null : parsePointInTime(inBraces.trim(), now);
  if (time !== null) return () => findAtTime(time, refs, timeline, given);
  const meant = meantCheckpoint(given);
  const hint = meant === null ? {} : { hint: `Did you mean ${meant}?` };
  throw new SavepointError('BAD_ID', `${JSON.stringify(given)} is not a valid checkpoint.`, { given }, hint);
}

function findByNumber(number: number, refs: readonly CheckpointRef[], given: string): CheckpointRef {
  const newest = refs.at(-1)?.number ?? 0;
  const why =
    number > newest
      ? `The newest is cp_${newest}.`
      : 'It was dropped: by a clean-up, by `savepoint drop`, with its session, or because somebody deleted its ref.';
  return refs.find((ref) => ref.number === number) ?? throwUnknownCheckpoint(given, why);
}

function findByPrefix(given: string, refs: readonly CheckpointRef[]): CheckpointRef {
  const fits = refs.filter((ref) => ref.commit.startsWith(given));
  if (fits.length > 1) {
    throw new SavepointError('AMBIGUOUS_ID', `The commit id ${given} is ambiguous.`, {
      given,
      candidates: fits.map((ref) => checkpointId(ref.number)),
    });
  }
  return fits[0] ?? throwUnknownCheckpoint(given, 'No checkpoint has this commit id.');
}

/** Returns the newest checkpoint taken at or before `time`. */
function findAtTime(time: number, refs: readonly CheckpointRef[], timeline: Timeline, given: string): CheckpointRef {
  for (const ref of [...refs].reverse()) {
    const [checkpoint] = timeline.readAll([ref]).checkpoints;
    if (checkpoint !== undefined && checkpoint.time <= time) return assertNextIsReadable(given, ref, refs, timeline);
  }
  return throwUnknownCheckpoint(given, 'All checkpoints are newer than that.');
}

function findAtMessage(
  given: string,
  before: boolean,
  refs: readonly CheckpointRef[],
  timeline: Timeline,
): CheckpointRef {
  const { checkpoints } = timeline.readAll(refs);
  const known = new Set(checkpoints.flatMap(({ conversation }) => conversation?.messageId ?? []));
  const message = known.has(given) ? given : (uniqueMatch('message id', given, known) ?? given);
  const sessions = sessionsOf(checkpoints, message);
  if (sessions.length > 1) {
    throw new SavepointError('AMBIGUOUS_ID', 'Several sessions have a message with this id.', {
      given: message,
      candidates: sessions,
    });
  }
  const [session] = sessions;
  const place = session === undefined ? null : stateOfMessage(checkpoints, session, message, before);
  const ref = refs.find(({ number }) => number === place?.state.number);
  if (ref !== undefined) return assertNextIsReadable(given, ref, refs, timeline);
  throw new SavepointError('NO_MESSAGE', `No checkpoint belongs to message ${showText(message)}.`, {
    message,
    nearest: null,
  });
}

/**
 * If the checkpoint after the found one cannot be read, that one may be meant.
 * @throws SavepointError STORE_DAMAGED
 */
function assertNextIsReadable(
  given: string,
  found: CheckpointRef,
  refs: readonly CheckpointRef[],
  timeline: Timeline,
): CheckpointRef {
  const next = refs[refs.indexOf(found) + 1];
  const [damaged] = next === undefined ? [] : timeline.readAll([next]).damaged;
  if (damaged === undefined) return found;
  const [id, older] = [damaged.id, checkpointId(found.number)];
  throw new SavepointError(
    'STORE_DAMAGED',
    `${JSON.stringify(given)} may mean ${id}, which cannot be read, or ${older}.`,
    { checkpoints: [id] },
    { cause: damaged.error, hint: `Name ${older} to use it, or run \`savepoint repair\`.` },
  );
}

function throwUnknownCheckpoint(given: string, why: string): never {
  throw new SavepointError('UNKNOWN_CHECKPOINT', `There is no checkpoint ${given}. ${why}`, { given });
}
