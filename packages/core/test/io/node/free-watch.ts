import type { ChangeSource, FolderWatch } from '../../../src/io/changes.ts';

/** What the native add-on is built for: nowhere else is anything watched. */
export const CAN_WATCH = process.platform === 'linux' && process.arch === 'x64';

const LONGEST = 10_000;
const PAUSE = 50;

/**
 * A watch, when the system has one to give. A user has few queues (fs.inotify.max_user_instances, 128 by default), and
 * shares them with whatever else runs, so that for a moment there may be none.
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
