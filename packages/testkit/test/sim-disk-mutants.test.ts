import type { DiskPath } from '@savepoint/core';
import { type Fs, isFsError } from '@savepoint/core/ports';
import { describe, expect, test } from 'vitest';
import { type CrashModel, SimDisk, seededRandom } from '../src/index.ts';

/**
 * A small two-file transaction with a redo journal, and the same with one step left out at a time. The simulated disk
 * must find an error in each incomplete version, and none in the complete one.
 */
type Omission =
  | 'sync of the staged files'
  | 'sync of the staging folder'
  | 'sync of the journal file'
  | 'sync of the journal folder before the journal gets its name'
  | 'sync of the journal folder after that'
  | 'sync of the new files beside their targets'
  | 'sync of the target folders'
  | 'the journal';

const OLD = 'old';
const NEW = { '/work/a': 'NEW-A-NEW-A', '/work/sub/b': 'NEW-B-NEW-B' } as const;
const TARGETS = Object.keys(NEW) as (keyof typeof NEW)[];

const at = (path: string): DiskPath => path as DiskPath;
const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/'));

class TwoFiles {
  readonly #fs: Fs;
  readonly #without: Omission | null;

  constructor(fs: Fs, without: Omission | null) {
    this.#fs = fs;
    this.#without = without;
  }

  change(): void {
    this.#fs.makeFolder(at('/journal/stage'), 0o700);
    for (const [number, target] of TARGETS.entries()) {
      this.#write(`/journal/stage/${number}`, NEW[target], 'sync of the staged files');
    }
    this.#syncFolder('/journal/stage', 'sync of the staging folder');
    if (this.#without !== 'the journal') {
      this.#write('/journal/record.new', `record ${TARGETS.length}`, 'sync of the journal file');
      this.#syncFolder('/journal', 'sync of the journal folder before the journal gets its name');
      this.#fs.rename(at('/journal/record.new'), at('/journal/record'));
      this.#syncFolder('/journal', 'sync of the journal folder after that');
    }
    this.#apply();
  }

  /** Rolls forward if the journal exists, otherwise back. Fails if the journal is incomplete. */
  recover(): void {
    const record = read(this.#fs, '/journal/record');
    if (record !== null) {
      if (record !== `record ${TARGETS.length}`) throw new Error('the journal is damaged');
      this.#apply();
    }
    for (const name of this.#fs.list(at('/journal')).sort()) this.#remove(`/journal/${name}`);
  }

  #apply(): void {
    for (const [number, target] of TARGETS.entries()) {
      if (read(this.#fs, target) === NEW[target]) continue;
      const staged = read(this.#fs, `/journal/stage/${number}`);
      if (staged === null) throw new Error('a staged file is gone');
      this.#remove(`${target}.new`);
      this.#write(`${target}.new`, staged, 'sync of the new files beside their targets');
      this.#fs.rename(at(`${target}.new`), at(target));
    }
    for (const target of TARGETS) this.#syncFolder(folderOf(target), 'sync of the target folders');
    this.#remove('/journal/record');
    this.#syncFolder('/journal');
    this.#remove('/journal/stage');
  }

  #write(path: string, content: string, sync: Omission): void {
    const file = this.#fs.openNew(at(path), 0o600);
    this.#fs.write(file, Buffer.from(content), 0);
    if (this.#without !== sync) this.#fs.sync(file);
    this.#fs.close(file);
  }

  #syncFolder(path: string, step: Omission | null = null): void {
    if (step !== null && this.#without === step) return;
    const folder = this.#fs.openFolder(at(path));
    this.#fs.sync(folder);
    this.#fs.close(folder);
  }

  #remove(path: string): void {
    const stat = this.#fs.lstat(at(path));
    if (stat === null) return;
    if ((stat.mode & 0o170000) !== 0o040000) {
      this.#fs.unlink(at(path));
      return;
    }
    for (const name of this.#fs.list(at(path)).sort()) this.#remove(`${path}/${name}`);
    this.#fs.removeFolder(at(path));
  }
}

function read(fs: Fs, path: string): string | null {
  try {
    const file = fs.openRead(at(path));
    const buffer = Buffer.alloc(100);
    const length = fs.read(file, buffer, 0, buffer.length, 0);
    fs.close(file);
    return buffer.toString('latin1', 0, length);
  } catch (error) {
    if (isFsError(error, 'ENOENT')) return null;
    throw error;
  }
}

/**
 * Tries every state that a power cut may leave, and the states after a second one during recovery, up to the first bad
 * state.
 */
function sweep(without: Omission | null, model: CrashModel): { readonly states: number; readonly bad: string[] } {
  const random = seededRandom(1);
  const bad: string[] = [];
  let states = 0;
  const check = (disk: SimDisk, when: string, mustBeNew: boolean, nested: boolean): void => {
    if (bad.length > 0) return;
    states++;
    const during: SimDisk[] = [];
    if (nested) disk.onCall = () => during.push(...disk.crashStates(model, 24, random));
    try {
      new TwoFiles(disk, without).recover();
      disk.onCall = null;
      new TwoFiles(disk, without).recover();
    } catch (error) {
      bad.push(`${when}: recovery fails: ${error}`);
    }
    disk.onCall = null;
    const found = TARGETS.map((target) => read(disk, target));
    const isNew = TARGETS.every((target, index) => found[index] === NEW[target]);
    const isOld = found.every((content) => content === OLD);
    if (!isNew && (!isOld || mustBeNew)) bad.push(`${when}: ${found.join(', ')}`);
    for (const state of during) check(state, `${when}, and again`, mustBeNew, false);
  };

  const disk = new SimDisk();
  for (const folder of ['/work', '/work/sub', '/journal']) disk.makeFolder(at(folder), 0o755);
  for (const target of TARGETS) {
    const file = disk.openNew(at(target), 0o644);
    disk.write(file, Buffer.from(OLD), 0);
  }
  disk.makeDurable();
  const crashes: [SimDisk, string][] = [];
  disk.onCall = (call) => {
    for (const state of disk.crashStates(model, 256, random))
      crashes.push([state, `before ${call.operation} ${call.path}`]);
  };
  new TwoFiles(disk, without).change();
  disk.onCall = null;
  for (const [state, when] of crashes) check(state, when, false, true);
  for (const state of disk.crashStates(model, 256, random)) check(state, 'after success', true, true);
  return { states, bad };
}

describe.each(['any-subset', 'prefix'] as const)('power cuts of the kind %s', { timeout: 60_000 }, (model) => {
  test('do not break a complete implementation', () => {
    const { states, bad } = sweep(null, model);
    expect(bad).toEqual([]);
    expect(states).toBeGreaterThan(model === 'prefix' ? 300 : 3000);
  });

  test.each<Omission>([
    'sync of the staged files',
    'sync of the staging folder',
    'sync of the journal file',
    'sync of the journal folder after that',
    'sync of the new files beside their targets',
    'the journal',
  ])('show that it needs: %s', (without) => {
    expect(sweep(without, model).bad).not.toEqual([]);
  });
});

// These are harmless on a file system that keeps the order of folder operations.
test.each<Omission>(['sync of the journal folder before the journal gets its name', 'sync of the target folders'])(
  'power cuts that may keep any part show that it needs: %s',
  (without) => {
    expect(sweep(without, 'any-subset').bad).not.toEqual([]);
  },
);
