/**
 * What an agent's session must know from one hook to the next: `sessions/<key>.json` in the store (docs/format.md).
 * Nothing is flushed, and nothing is lost that a timeline has: where a file is missing, a session knows less.
 */

import { createHash } from 'node:crypto';
import { readWhole } from '../io/durable-write.ts';
import { type Fs, FsError, isFsError } from '../io/fs.ts';
import type { ConversationPosition } from '../model/checkpoint.ts';
import type { DiskPath } from '../model/names.ts';
import { writeCacheFile } from './cache-file.ts';
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
  try {
    const json = JSON.parse(readWhole(fs, fileOf(layout, session), STATE_BYTES).toString()) as Partial<SessionState>;
    return {
      conversation: typeof json.conversation === 'object' ? json.conversation : null,
      heard: typeof json.heard === 'number' ? json.heard : null,
    };
  } catch (error) {
    if (error instanceof FsError || error instanceof SyntaxError || error instanceof TypeError) return UNKNOWN;
    throw error;
  }
}

export function writeSessionState(fs: Fs, layout: StoreLayout, session: string, state: SessionState): void {
  try {
    fs.makeFolder(layout.sessions, 0o700);
  } catch (error) {
    if (!isFsError(error, 'EEXIST')) throw error;
  }
  writeCacheFile(fs, fileOf(layout, session), Buffer.from(JSON.stringify({ session, ...state })));
}

function fileOf(layout: StoreLayout, session: string): DiskPath {
  return `${layout.sessions}/${createHash('sha256').update(session).digest('hex').slice(0, 32)}.json` as DiskPath;
}
