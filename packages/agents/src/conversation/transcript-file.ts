/** Reads the transcript of a conversation that goes back. A transcript is untrusted. */

import { basename, dirname, join } from 'node:path';
import { bytesFromText, SavepointError } from '@savepoint/core';
import { type ConversationPlan, type DiskPath, type Fd, type Fs, isFsError, kindOf } from '@savepoint/core/ports';
import type { Fields } from '../fields.ts';
import { fieldsOfLine, MAX_LINE_BYTES, readLines } from '../transcript/read-rows.ts';
import type { ConversationMachine, SessionPlace } from './agent-conversation.ts';
import { conversationRefused } from './refused.ts';

const MAX_BYTES = 1024 * 1024 * 1024;

/** Where an agent keeps its transcripts. */
export interface TranscriptFolder {
  /** The product name of the agent. */
  readonly title: string;
  /** Absolute path, as text. */
  readonly root: string;
  /** The form of their names. */
  readonly name: RegExp;
}

/** A line that is not damaged. */
export interface TranscriptLine {
  /** The offset of its start, in bytes. */
  readonly start: number;
  /** The offset of the start of the next line. */
  readonly end: number;
  /** Without its end. Valid until the next line is read. */
  readonly bytes: Buffer;
  readonly row: Fields;
}

/** A transcript that is open for reading. */
export interface OpenTranscript {
  /** The real path of its folder, in which the new one is written. */
  readonly folder: DiskPath;
  readonly name: string;
  /** Reads all lines again at each call. Damaged ones are left out. */
  lines(): Generator<TranscriptLine>;
  /** Reads one of these lines again. */
  row(line: Pick<TranscriptLine, 'start' | 'end'>): Fields;
}

/**
 * Opens the transcript that the hooks named last. It must be the user's own file, at a place where its agent keeps
 * transcripts.
 * @throws SavepointError CONVERSATION_REFUSED; FsError
 */
export function withTranscript<T>(
  place: SessionPlace,
  { ports: { fs, uid } }: ConversationMachine,
  where: TranscriptFolder,
  use: (open: OpenTranscript) => T,
): T {
  const refuse = (why: string) => conversationRefused(place, why);
  if (place.transcript === null) throw refuse('its hooks have named no transcript');
  const name = basename(place.transcript);
  const file = ((): { readonly fd: Fd; readonly folder: DiskPath } => {
    try {
      // Resolved first, and then compared.
      const folder = fs.realpath(dirname(place.transcript) as DiskPath);
      const root = fs.realpath(bytesFromText(where.root) as DiskPath);
      if (!folder.startsWith(join(root, '/')) || !where.name.test(name)) {
        throw refuse(`its transcript is not where ${where.title} keeps it`);
      }
      return { fd: fs.openRead(join(folder, name) as DiskPath), folder };
    } catch (error) {
      if (isFsError(error, 'ENOENT', 'ENOTDIR')) throw refuse('its transcript does not exist any more');
      if (isFsError(error, 'ELOOP')) throw refuse('its transcript is a link');
      throw error;
    }
  })();
  try {
    const stat = fs.fstat(file.fd);
    if (kindOf(stat) !== 'file') throw refuse('its transcript is not a file');
    if (uid !== null && stat.uid !== uid) throw refuse('its transcript belongs to another user');
    if (stat.size > MAX_BYTES) throw refuse(`its transcript is longer than ${MAX_BYTES} bytes`);
    return use({
      folder: file.folder,
      name,
      lines: () => linesOf(fs, file.fd, place),
      row: (line) => rowAt(fs, file.fd, line),
    });
  } finally {
    fs.close(file.fd);
  }
}

/** What goes wrong is a reason. */
export async function planOrReason(
  plan: () => ConversationPlan | Promise<ConversationPlan>,
): Promise<ConversationPlan> {
  try {
    return await plan();
  } catch (error) {
    return { isPossible: false, reason: reasonFor(error) };
  }
}

/** @throws what is not an expected failure */
export function reasonFor(error: unknown): string {
  if (error instanceof SavepointError && error.code === 'CONVERSATION_REFUSED') return error.data.why;
  if (error instanceof SavepointError && error.code === 'IO') return error.message.replace(/\.$/, '');
  if (isFsError(error)) return `its transcript cannot be read (${error.code})`;
  throw error;
}

function* linesOf(fs: Fs, file: Fd, place: SessionPlace): Generator<TranscriptLine> {
  let start = 0;
  for (const { end, line: bytes } of readLines(fs, file, 0)) {
    const row = fieldsOfLine(bytes);
    if (row !== null) yield { start, end, bytes, row };
    start = end;
  }
  // Nothing after such a line was read, and it may be what stays.
  if (fs.fstat(file).size - start > MAX_LINE_BYTES) {
    throw conversationRefused(place, 'a line of its transcript is too long to be one message');
  }
}

function rowAt(fs: Fs, file: Fd, { start, end }: Pick<TranscriptLine, 'start' | 'end'>): Fields {
  const bytes = Buffer.alloc(end - start);
  for (let at = 0; at < bytes.length; ) {
    const read = fs.read(file, bytes, at, bytes.length - at, start + at);
    if (read === 0) break;
    at += read;
  }
  return fieldsOfLine(bytes) ?? {};
}
