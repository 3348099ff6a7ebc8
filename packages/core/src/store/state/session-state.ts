/**
 * State of an agent's session between hooks: `sessions/<key>.json` in the store (docs/format.md). Nothing is synced,
 * and nothing in the timeline depends on it: if a file is missing, the session only knows less.
 */

import type { Fs } from '../../io/fs.ts';
import { listIfExists, removeIfExists } from '../../io/if-exists.ts';
import type { Ports, ProcessIdentity } from '../../io/ports.ts';
import type { ConversationPosition } from '../../model/checkpoint.ts';
import type { PlanId, SessionId } from '../../model/ids.ts';
import { type DiskPath, diskChild } from '../../model/names.ts';
import type { StoreLayout } from '../layout.ts';
import { fileForKey, readCacheJson, writeCacheJson } from './cache-file.ts';

/** How far the transcript of a session was read, and what it says so far. */
export interface TranscriptMark {
  /** Tells the file from another one at its path. */
  readonly file: string;
  /** Where it is, as its agent named it last. Absent: an earlier version did not record it. */
  readonly path?: DiskPath;
  /** In bytes: the end of the last line that was read. */
  readonly offset: number;
  /** Whether that was the last complete line of the file. */
  readonly isComplete: boolean;
  /** Number of messages in the conversation; null if unknown. */
  readonly messages: number | null;
  /** Number of damaged lines. */
  readonly skipped: number;
  /** Ids of the last row and of the last message. */
  readonly leaf: string | null;
  readonly last: string | null;
  /** The agent's last words, shortened. */
  readonly lastAssistant: string | null;
  readonly model: string | null;
  /** In tokens. */
  readonly contextSize: number | null;
  /** The agent's version. */
  readonly version: string | null;
}

export interface SessionState {
  /** Position in the conversation at its last prompt. */
  readonly conversation: ConversationPosition | null;
  /** Number of the newest checkpoint when the session was last informed of other actors' changes; null if never. */
  readonly heard: number | null;
  /** The same for changes by others in its scope. */
  readonly scopeHeard: number | null;
  /** Its conversation went back to `heard`, and it was not informed yet of what differs since. */
  readonly wentBack: boolean;
  /** The session's history up to this checkpoint was deleted; null if none of it was. */
  readonly deletedUpTo: number | null;
  /** Keys of the last events that hooks have handled, oldest first. */
  readonly events: readonly string[];
  /** Calls that were held back in plan mode, the newest last. */
  readonly held: readonly HeldMark[];
  /** What it was informed of about its plans. */
  readonly plans: PlansHeard;
  /** Null if its transcript was not read. */
  readonly transcript: TranscriptMark | null;
  /** The agent's process, if it is known, and those above it, nearest first. */
  readonly processes: readonly ProcessIdentity[];
}

/** A call that was held back: two hooks may report it. */
export interface HeldMark {
  /** Identifies the call and what it would write. */
  readonly key: string;
  /** The plan that its edits are part of, once it has this revision. */
  readonly plan: PlanId;
  readonly revision: number;
  /** Milliseconds since 1970. */
  readonly time: number;
}

export interface PlansHeard {
  /** Identifies the state of all plans that was looked at; null: none. */
  readonly state: string | null;
  /** Identifies what was reported to its agent, the newest last. */
  readonly reported: readonly string[];
}

const NOTHING_HEARD: PlansHeard = { state: null, reported: [] };
const STATE_BYTES = 1024 * 1024;
/** Of a session about which nothing is recorded. */
export const UNKNOWN_STATE: SessionState = {
  conversation: null,
  heard: null,
  scopeHeard: null,
  wentBack: false,
  deletedUpTo: null,
  events: [],
  held: [],
  plans: NOTHING_HEARD,
  transcript: null,
  processes: [],
};

/**
 * Reads the state of each session once.
 * @returns the number of the checkpoint up to which the history of a session was deleted; 0: it was not
 */
export function deletedUpToIn(fs: Fs, layout: StoreLayout): (session: SessionId) => number {
  const known = new Map<SessionId, number>();
  return (session) => {
    const upTo = known.get(session) ?? readSessionState(fs, layout, session).deletedUpTo ?? 0;
    known.set(session, upTo);
    return upTo;
  };
}

/** Returns a state with all fields null if the file is missing or damaged. */
export function readSessionState(fs: Fs, layout: StoreLayout, session: SessionId): SessionState {
  const file = fileForKey(layout.sessions, session);
  return readCacheJson(fs, file, STATE_BYTES, stateOf) ?? UNKNOWN_STATE;
}

/** @param key the name of its file without the extension; a damaged record of a call has it, and not the session's id */
export function readSessionProcesses(fs: Fs, layout: StoreLayout, key: string): SessionState['processes'] {
  return readCacheJson(fs, diskChild(layout.sessions, `${key}.json`), STATE_BYTES, stateOf)?.processes ?? [];
}

/** The sessions whose agent's process is known and lives. */
export function readRunningSessions(
  { fs, processes }: Pick<Ports, 'fs' | 'processes'>,
  layout: StoreLayout,
): readonly { readonly session: SessionId; readonly process: ProcessIdentity }[] {
  return listIfExists(fs, layout.sessions).flatMap((name) => {
    const found = readCacheJson(fs, diskChild(layout.sessions, name), STATE_BYTES, (json: Partial<StoredState>) => {
      const [process] = stateOf(json).processes;
      return typeof json.session === 'string' && process !== undefined ? { session: json.session, process } : null;
    });
    return found === null || processes.state(found.process) === 'dead' ? [] : [found];
  });
}

export function writeSessionState(fs: Fs, layout: StoreLayout, session: SessionId, state: SessionState): void {
  const { scopeHeard, deletedUpTo, wentBack, events, held, plans, transcript, processes, ...others } = state;
  writeCacheJson(fs, layout.sessions, session, {
    session,
    ...others,
    ...(scopeHeard === null ? {} : { scopeHeard }),
    ...(wentBack ? { wentBack } : {}),
    ...(deletedUpTo === null ? {} : { deletedUpTo }),
    ...(events.length === 0 ? {} : { events }),
    ...(held.length === 0 ? {} : { held }),
    ...(plans.state === null ? {} : { plans }),
    ...(transcript === null ? {} : { transcript }),
    ...(processes.length === 0 ? {} : { processes }),
  });
}

/** The content of one file of the folder. */
interface StoredState extends SessionState {
  readonly session: SessionId;
  /** The whole file. */
  readonly text: string;
}

/** @param isUnwanted called for each state */
export function dropSessionStates(fs: Fs, layout: StoreLayout, isUnwanted: (state: StoredState) => boolean): void {
  for (const name of listIfExists(fs, layout.sessions)) {
    const file = diskChild(layout.sessions, name);
    const unwanted = readCacheJson(fs, file, STATE_BYTES, (json: Partial<StoredState>) =>
      isUnwanted({ ...stateOf(json), session: json.session ?? ('' as SessionId), text: JSON.stringify(json) }),
    );
    // An unreadable file may contain anything and is of no use to its session.
    if (unwanted !== false) removeIfExists(fs, file);
  }
}

function stateOf(stored: Partial<SessionState>): SessionState {
  const { conversation, heard, scopeHeard, wentBack, deletedUpTo, events, held, plans, transcript, processes } = stored;
  return {
    conversation: typeof conversation === 'object' ? conversation : null,
    heard: typeof heard === 'number' ? heard : null,
    scopeHeard: typeof scopeHeard === 'number' ? scopeHeard : null,
    wentBack: wentBack === true,
    deletedUpTo: typeof deletedUpTo === 'number' ? deletedUpTo : null,
    events: Array.isArray(events) ? events.filter((key) => typeof key === 'string') : [],
    held: Array.isArray(held) ? held.filter((one) => typeof one?.key === 'string' && typeof one.time === 'number') : [],
    plans: typeof plans?.state === 'string' && Array.isArray(plans.reported) ? plans : NOTHING_HEARD,
    transcript: isMark(transcript) ? transcript : null,
    processes: Array.isArray(processes) ? processes.filter((one) => typeof one?.pid === 'number') : [],
  };
}

/** Only damage leaves out any of it. */
function isMark(value: unknown): value is TranscriptMark {
  const mark = value as Partial<TranscriptMark> | null | undefined;
  if (mark?.path !== undefined && typeof mark.path !== 'string') return false;
  return typeof mark?.file === 'string' && typeof mark.offset === 'number' && typeof mark.skipped === 'number';
}
