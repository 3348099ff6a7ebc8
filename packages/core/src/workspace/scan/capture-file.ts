/** Captures one file, so that the stored content is a state that the file really had. */

import { type Fd, type Fs, isFsError, kindOf, type Stat } from '../../io/fs.ts';
import type { Ports } from '../../io/ports.ts';
import type { ObjectId } from '../../model/ids.ts';
import type { DiskPath } from '../../model/names.ts';
import type { ObjectBatch } from '../../store/objects/object-reader.ts';

export type CapturedFile =
  | { readonly outcome: 'captured'; readonly id: ObjectId; readonly stat: Stat; readonly stable: boolean }
  /** When opened, it was gone or no longer a file. */
  | { readonly outcome: 'changed' }
  | { readonly outcome: 'unreadable'; readonly code: string };

const ATTEMPTS = 4;
/** Large enough for most files. Nothing else runs between filling it and adding its contents to the batch. */
const scratch = Buffer.allocUnsafe(1024 * 1024);
/** Larger files are streamed, smaller ones are read whole. */
const WHOLE_BYTES = 16 * 1024 * 1024;
/** Two writes within this time may leave the same times on the file. */
const TICK_MS = 12;
/** Many programs save a file in place: they truncate it and then write. An empty file may be such a save halfway. */
const EMPTY_MS = 30;

/**
 * Calls stat before and after reading the file, and reads it again if it changed. File times have a limited resolution.
 * A file that was just written is therefore read twice, one tick apart, and both results must agree.
 * @param isQuiet whether it is known that nothing was written in the file's folder since before the file was opened
 */
export async function captureFile(
  ports: Ports,
  batch: ObjectBatch,
  path: DiskPath,
  isQuiet: () => boolean,
): Promise<CapturedFile> {
  const { fs, clock } = ports;
  let last: { readonly id: ObjectId; readonly stat: Stat } | null = null;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    let file: Fd;
    try {
      file = fs.openRead(path);
    } catch (error) {
      if (isFsError(error, 'ENOENT', 'ELOOP', 'ENOTDIR', 'ENXIO')) return { outcome: 'changed' };
      return unreadable(error);
    }
    try {
      const before = readOrThrow(() => fs.fstat(file));
      if (kindOf(before) !== 'file') return { outcome: 'changed' };
      const id = readInto(fs, batch, file, before.size);
      const after = readOrThrow(() => fs.fstat(file));
      if (isSameStat(before, after)) {
        const agrees = last !== null && last.id === id && isSameStat(last.stat, after);
        const isSettled =
          after.size === 0
            ? !isJustWritten(after, clock.now(), EMPTY_MS)
            : agrees || !isJustWritten(after, clock.now(), TICK_MS) || isQuiet();
        if (isSettled) return { outcome: 'captured', id, stat: after, stable: true };
      }
      last = { id, stat: after };
    } catch (error) {
      if (error instanceof ReadFailure) return unreadable(error.cause);
      // A failed write to the store says nothing about the file, so it fails the capture.
      if (!isFsError(error, 'EAGAIN')) throw error;
    } finally {
      fs.close(file);
    }
    await clock.sleep(TICK_MS);
  }
  // Too large to buffer, and it changed during every attempt.
  if (last === null) return { outcome: 'unreadable', code: 'EAGAIN' };
  return { outcome: 'captured', id: last.id, stat: last.stat, stable: false };
}

class ReadFailure extends Error {}

function readOrThrow<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (cause) {
    throw new ReadFailure('read', { cause });
  }
}

function readInto(fs: Fs, batch: ObjectBatch, file: Fd, size: number): ObjectId {
  if (size > WHOLE_BYTES) {
    return batch.addBlobFrom(size, (into, position) =>
      readOrThrow(() => fs.read(file, into, 0, into.length, position)),
    );
  }
  const data = size <= scratch.length ? scratch : Buffer.allocUnsafe(size);
  let at = 0;
  while (at < size) {
    const got = readOrThrow(() => fs.read(file, data, at, size - at, at));
    if (got === 0) break;
    at += got;
  }
  return batch.add('blob', data.subarray(0, at));
}

function isSameStat(a: Stat, b: Stat): boolean {
  return a.size === b.size && a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs && a.mode === b.mode;
}

function isJustWritten(stat: Stat, now: number, withinMs: number): boolean {
  return Math.abs(now - Math.max(stat.mtimeMs, stat.ctimeMs)) < withinMs;
}

/** Running out of handles or memory says nothing about the file, so it fails the capture instead of being a skip. */
function unreadable(error: unknown): CapturedFile {
  if (isFsError(error) && !isFsError(error, 'EMFILE', 'ENFILE', 'ENOMEM')) {
    return { outcome: 'unreadable', code: error.code };
  }
  throw error;
}
