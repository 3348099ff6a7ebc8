import { errorCode } from './path.ts';

/** How long to retry on Windows while a scanner or indexer holds a file: 1.3 s in total. */
const WINDOWS_WAITS_MS = [5, 10, 20, 40, 80, 160, 320, 640] as const;
const BUSY_CODES: ReadonlySet<string> = new Set(['EPERM', 'EBUSY', 'EACCES']);

/** On Windows, waits briefly if another program may hold the file. Returns false if waiting no longer helps. */
export function waitIfBusy(error: unknown, tries: number): boolean {
  const wait = WINDOWS_WAITS_MS[tries];
  if (wait === undefined || !BUSY_CODES.has(errorCode(error))) return false;
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, wait);
  return true;
}
