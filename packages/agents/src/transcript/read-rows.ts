/** Reads the rows of a transcript. The agent may be writing to it: a line without its end is not read yet. */

import type { Fd, Fs } from '@savepoint/core/ports';
import { type Fields, fieldsOf } from '../fields.ts';
import type { RowFormat, TranscriptRow } from './row.ts';

/** One line of a transcript. */
export interface ReadLine {
  /** The offset of its end, in bytes. */
  readonly end: number;
  /** Null if it is damaged. */
  readonly rows: readonly TranscriptRow[] | null;
}

const CHUNK_BYTES = 256 * 1024;
/** A message may contain images. */
export const MAX_LINE_BYTES = 16 * 1024 * 1024;
const LINE_END = 0x0a;

/**
 * Reads until a line is longer than a message can be: what follows it is not read either.
 * @param from offset of the start of a line, in bytes
 */
export function* readRows(fs: Fs, file: Fd, format: RowFormat, from: number): Generator<ReadLine> {
  for (const { end, line } of readLines(fs, file, from)) yield { end, rows: rowsOf(line, format) };
}

/** As `readRows`, with the bytes of each line. They are valid until the next one is read. */
export function* readLines(fs: Fs, file: Fd, from: number): Generator<{ readonly end: number; readonly line: Buffer }> {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  let parts: Buffer[] = [];
  let length = 0;
  for (let at = from; ; ) {
    const read = fs.read(file, chunk, 0, CHUNK_BYTES, at);
    if (read === 0) return;
    let start = 0;
    for (let end = chunk.indexOf(LINE_END, 0); end >= 0 && end < read; end = chunk.indexOf(LINE_END, start)) {
      parts.push(chunk.subarray(start, end));
      length += end - start;
      yield { end: at + end + 1, line: parts.length === 1 ? chunk.subarray(start, end) : Buffer.concat(parts) };
      [parts, length, start] = [[], 0, end + 1];
    }
    length += read - start;
    if (length > MAX_LINE_BYTES) return;
    // The chunk is read into again.
    parts.push(Buffer.from(chunk.subarray(start, read)));
    at += read;
  }
}

/** Returns the fields of a line; empty for an empty one, null if it is damaged. */
export function fieldsOfLine(line: Buffer): Fields | null {
  const text = line.toString('utf8').trim();
  if (text === '') return fieldsOf(null);
  try {
    return fieldsOf(JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function rowsOf(line: Buffer, format: RowFormat): readonly TranscriptRow[] | null {
  const fields = fieldsOfLine(line);
  return fields === null ? null : format(fields);
}
