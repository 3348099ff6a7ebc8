import type { DiskPath } from '@savepoint/core';
import {
  type Fd,
  type FolderListing,
  type Fs,
  FsError,
  listOneByOne,
  type Name,
  type Stat,
} from '@savepoint/core/ports';

/** Calls after which the disk is another one, or more of it is durable: the moments between which a death matters. */
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
  /** Of a call on a handle: what was opened. Handles in paths are put back into what they were opened as. */
  readonly path: DiskPath;
  /** Whether it changes the disk or makes something durable. */
  readonly changes: boolean;
}

export interface FaultPlan {
  /** Which of the counted calls it happens at, from 1. */
  readonly at: number;
  /** What happens: a failure with this errno, or death before the call; `die` must throw, or end the process. */
  readonly fault: { readonly fail: string; readonly sticky?: boolean } | { readonly die: () => never };
  /** A write is half done before it fails or dies. */
  readonly torn?: boolean;
  /** Which calls are counted; all without it, or all that change something where the act is a death. */
  readonly counts?: (call: FsCall) => boolean;
}

export function isUnder(call: FsCall, folder: DiskPath): boolean {
  return call.path === folder || call.path.startsWith(`${folder}/`);
}

/**
 * Another Fs, with one fault. Tests run an act once to learn how many calls it makes (`counted`), then once more for
 * each of them. Who died stays dead: every later call throws what the death threw, so that nobody tidies up after it.
 */
export class FaultyFs implements Fs {
  readonly log: FsCall[] = [];
  /** Calls that the plan counts, so far. */
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

  /** Each name that is looked at is a call that can fail. */
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

  /** Each is a call that can fail. One that fails does not keep the others from being under way. */
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

  fchmod(fd: Fd, mode: number): void {
    this.#before('fchmod', this.#nameOf(fd));
    this.#fs.fchmod(fd, mode);
  }

  /** Never fails and is never counted, as Fs has it. */
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
    const { fault: act } = plan;
    const sticks = 'fail' in act && act.sticky === true;
    if (sticks ? this.counted < plan.at : this.counted !== plan.at) return;
    this.hit = true;
    if (plan.torn === true) half?.();
    if ('fail' in act) throw new FsError(act.fail, call.operation, call.path);
    try {
      act.die();
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

/** What an in-process death throws. No error of the engine: nothing there may catch it and go on. */
export class ProcessDied extends Error {
  override readonly name = 'Died';
}

export function dieByThrowing(): never {
  throw new ProcessDied('the process died here');
}
