/** Writes the transcript of a conversation that goes back. */

import { basename, dirname, join } from 'node:path';
import { type DiskPath, type Fs, isFsError, kindOf } from '@savepoint/core/ports';
import type { ConversationMachine } from './agent-conversation.ts';

/** The new transcript belongs to the user alone, as the agents' own ones do. */
const MODE = 0o600;
const ENDING = '.savepoint-new';
/** The names under which transcripts are written: those of the agents, each with the id of a session or its beginning. */
const LEFT_OVER = /^(?:[a-z]+-[0-9T-]+-)?[0-9a-f]{8}(?:(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})?\.jsonl\.savepoint-new$/;
/** Nothing is written for so long without a change. A process id would say nothing: homes are shared with containers. */
const OLD_MS = 60 * 60_000;

/**
 * The agent sees the transcript only when it is complete. First removes what killed processes have left in the folder.
 * @param where.temporary the file that becomes the transcript; its ending is added. Absent: it is next to the transcript
 * @param write writes its lines, each with its end
 * @throws FsError: nothing is left of it
 */
export function writeTranscript(
  ports: ConversationMachine['ports'],
  where: { readonly path: DiskPath; readonly temporary?: DiskPath },
  write: (add: (bytes: Uint8Array) => void) => void,
): void {
  const { fs } = ports;
  const { path } = where;
  const temporary = `${where.temporary ?? path}${ENDING}` as DiskPath;
  removeLeftOvers(dirname(temporary) as DiskPath, ports);
  const file = fs.openNew(temporary, MODE);
  try {
    try {
      let at = 0;
      write((bytes) => {
        fs.write(file, bytes, at);
        at += bytes.length;
      });
      fs.sync(file);
    } finally {
      fs.close(file);
    }
    fs.rename(temporary, path);
  } catch (error) {
    if (fs.lstat(temporary) !== null) fs.unlink(temporary);
    throw error;
  }
  syncFolder(fs, dirname(path) as DiskPath);
}

/** A failure is harmless: the files stay. */
function removeLeftOvers(folder: DiskPath, { fs, clock, uid }: ConversationMachine['ports']): void {
  try {
    for (const name of fs.list(folder)) {
      if (!LEFT_OVER.test(basename(name))) continue;
      const path = join(folder, name) as DiskPath;
      const stat = fs.lstat(path);
      if (stat === null || kindOf(stat) !== 'file' || (uid !== null && stat.uid !== uid)) continue;
      if (clock.now() - stat.mtimeMs > OLD_MS) fs.unlink(path);
    }
  } catch (error) {
    if (!isFsError(error)) throw error;
  }
}

function syncFolder(fs: Fs, folder: DiskPath): void {
  const open = fs.openFolder(folder);
  try {
    fs.sync(open);
  } finally {
    fs.close(open);
  }
}
