/** Reading one file so that what is stored is a state the file really had. */

import { type Fd, type Fs, isFsError, kindOf, type Stat } from '../../io/fs.ts';
import type { Ports } from '../../io/ports.ts';
import type { ObjectId } from '../../model/ids.ts';
import type { DiskPath } from '../../model/names.ts';
import type { ObjectBatch } from '../../store/objects/object-reader.ts';

export type CapturedFile =
  | { readonly outcome: 'captured'; readonly id: ObjectId; readonly stat: Stat; readonly settled: boolean }
  /** Gone, or no longer a file, when it was opened. */
  | { readonly outcome: 'changed' }
  | { readonly outcome: 'unreadable'; readonly code: string };

const ATTEMPTS = 4;
/** Most files fit in here; between filling it and adding it nothing else runs. */
const scratch = Buffer.allocUnsafe(1024 * 1024);
/** Larger files are streamed; smaller ones are read whole. */
const WHOLE_BYTES = 16 * 1024 * 1024;
/** Two writes within this time may leave the same times on the file. */
const TICK_MS = 12;

/**
 * A file is stat-ed before and after it is read, and read again if it moved. Times have ticks: a file written just
 * now is read twice, a tick apart, and both readings must agree.
 * @param isQuiet whether it is known that nothing was written in the file's folder since before it was opened
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
        if (agrees || !isJustWritten(after, clock.now()) || isQuiet())
          return { outcome: 'captured', id, stat: after, settled: true };
      }
      last = { id, stat: after };
    } catch (error) {
      if (error instanceof ReadFailure) return unreadable(error.cause);
      // What the store could not write says nothing about the file: that fails the capture.
      if (!isFsError(error, 'EAGAIN')) throw error;
    } finally {
      fs.close(file);
    }
    await clock.sleep(TICK_MS);
  }
  // Too large to be held, and never the same twice.
  if (last === null) return { outcome: 'unreadable', code: 'EAGAIN' };
  return { outcome: 'captured', id: last.id, stat: last.stat, settled: false };
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

function isJustWritten(stat: Stat, now: number): boolean {
  return Math.abs(now - Math.max(stat.mtimeMs, stat.ctimeMs)) < TICK_MS;
}

/** The machine is out of handles or memory: that says nothing about the file, so it is no skip. */
function unreadable(error: unknown): CapturedFile {
  if (isFsError(error) && !isFsError(error, 'EMFILE', 'ENFILE', 'ENOMEM')) {
    return { outcome: 'unreadable', code: error.code };
  }
  throw error;
}
