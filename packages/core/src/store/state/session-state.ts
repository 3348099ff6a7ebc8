/**
 * What an agent's session must know from one hook to the next: `sessions/<key>.json` in the store (docs/format.md).
 * Nothing is flushed, and nothing is lost that a timeline has: where a file is missing, a session knows less.
 */

import type { Fs } from '../../io/fs.ts';
import { listIfExists, removeIfExists } from '../../io/if-exists.ts';
import type { ConversationPosition } from '../../model/checkpoint.ts';
import type { SessionId } from '../../model/ids.ts';
import { diskChild } from '../../model/names.ts';
import type { StoreLayout } from '../layout.ts';
import { fileForKey, readCacheJson, writeCacheJson } from './cache-file.ts';

export interface SessionState {
  /** Where the conversation was at its last prompt. */
  readonly conversation: ConversationPosition | null;
  /** Number of the newest checkpoint when it last heard what others did; null: never. */
  readonly heard: number | null;
  /** Its history up to this checkpoint was deleted; null: none of it. */
  readonly deletedUpTo: number | null;
}

const STATE_BYTES = 1024 * 1024;
const UNKNOWN: SessionState = { conversation: null, heard: null, deletedUpTo: null };

/** What is missing or damaged counts as unknown. */
export function readSessionState(fs: Fs, layout: StoreLayout, session: SessionId): SessionState {
  const file = fileForKey(layout.sessions, session);
  return readCacheJson(fs, file, STATE_BYTES, stateOf) ?? UNKNOWN;
}

export function writeSessionState(fs: Fs, layout: StoreLayout, session: SessionId, state: SessionState): void {
  const { deletedUpTo, ...others } = state;
  writeCacheJson(fs, layout.sessions, session, {
    session,
    ...others,
    ...(deletedUpTo === null ? {} : { deletedUpTo }),
  });
}

/** What a file of the folder holds. */
interface StoredState extends SessionState {
  readonly session: SessionId;
  /** All of the file. */
  readonly text: string;
}

/** @param isUnwanted asked for each */
export function dropSessionStates(fs: Fs, layout: StoreLayout, isUnwanted: (state: StoredState) => boolean): void {
  for (const name of listIfExists(fs, layout.sessions)) {
    const file = diskChild(layout.sessions, name);
    const unwanted = readCacheJson(fs, file, STATE_BYTES, (json: Partial<StoredState>) =>
      isUnwanted({ ...stateOf(json), session: json.session ?? ('' as SessionId), text: JSON.stringify(json) }),
    );
    // One that cannot be read may tell of anything, and tells nobody.
    if (unwanted !== false) removeIfExists(fs, file);
  }
}

function stateOf({ conversation, heard, deletedUpTo }: Partial<SessionState>): SessionState {
  return {
    conversation: typeof conversation === 'object' ? conversation : null,
    heard: typeof heard === 'number' ? heard : null,
    deletedUpTo: typeof deletedUpTo === 'number' ? deletedUpTo : null,
  };
}
