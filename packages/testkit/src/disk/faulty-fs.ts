import type { DiskPath } from '@savepoint/core';
import {
  type Fd,
  type FolderListing,
  type Fs,
  FsError,
  listOneByOne,
  type Name,
  type Stat,
  type WholeSync,
} from '@savepoint/core/ports';

/** Calls that change the disk or make something durable. A process death matters only between them. */
const CHANGING: ReadonlySet<keyof Fs> = new Set<keyof Fs>([
  'openNew',
  'write',
  'copyFile',
  'sync',
  'fchmod',
  'makeLink',
  'makeFolder',
  'rename',
  'hardLink',
  'unlink',
  'removeFolder',
  'chmod',
  'touch',
]);

export interface FsCall {
  readonly operation: keyof Fs;
  /** For a call on a handle: the path that was opened. Handles in paths are replaced by the paths that were opened. */
  readonly path: DiskPath;
  /** Whether it changes the disk or makes something durable. */
  readonly changes: boolean;
}

export interface FaultPlan {
  /** Number of the counted call at which the fault happens, from 1. */
  readonly at: number;
  /** The fault: a failure with this errno, or death before the call. `die` must throw or end the process. */
  readonly fault: { readonly fail: string; readonly sticky?: boolean } | { readonly die: () => never };
  /** A write is half done before it fails or the process dies. */
  readonly torn?: boolean;
  /**
   * Which calls are counted. The default is all calls, or, if the fault is a death, all calls that change something.
   */
  readonly counts?: (call: FsCall) => boolean;
}

export function isUnder(call: FsCall, folder: DiskPath): boolean {
  return call.path === folder || call.path.startsWith(`${folder}/`);
}

/**
 * Wraps another Fs and injects one fault. Tests run an operation once to count its calls (`counted`), then once more
 * for each call. After a death every later call throws the same error, so that no cleanup code can run.
 */
export class FaultyFs implements Fs {
  readonly log: FsCall[] = [];
  /** Number of calls so far that the plan counts. */
  counted = 0;
  /** Whether the fault happened. */
  hit = false;
  readonly #fs: Fs;
  readonly #plan: FaultPlan | null;
  readonly #open = new Map<number, DiskPath>();
  #death: { readonly thrown: unknown } | null = null;

  constructor(fs: Fs, plan: FaultPlan | null = null) {
    this.#fs = fs;
    this.#plan = plan;
  }

  lstat(path: DiskPath): Stat | null {
    this.#before('lstat', path);
    return this.#fs.lstat(path);
  }

  realpath(path: DiskPath): DiskPath {
    this.#before('realpath', path);
    return this.#fs.realpath(path);
  }

  list(path: DiskPath): Name[] {
    this.#before('list', path);
    return this.#fs.list(path);
  }

  /** Not one call: the lookup of each name can fail. */
  listWithStats(path: DiskPath): FolderListing {
    return listOneByOne(this, path);
  }

  openRead(path: DiskPath): Fd {
    this.#before('openRead', path);
    return this.#opened(this.#fs.openRead(path), path);
  }

  openNew(path: DiskPath, mode: number): Fd {
    this.#before('openNew', path);
    return this.#opened(this.#fs.openNew(path, mode), path);
  }

  openFolder(path: DiskPath): Fd {
    this.#before('openFolder', path);
    return this.#opened(this.#fs.openFolder(path), path);
  }

  folderPath(folder: Fd, path: DiskPath): DiskPath {
    return this.#fs.folderPath(folder, path);
  }

  fstat(fd: Fd): Stat {
    this.#before('fstat', this.#nameOf(fd));
    return this.#fs.fstat(fd);
  }

  read(fd: Fd, into: Uint8Array, offset: number, length: number, position: number): number {
    this.#before('read', this.#nameOf(fd));
    return this.#fs.read(fd, into, offset, length, position);
  }

  write(fd: Fd, bytes: Uint8Array, position: number): void {
    const half = bytes.subarray(0, bytes.length >> 1);
    this.#before('write', this.#nameOf(fd), () => this.#fs.write(fd, half, position));
    this.#fs.write(fd, bytes, position);
  }

  sync(fd: Fd): void {
    this.#before('sync', this.#nameOf(fd));
    this.#fs.sync(fd);
  }

  async copyFile(from: Fd, to: DiskPath, mode: number, how: 'clone' | 'copy'): Promise<Fd> {
    this.#before('copyFile', to);
    return this.#opened(await this.#fs.copyFile(from, to, mode, how), to);
  }

  /** Each sync can fail. If one fails, the others still run. */
  async syncAll(fds: readonly Fd[]): Promise<void> {
    let failure: unknown = null;
    for (const fd of fds) {
      try {
        this.sync(fd);
      } catch (error) {
        if (this.#death !== null) throw error;
        failure ??= error;
      }
    }
    if (failure !== null) throw failure;
  }

  wholeSync(folder: Fd, count: number): WholeSync | null {
    const sync = this.#fs.wholeSync?.(folder, count) ?? null;
    if (sync === null) return null;
    return async () => {
      this.#before('wholeSync', this.#nameOf(folder));
      await sync();
    };
  }

  fchmod(fd: Fd, mode: number): void {
    this.#before('fchmod', this.#nameOf(fd));
    this.#fs.fchmod(fd, mode);
  }

  /** Never fails and is never counted, as the Fs port specifies. */
  close(fd: Fd): void {
    if (this.#death !== null) throw this.#death.thrown;
    this.log.push({ operation: 'close', path: this.#nameOf(fd), changes: false });
    this.#open.delete(fd);
    this.#fs.close(fd);
  }

  readLink(path: DiskPath): string {
    this.#before('readLink', path);
    return this.#fs.readLink(path);
  }

  makeLink(target: string, path: DiskPath): void {
    this.#before('makeLink', path);
    this.#fs.makeLink(target, path);
  }

  makeFolder(path: DiskPath, mode: number): void {
    this.#before('makeFolder', path);
    this.#fs.makeFolder(path, mode);
  }

  rename(from: DiskPath, to: DiskPath): void {
    this.#before('rename', to);
    this.#fs.rename(from, to);
  }

  hardLink(from: DiskPath, to: DiskPath): void {
    this.#before('hardLink', to);
    this.#fs.hardLink(from, to);
  }

  unlink(path: DiskPath): void {
    this.#before('unlink', path);
    this.#fs.unlink(path);
  }

  removeFolder(path: DiskPath): void {
    this.#before('removeFolder', path);
    this.#fs.removeFolder(path);
  }

  chmod(path: DiskPath, mode: number): void {
    this.#before('chmod', path);
    this.#fs.chmod(path, mode);
  }

  touch(path: DiskPath, ms: number): void {
    this.#before('touch', path);
    this.#fs.touch(path, ms);
  }

  freeSpace(path: DiskPath): number | null {
    this.#before('freeSpace', path);
    return this.#fs.freeSpace(path);
  }

  mountPoints(): readonly DiskPath[] | null {
    this.#before('mountPoints', '/' as DiskPath);
    return this.#fs.mountPoints();
  }

  #before(operation: keyof Fs, path: DiskPath, half: (() => void) | null = null): void {
    if (this.#death !== null) throw this.#death.thrown;
    const call: FsCall = { operation, path: this.#named(path), changes: CHANGING.has(operation) };
    this.log.push(call);
    if (!this.#isCounted(call)) return;
    this.counted++;
    if (this.#plan !== null) this.#injectFault(this.#plan, call, half);
  }

  #isCounted(call: FsCall): boolean {
    if (this.#plan?.counts !== undefined) return this.#plan.counts(call);
    return call.changes || this.#plan === null || 'fail' in this.#plan.fault;
  }

  #injectFault(plan: FaultPlan, call: FsCall, half: (() => void) | null): void {
    const { fault } = plan;
    const sticks = 'fail' in fault && fault.sticky === true;
    if (sticks ? this.counted < plan.at : this.counted !== plan.at) return;
    this.hit = true;
    if (plan.torn === true) half?.();
    if ('fail' in fault) throw new FsError(fault.fail, call.operation, call.path);
    try {
      fault.die();
    } catch (thrown) {
      this.#death = { thrown };
      throw thrown;
    }
  }

  #opened(fd: Fd, path: DiskPath): Fd {
    this.#open.set(fd, this.#named(path));
    return fd;
  }

  #nameOf(fd: Fd): DiskPath {
    return this.#open.get(fd) ?? (`(handle ${fd})` as DiskPath);
  }

  #named(path: DiskPath): DiskPath {
    return path.replace(/^\/proc\/self\/fd\/(\d+)(?=\/|$)/, (handle, fd: string) => {
      return this.#open.get(Number(fd)) ?? handle;
    }) as DiskPath;
  }
}

/** Thrown by a simulated process death. Not an error of the engine, so the engine must not catch it and continue. */
export class ProcessDied extends Error {
  override readonly name = 'Died';
}

export function dieByThrowing(): never {
  throw new ProcessDied('the process died here');
}
