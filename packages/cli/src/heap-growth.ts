/** How far the heap of a process may grow before V8 collects garbage. By default, to several times what is in use. */
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import type { Worker } from 'node:worker_threads';

/** The commands that may write thousands of files at once, and those that run for hours and mostly wait. */
const SMALL = new Set(
  'bundle checkpoint edit fork guard mcp plan recover redo restore rollback studio undo'.split(' '),
);

/** The space for young objects stays small: a first checkpoint takes 50 MB less, and 3 % more time. */
const YOUNG = '--semi-space-growth-factor=1';
/** A checkpoint of 27,000 changed files takes 10 MB less, and Studio's server 100 MB instead of 200 in an hour of events. */
const SMALL_FLAGS = [YOUNG, '--optimize-for-size'];
/** Beyond this many bytes in use, small steps cost more time than everything else: there are too many collections. */
const SMALL_UP_TO = 96 * 1024 * 1024;
const CHECK_MS = 100;
/** Reading long lists of changes takes a third less memory, and 10 % more time. */
const OTHER_FLAGS = ['--heap-growing-percent=40'];
const BEYOND_FLAGS = ['--no-optimize-for-size', '--semi-space-growth-factor=2', ...OTHER_FLAGS];
/** The space for young objects has its limit from the start (daemon/start.ts). */
const DAEMON_FLAGS = ['--heap-growing-percent=25'];

/**
 * Must be called before the compile cache is used: V8 refuses code from it if other flags were set when that was made.
 * The command is not known yet, so an operand that only looks like one counts too.
 */
export function limitHeap(args: readonly string[]): void {
  const isDaemon = args[0] === 'daemon';
  const isSmall = !isDaemon && !args.includes('--dry-run') && args.some((one) => SMALL.has(one));
  for (const flag of isDaemon ? DAEMON_FLAGS : isSmall ? SMALL_FLAGS : OTHER_FLAGS) setFlagsFromString(flag);
  if (!isSmall) return;
  // V8 raises the growth factor again when it makes the heap of a worker.
  const limitAgain = (worker: Worker): unknown => worker.once('online', () => setFlagsFromString(YOUNG));
  process.on('worker', limitAgain);
  const check = setInterval(() => {
    if (getHeapStatistics().used_heap_size < SMALL_UP_TO) return;
    for (const flag of BEYOND_FLAGS) setFlagsFromString(flag);
    process.off('worker', limitAgain);
    clearInterval(check);
  }, CHECK_MS).unref();
}
