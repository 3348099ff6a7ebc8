/**
 * What an agent's session must know from one hook to the next: `sessions/<key>.json` in the store (docs/format.md).
 * Nothing is flushed, and nothing is lost that a timeline has: where a file is missing, a session knows less.
 */

import type { Fs } from '../io/fs.ts';
import { listIfThere, removeIfThere } from '../io/if-there.ts';
import type { ConversationPosition } from '../model/checkpoint.ts';
import type { DiskPath } from '../model/names.ts';
import { fileForKey, readCacheJson, writeCacheJson } from './cache-file.ts';
import type { StoreLayout } from './layout.ts';

export interface SessionState {
  /** Where the conversation was at its last prompt. */
  readonly conversation: ConversationPosition | null;
  /** Number of the newest checkpoint when it last heard what others did; null: never. */
  readonly heard: number | null;
}

const STATE_BYTES = 1024 * 1024;
const UNKNOWN: SessionState = { conversation: null, heard: null };

/** What is missing or damaged counts as unknown. */
export function readSessionState(fs: Fs, layout: StoreLayout, session: string): SessionState {
  const file = fileForKey(layout.sessions, session);
  const read = readCacheJson(fs, file, STATE_BYTES, ({ conversation, heard }: Partial<SessionState>) => ({
    conversation: typeof conversation === 'object' ? conversation : null,
    heard: typeof heard === 'number' ? heard : null,
  }));
  return read ?? UNKNOWN;
}

export function writeSessionState(fs: Fs, layout: StoreLayout, session: string, state: SessionState): void {
  writeCacheJson(fs, layout.sessions, session, { session, ...state });
}

/** @param isUnwanted asked for each, by the session's id and the whole text */
export function dropSessionStates(
  fs: Fs,
  layout: StoreLayout,
  isUnwanted: (session: string, text: string) => boolean,
): void {
  for (const name of listIfThere(fs, layout.sessions)) {
    const file = `${layout.sessions}/${name}` as DiskPath;
    const unwanted = readCacheJson(fs, file, STATE_BYTES, (json: { readonly session?: string }) =>
      isUnwanted(json.session ?? '', JSON.stringify(json)),
    );
    // One that cannot be read may tell of anything, and tells nobody.
    if (unwanted !== false) removeIfThere(fs, file);
  }
}
