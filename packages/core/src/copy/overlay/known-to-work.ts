/**
 * Remembers in the folder of the copies that overlays work there, so that not every process has to try it. The answer is
 * that of the system, so it holds until the machine starts again, for the same user, file system and programs. If it is
 * wrong all the same, for example in a sandbox, the overlay cannot be mounted and another kind of copy is made.
 */

import { createHash } from 'node:crypto';
import { durableWrite, readEntireFile } from '../../io/durable-write.ts';
import { FsError } from '../../io/fs.ts';
import type { Ports } from '../../io/ports.ts';
import { type DiskPath, diskChild } from '../../model/names.ts';
import { HOLD, START } from './script.ts';
import type { OverlayTools } from './tools.ts';

/** @returns null if it cannot be remembered here */
export function placeKey(ports: Ports, tools: OverlayTools, copies: DiskPath): string | null {
  const { bootId, pidNamespace } = ports.processes.self();
  if (bootId === null) return null;
  try {
    const programs = [tools.nsenter, tools.setpriv, tools.env].map((path) => {
      const stat = ports.fs.lstat(ports.fs.realpath(path as DiskPath));
      return [path, stat?.ino, stat?.size, stat?.mtimeMs, stat?.ctimeMs];
    });
    const place = [copies, ports.fs.lstat(copies)?.dev];
    const parts = [bootId, pidNamespace, ports.uid, place, tools, programs, START, HOLD];
    return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
  } catch (error) {
    if (error instanceof FsError) return null;
    throw error;
  }
}

export function isKnownToWork({ fs }: Ports, copies: DiskPath, key: string): boolean {
  try {
    return readEntireFile(fs, diskChild(copies, FILE), MAX_BYTES).toString('latin1') === key;
  } catch (error) {
    if (error instanceof FsError) return false;
    throw error;
  }
}

export function rememberThatItWorks({ fs }: Ports, copies: DiskPath, key: string): void {
  try {
    durableWrite(fs, diskChild(copies, FILE), Buffer.from(key, 'latin1'), 0o600);
  } catch (error) {
    // It is tried again the next time.
    if (!(error instanceof FsError)) throw error;
  }
}

const FILE = 'overlays-work';
const MAX_BYTES = 1_000;
