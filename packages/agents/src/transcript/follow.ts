/**
 * Follows a transcript from event to event: reads only what was added, because a hook has little time. If the user went
 * back in the conversation, it is read again.
 */

import type { TranscriptMark } from '@savepoint/core';
import { type Fd, type Fs, isFsError, kindOf } from '@savepoint/core/ports';
import { Conversation } from './conversation.ts';
import { fieldsOfLine, MAX_LINE_BYTES, readRows } from './read-rows.ts';
import type { MessageRow, RowFormat, TranscriptFormat, TranscriptRow } from './row.ts';

/** How much one event reads. The next one goes on there. */
const MAX_READ_BYTES = 8 * 1024 * 1024;
/** Longer transcripts are not read again. */
const MAX_AGAIN_BYTES = 32 * 1024 * 1024;

type Path = Parameters<Fs['openRead']>[0];

/**
 * @param known how far it was read before; null: not at all
 * @returns null if there is no readable transcript
 */
export function followTranscript(
  fs: Fs,
  path: Path,
  format: TranscriptFormat,
  known: TranscriptMark | null,
): TranscriptMark | null {
  try {
    const file = fs.openRead(path);
    try {
      const stat = fs.fstat(file);
      if (kindOf(stat) !== 'file') return null;
      if (typeof format !== 'function') return readDocument(fs, file, format.document, known);
      const identity = `${stat.dev}:${stat.ino}`;
      const isSame = known !== null && known.file === identity && known.offset <= stat.size;
      const start = isSame ? known : { ...NOTHING_READ, file: identity };
      const next = new Progress(start);
      for (const { end, rows } of readRows(fs, file, format, start.offset)) {
        next.add(end, rows);
        if (end - start.offset <= MAX_READ_BYTES) continue;
        next.stop();
        break;
      }
      if (stat.size - next.mark.offset > MAX_LINE_BYTES) next.stop();
      if (!next.wentBack) return next.mark;
      if (stat.size > MAX_AGAIN_BYTES) return { ...next.mark, messages: null };
      const whole = new Conversation();
      for (const { rows } of readRows(fs, file, format, 0)) for (const row of rows ?? []) whole.add(row);
      return { ...next.mark, messages: whole.messages.length, last: whole.messages.at(-1)?.id ?? null };
    } finally {
      fs.close(file);
    }
  } catch (error) {
    // It may not exist yet, and a hook must not fail because of it.
    if (isFsError(error)) return null;
    throw error;
  }
}

/** A document has no part that stays the same, so it is read as a whole. If it is too long, nothing of it is known. */
function readDocument(fs: Fs, file: Fd, format: RowFormat, known: TranscriptMark | null): TranscriptMark {
  const { dev, ino, mtimeMs, size } = fs.fstat(file);
  const identity = `${dev}:${ino}:${mtimeMs}`;
  if (known?.file === identity && known.offset === size) return known;
  const unread = { ...NOTHING_READ, file: identity, offset: size };
  const bytes = Buffer.alloc(Math.min(size, MAX_READ_BYTES));
  let length = 0;
  for (let read = 1; read > 0 && length < bytes.length; length += read) {
    read = fs.read(file, bytes, length, bytes.length - length, length);
  }
  const fields = length === size ? fieldsOfLine(bytes) : null;
  // The agent may be writing to it.
  if (fields === null) return { ...unread, isComplete: false, messages: null };
  const progress = new Progress(unread);
  progress.add(size, format(fields));
  return progress.mark;
}

/** In characters. */
const MAX_WORDS = 2_000;

const NOTHING_READ: Omit<TranscriptMark, 'file'> = {
  offset: 0,
  isComplete: true,
  messages: 0,
  skipped: 0,
  leaf: null,
  last: null,
  lastAssistant: null,
  model: null,
  contextSize: null,
  version: null,
};

/** What is known after each line, without the messages themselves. */
class Progress {
  wentBack = false;

  constructor(private known: TranscriptMark) {
    this.known = { ...known, isComplete: true };
  }

  get mark(): TranscriptMark {
    return this.known;
  }

  /** There is more to read. */
  stop(): void {
    this.known = { ...this.known, isComplete: false };
  }

  add(offset: number, rows: readonly TranscriptRow[] | null): void {
    const { skipped } = this.known;
    this.known = { ...this.known, offset, ...(rows === null ? { skipped: skipped + 1 } : {}) };
    for (const row of rows ?? []) this.known = { ...this.known, ...this.#after(row) };
  }

  #after(row: TranscriptRow): Partial<TranscriptMark> {
    const { messages, leaf, last } = this.known;
    switch (row.kind) {
      case 'about': {
        const { model, contextSize, version } = row;
        return { ...(model && { model }), ...(contextSize && { contextSize }), ...(version && { version }) };
      }
      case 'replaced':
        return { messages: row.messages.length, last: row.messages.at(-1)?.id ?? null };
      case 'cut':
        this.wentBack = true;
        return {};
      case 'node':
        if (leaf !== null && row.after !== null && row.after !== leaf) this.wentBack = true;
        return { leaf: row.id };
      case 'message':
        return {
          ...(row.id === last || messages === null ? {} : { messages: messages + 1 }),
          last: row.id,
          ...wordsOf(row),
        };
    }
  }
}

function wordsOf({ role, text }: MessageRow): Partial<TranscriptMark> {
  return role === 'assistant' && text !== null ? { lastAssistant: text.slice(0, MAX_WORDS) } : {};
}
