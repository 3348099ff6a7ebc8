import { statfsSync } from 'node:fs';
import { release } from 'node:os';
import { getSystemErrorName } from 'node:util';
import type { DiskPath } from '../../model/names.ts';
import { type Fd, FsError, type WholeSync } from '../fs.ts';
import { pathOfHandle } from './handles.ts';
import { type Native, native } from './native.ts';

/** It also flushes what other programs have written, so it must replace enough single calls. */
const WORTH_FROM = 200;
/** Since this version syncfs(2) reports that something could not be written. */
const REPORTS_FAILURES = [5, 8] as const;
/** statfs(2): file systems on which syncfs(2) is known to flush as much as fsync(2) of each file. */
const FLUSHING_FILE_SYSTEMS: ReadonlySet<number> = new Set([
  0xef53, // ext2 to ext4
  0x58465342, // xfs
  0x9123683e, // btrfs
]);
/** The add-on keeps its task in it (module.c). */
const BUFFER_BYTES = 8192;

/** See {@link Fs.wholeSync}. @param shown the folder, for errors */
export function wholeSyncByNative(folder: Fd, count: number, shown: DiskPath): WholeSync | null {
  const addOn = count >= WORTH_FROM && reportsFailures(release()) ? native() : null;
  if (addOn === null || !isFlushing(folder)) return null;
  return () => syncAround(addOn, folder, shown);
}

async function syncAround(addOn: Native, folder: Fd, shown: DiskPath): Promise<void> {
  const result = await addOn.syncAside(folder, new Uint8Array(new ArrayBuffer(BUFFER_BYTES)));
  if (result !== 0) throw new FsError(getSystemErrorName(result), 'wholeSync', shown);
}

function isFlushing(folder: Fd): boolean {
  try {
    return FLUSHING_FILE_SYSTEMS.has(statfsSync(pathOfHandle(folder)).type);
  } catch {
    return false;
  }
}

function reportsFailures(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > REPORTS_FAILURES[0] || (major === REPORTS_FAILURES[0] && minor >= REPORTS_FAILURES[1]);
}
