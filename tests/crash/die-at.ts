import { ProcessDied, type SimDisk } from '@savepoint/testkit';

/**
 * Each call of the disk from this one on finds the process dead, until `onCall` is set to null.
 * @param at 1: the next call
 * @returns whether it has died
 */
export function dieAt(disk: SimDisk, at: number): () => boolean {
  let calls = 0;
  disk.onCall = () => {
    calls += 1;
    if (calls >= at) throw new ProcessDied();
  };
  return () => calls >= at;
}
