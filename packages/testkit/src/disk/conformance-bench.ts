/** Helpers for the conformance cases: an empty folder, and methods to fill and inspect it. */

import { deepEqual, equal, ok } from 'node:assert/strict';
import type { DiskPath } from '@savepoint/core';
import {
  type Fd,
  type Fs,
  FsError,
  LISTED_FIELD,
  LISTED_FIELD_COUNT,
  type ListedStat,
  type Stat,
  statOf,
} from '@savepoint/core/ports';

/** A driver and an empty folder of its file system. */
export interface FsUnderTest {
  readonly fs: Fs;
  readonly folder: DiskPath;
  /** Whether file names may be invalid UTF-8; false on macOS and Windows. */
  readonly byteNames: boolean;
}

/** One behaviour that every driver must have. */
export type Check = (bench: FsBench) => void | Promise<void>;

export class FsBench {
  readonly fs: Fs;
  readonly folder: DiskPath;
  readonly byteNames: boolean;

  constructor(driver: FsUnderTest) {
    this.fs = driver.fs;
    this.folder = driver.folder;
    this.byteNames = driver.byteNames;
  }

  at(path: string): DiskPath {
    return `${this.folder}/${path}` as DiskPath;
  }

  /** Creates a file. */
  put(path: string, content = 'content', mode = 0o644): DiskPath {
    const fd = this.fs.openNew(this.at(path), 0o600);
    this.fs.write(fd, Buffer.from(content, 'latin1'), 0);
    this.fs.fchmod(fd, mode);
    this.fs.close(fd);
    return this.at(path);
  }

  makeFolder(path: string): DiskPath {
    this.fs.makeFolder(this.at(path), 0o755);
    return this.at(path);
  }

  makeLink(target: string, path: string): DiskPath {
    this.fs.makeLink(target, this.at(path));
    return this.at(path);
  }

  stat(path: string): Stat {
    const stat = this.fs.lstat(this.at(path));
    ok(stat !== null, `${path} should be there`);
    return stat;
  }

  content(path: string): string {
    const fd = this.fs.openRead(this.at(path));
    const content = this.contentOf(fd);
    this.fs.close(fd);
    return content;
  }

  contentOf(fd: Fd): string {
    const buffer = Buffer.alloc(10_000);
    return buffer.toString('latin1', 0, this.fs.read(fd, buffer, 0, buffer.length, 0));
  }

  names(path = ''): string[] {
    return this.fs.list(path === '' ? this.folder : this.at(path)).sort();
  }

  /** Asserts that a folder's listing equals the results of `list` and `lstat`. */
  listsAs(path: DiskPath, expected: readonly string[]): void {
    const listing = this.fs.listWithStats(path);
    deepEqual(listing.names, [...expected].sort());
    equal(listing.failed.size, 0);
    equal(listing.numbers.length, expected.length * LISTED_FIELD_COUNT);
    for (const [index, name] of listing.names.entries()) {
      const stat = this.fs.lstat(`${path}/${name}` as DiskPath);
      ok(stat !== null, name);
      const listed = statOf(listing, index);
      for (const field of Object.keys(LISTED_FIELD) as (keyof ListedStat)[]) {
        ok(
          Object.is(listed[field], stat[field]),
          `${field} of ${name}: ${listed[field]}, and lstat says ${stat[field]}`,
        );
      }
    }
  }

  /** Asserts that the action fails with one of the codes, as an FsError that names the operation. */
  fails(codes: string, operation: keyof Fs, action: () => unknown): FsError {
    let failure: unknown = null;
    try {
      action();
    } catch (error) {
      failure = error;
    }
    ok(failure instanceof FsError, `${operation} should fail with ${codes}, not with ${String(failure)}`);
    ok(codes.split(' ').includes(failure.code), `${operation} should fail with ${codes}, not with ${failure.code}`);
    equal(failure.operation, operation);
    return failure;
  }
}
