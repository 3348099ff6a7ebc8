import { readFileSync, statfsSync } from 'node:fs';
import { release } from 'node:os';
import type { DiskPath, Name } from '../../model/names.ts';
import type { ChangeSource, FolderChanges, FolderWatch } from '../changes.ts';
import { IN, type InotifyEvent, parseEvents, REPLACED, REPORTED } from './inotify.ts';
import { type Native, native } from './native.ts';
import { nativePath } from './path.ts';
import { WatchedFolders } from './watched-folders.ts';

/** statfs(2): file systems that only this machine changes, and that report all its changes. */
const REPORTING_FILE_SYSTEMS: ReadonlySet<number> = new Set([
  0xef53, // ext2, ext3, ext4
  0x58465342, // xfs
  0x9123683e, // btrfs
  0x01021994, // tmpfs
  0xf2f52010, // f2fs
  0x794c7630, // overlay
  0x2fc12fc1, // zfs
  0xca451a4e, // bcachefs
]);

/** Anything that reports an older version is not a Linux kernel (gVisor, WSL 1), or was never tested. */
const OLDEST_KERNEL = [4, 18] as const;

const WATCH_MASK = REPORTED | IN.onlyFolders | IN.notThroughLinks;
const EVENT_BUFFER_BYTES = 1 << 16;
/** Maximum number of names kept between two calls of `poll`: about 20 MB. */
const MAX_NAMES = 100_000;
/** Milliseconds between two reads of the queue while `poll` is not called. Doubled while nothing happens. */
const MIN_PAUSE_MS = 50;
const MAX_PAUSE_MS = 1000;

const QUEUE_LENGTH = '/proc/sys/fs/inotify/max_queued_events';

export interface NodeChangesOptions {
  /** Default true. If false, only calls empty the queue; for tests of its overflow. */
  readonly drainInBackground?: boolean;
  /** Default 100,000. */
  readonly maxNames?: number;
}

/**
 * Detects changes with inotify through the native add-on. `watch` returns null without it or on an unknown kernel.
 *
 * The kernel queues an event before the call that makes the change returns. So a process that has read the queue until
 * it was empty knows everything that had happened by then, without a marker file for synchronisation.
 */
export function nodeChanges(options: NodeChangesOptions = {}): ChangeSource {
  return {
    watch() {
      const addOn = isKernelKnown(release()) ? native() : null;
      const queue = addOn?.watchInit() ?? -1;
      return addOn === null || !(queue >= 0) ? null : new InotifyWatch(addOn, queue, options);
    },
  };
}

/**
 * I1 A watch is either known (it has paths), or it was removed and the kernel has not confirmed that with IGNORED yet.
 *    An event of any other watch is not understood.
 * I2 If an event is not understood, or the kernel reports dropped events, changes are lost. Everything known about
 *    folders may then be wrong, so the queue is closed immediately, and folders added later get a new one.
 * I3 A path represents the folder that was there when it was added. If the entry is replaced, the path and everything
 *    below it are forgotten: a folder that is moved keeps its watches, but no longer has these paths. `poll` reports
 *    what was forgotten: the path or, if it is not watched, the watched folders below it.
 */
class InotifyWatch implements FolderWatch {
  readonly #native: Native;
  readonly #drainInBackground: boolean;
  readonly #maxNames: number;
  /** -1 if none is open. */
  #queue: number;
  /** Maximum number of events in the queue. */
  #queueLength: number;
  readonly #buffer = Buffer.from(new ArrayBuffer(EVENT_BUFFER_BYTES));
  readonly #folders = new WatchedFolders();
  /** I1: removed, and not yet confirmed by the kernel. */
  readonly #removedWatches = new Set<number>();
  #names = new Map<DiskPath, Set<Name>>();
  #changedFolders = new Set<DiskPath>();
  #nameCount = 0;
  #lost: string | null = null;
  #closed = false;
  #timer: NodeJS.Timeout | null = null;
  #pause = MIN_PAUSE_MS;

  constructor(addOn: Native, queue: number, options: NodeChangesOptions) {
    this.#native = addOn;
    this.#queue = queue;
    this.#queueLength = readQueueLength();
    this.#drainInBackground = options.drainInBackground ?? true;
    this.#maxNames = options.maxNames ?? MAX_NAMES;
  }

  add(folder: DiskPath): boolean {
    // Events in the queue refer to the folders as they are known now.
    this.#drainQueue();
    if (this.#closed || this.#lost !== null || !this.#ensureOpen()) return false;
    const watch = reportsChanges(folder) ? this.#native.watchAdd(this.#queue, folder, WATCH_MASK) : -1;
    if (!(watch >= 0)) {
      // Changes so far are still reported. Folders below stay: they are still watched, and dropping them would not be
      // reported.
      this.#stopWatching(folder);
      return false;
    }
    const unusedWatch = this.#folders.add(folder, watch);
    if (unusedWatch !== null) this.#removeWatch(unusedWatch);
    this.#scheduleDrain();
    return true;
  }

  remove(folder: DiskPath): void {
    for (const path of this.#folders.within(folder)) this.#removeFolder(path);
  }

  poll(): FolderChanges {
    if (this.#closed) return { lost: true, why: 'the watch was closed' };
    this.#drainQueue();
    if (this.#lost !== null) {
      const why = this.#lost;
      this.#lost = null;
      return { lost: true, why };
    }
    const changes = { lost: false, names: this.#names, folders: this.#changedFolders } as const;
    this.#reset();
    return changes;
  }

  close(): void {
    this.#closed = true;
    this.#closeQueue();
  }

  #stopWatching(path: DiskPath): void {
    const unusedWatch = this.#folders.remove(path);
    if (unusedWatch !== null) this.#removeWatch(unusedWatch);
  }

  #removeFolder(path: DiskPath): void {
    this.#stopWatching(path);
    this.#nameCount -= this.#names.get(path)?.size ?? 0;
    this.#names.delete(path);
    this.#changedFolders.delete(path);
  }

  #ensureOpen(): boolean {
    if (this.#queue >= 0) return true;
    const queue = this.#native.watchInit();
    if (!(queue >= 0)) return false;
    this.#queue = queue;
    this.#queueLength = readQueueLength();
    return true;
  }

  /** @returns whether there were any events */
  #drainQueue(): boolean {
    let read = 0;
    // After this many events, all that were in the queue at the start are read, even if new ones keep coming.
    while (this.#queue >= 0 && read <= this.#queueLength) {
      const length = this.#native.watchRead(this.#queue, this.#buffer);
      if (length === 0) break;
      const events = length > 0 ? parseEvents(this.#buffer, length) : null;
      if (events === null) this.#markLost(length > 0 ? 'an event was not understood' : `reading failed (${length})`);
      for (const event of events ?? []) if (this.#lost === null) this.#recordEvent(event);
      read += events?.length ?? 0;
    }
    return read > 0;
  }

  #recordEvent({ watch, mask, name }: InotifyEvent): void {
    if (this.#removedWatches.has(watch)) {
      if ((mask & IN.ignored) !== 0) this.#removedWatches.delete(watch);
      return;
    }
    const paths = this.#folders.pathsOf(watch);
    if (paths === undefined || (mask & (IN.overflow | IN.unmount | IN.ignored)) !== 0) {
      this.#markLost(lostReason(mask));
      return;
    }
    for (const path of paths) {
      if (name !== '') this.#recordName(path, name, mask);
      else if ((mask & (IN.deleteSelf | IN.moveSelf)) !== 0) this.#recordRemoval(path);
      else this.#changedFolders.add(path);
    }
  }

  #recordName(folder: DiskPath, name: Name, mask: number): void {
    const path = (folder === '/' ? `/${name}` : `${folder}/${name}`) as DiskPath;
    if ((mask & REPLACED) !== 0) this.#recordRemoval(path);
    const names = this.#names.get(folder);
    if (names?.has(name) === true) return;
    if (names === undefined) this.#names.set(folder, new Set([name]));
    else names.add(name);
    this.#nameCount += 1;
    if (this.#nameCount > this.#maxNames) this.#markLost('more changes than are kept in memory');
  }

  /** I3 */
  #recordRemoval(path: DiskPath): void {
    const gone = this.#folders.has(path) ? [path] : this.#folders.within(path);
    this.remove(path);
    for (const folder of gone) this.#changedFolders.add(folder);
  }

  #removeWatch(watch: number): void {
    // If the folder is gone, the kernel has removed the watch already (EINVAL here). Either way, it queues IGNORED.
    this.#native.watchRemove(this.#queue, watch);
    this.#removedWatches.add(watch);
  }

  /** I2 */
  #markLost(why: string): void {
    this.#lost ??= why;
    this.#closeQueue();
  }

  #closeQueue(): void {
    if (this.#queue >= 0) this.#native.close(this.#queue);
    this.#queue = -1;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#folders.clear();
    this.#removedWatches.clear();
    this.#reset();
  }

  #reset(): void {
    this.#names = new Map();
    this.#changedFolders = new Set();
    this.#nameCount = 0;
  }

  /** Empties the queue regularly, because it is finite and `poll` may not be called for hours. */
  #scheduleDrain(): void {
    if (!this.#drainInBackground || this.#timer !== null || this.#queue < 0) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#pause = this.#drainQueue() ? MIN_PAUSE_MS : Math.min(this.#pause * 2, MAX_PAUSE_MS);
      this.#scheduleDrain();
    }, this.#pause);
    this.#timer.unref();
  }
}

/** @param kernel the release from uname(2): `6.1.0-18-amd64` */
export function isKernelKnown(kernel: string): boolean {
  const [major = 0, minor = 0] = kernel.split('.').map(Number);
  return major > OLDEST_KERNEL[0] || (major === OLDEST_KERNEL[0] && minor >= OLDEST_KERNEL[1]);
}

function reportsChanges(folder: DiskPath): boolean {
  try {
    return REPORTING_FILE_SYSTEMS.has(statfsSync(nativePath(folder)).type);
  } catch {
    return false;
  }
}

function lostReason(mask: number): string {
  if ((mask & IN.overflow) !== 0) return 'the queue of the system overflowed';
  if ((mask & IN.unmount) !== 0) return 'a file system was unmounted';
  if ((mask & IN.ignored) !== 0) return 'the system stopped watching a folder';
  return 'an event was reported for a folder that is not watched';
}

/** Returns how many events a new queue holds; infinity if the system does not report it. */
function readQueueLength(): number {
  try {
    const length = Number(readFileSync(QUEUE_LENGTH, 'latin1'));
    return length > 0 ? length : Number.POSITIVE_INFINITY;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
