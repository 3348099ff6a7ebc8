import fs from 'node:fs';
import path from 'node:path';

/** What else a process did during an operation. */
export interface Turns<T> {
  readonly result: T;
  /** Number of turns of its event loop. */
  readonly turns: number;
  /**
   * Total processor time, and the longest between two turns, in milliseconds. Time spent waiting on a busy machine does
   * not count.
   */
  readonly whole: number;
  readonly longest: number;
}

const EVERY_MS = 5;

/** Measures from inside whether the process can do other work during an operation. */
export async function turning<T>(work: () => Promise<T>): Promise<Turns<T>> {
  let turns = 0;
  let longest = 0;
  let last = process.cpuUsage();
  const since = (then: NodeJS.CpuUsage): number => {
    const { user, system } = process.cpuUsage(then);
    return (user + system) / 1_000;
  };
  const look = (): void => {
    longest = Math.max(longest, since(last));
    last = process.cpuUsage();
    turns += 1;
  };
  const begin = process.cpuUsage();
  const timer = setInterval(look, EVERY_MS);
  try {
    const result = await work();
    look();
    return { result, turns, longest, whole: since(begin) };
  } finally {
    clearInterval(timer);
  }
}

/** Creates small files, a hundred in each folder. */
export function manyFiles(folder: string, count: number): void {
  for (let file = 0; file < count; file++) {
    const below = path.join(folder, `${Math.floor(file / 10_000)}`, `${Math.floor(file / 100) % 100}`);
    if (file % 100 === 0) fs.mkdirSync(below, { recursive: true });
    fs.writeFileSync(path.join(below, `${file % 100}.txt`), `${file}\n`);
  }
}
