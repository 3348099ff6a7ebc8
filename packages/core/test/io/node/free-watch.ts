import type { ChangeSource, FolderWatch } from '../../../src/io/changes.ts';

/** The native add-on is built for this platform only; nothing is watched elsewhere. */
export const CAN_WATCH = process.platform === 'linux' && process.arch === 'x64';

const LONGEST = 10_000;
const PAUSE = 50;

/**
 * Returns a watch as soon as the system has one available. A user has few inotify queues
 * (fs.inotify.max_user_instances, 128 by default), shared with all other programs, so at times none may be free.
 */
export function freeWatch(source: ChangeSource): FolderWatch {
  const clock = new Int32Array(new SharedArrayBuffer(4));
  const until = Date.now() + LONGEST;
  for (;;) {
    const watch = source.watch();
    if (watch !== null) return watch;
    if (Date.now() > until) throw new Error(`no watch in ${LONGEST} ms: see fs.inotify.max_user_instances`);
    Atomics.wait(clock, 0, 0, PAUSE);
  }
}
