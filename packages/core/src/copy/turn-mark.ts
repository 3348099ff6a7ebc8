/**
 * How the process that made a copy learns that an agent in it has ended a turn: by a file in the home of the copy. Every
 * program in the copy can write it, so it means nothing but that the copy is worth a look.
 */

import { durableWrite } from '../io/durable-write.ts';
import type { Ports } from '../io/ports.ts';
import { type DiskPath, diskChild } from '../model/names.ts';
import { isHomeOfCopy } from './home-of-copy.ts';

const FILE = 'turn-ended';
const POLL_MS = 100;

/** @param home the home of this process. Outside of copies, nothing is done */
export function markTurnEnd({ fs }: Pick<Ports, 'fs'>, home: DiskPath): void {
  if (isHomeOfCopy(home)) durableWrite(fs, diskChild(home, FILE), Buffer.alloc(0), 0o600);
}

/** Identifies the end of the last turn. Null: none has ended. @param place the folder of the copy */
export function turnMark({ fs }: Pick<Ports, 'fs'>, place: DiskPath): string | null {
  const stat = fs.lstat(diskChild(diskChild(place, 'home'), FILE));
  return stat === null ? null : `${stat.ino}:${stat.ctimeMs}`;
}

/** Returns when a turn has ended since `mark`, or the signal aborts. @returns the mark then */
export async function nextTurnMark(
  { fs, clock }: Pick<Ports, 'fs' | 'clock'>,
  place: DiskPath,
  mark: string | null,
  signal?: AbortSignal,
): Promise<string | null> {
  for (;;) {
    const found = turnMark({ fs }, place);
    if (found !== mark || signal?.aborted === true) return found;
    await clock.sleep(POLL_MS, signal);
  }
}
