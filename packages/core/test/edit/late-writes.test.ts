import { createHash } from 'node:crypto';
import { type DiskPath, type ErrorData, SavepointError, type TreePath } from '@savepoint/core';
import { type Fd, kindOf } from '@savepoint/core/ports';
import { SimDisk } from '@savepoint/testkit';
import { expect, test } from 'vitest';
import { engine, journals, ROOT, treeOf, verifyDeep } from '../../../../tests/simulated.ts';

/**
 * A program holds a file open and writes to it during any call of an edit. The file, a checkpoint or a backup must
 * contain what it wrote, unless the file had no name left at that moment.
 */
const A = `${ROOT}/a.txt` as DiskPath;
const B = `${ROOT}/b.txt` as DiskPath;
const LATE = 'late and longer than before\n';

function create(disk: SimDisk, path: DiskPath, content: string): Fd {
  const file = disk.openNew(path, 0o644);
  disk.write(file, Buffer.from(content), 0);
  return file;
}

function contents(disk: SimDisk, folder: DiskPath): readonly string[] {
  return disk.list(folder).flatMap((name) => {
    const path = `${folder}/${name}` as DiskPath;
    const stat = disk.lstat(path);
    if (stat === null) return [];
    if (kindOf(stat) === 'folder') return contents(disk, path);
    const file = disk.openRead(path);
    const bytes = Buffer.alloc(stat.size);
    disk.read(file, bytes, 0, stat.size, 0);
    disk.close(file);
    return [bytes.toString('latin1')];
  });
}

async function isKept(disk: SimDisk): Promise<boolean> {
  if (treeOf(disk).tree.get('a.txt')?.endsWith(LATE) === true) return true;
  const id = createHash('sha1').update(`blob ${LATE.length}\0${LATE}`).digest('hex');
  const { checkpoints } = await engine(disk, 301).list();
  const entries = checkpoints.flatMap(({ changes }) => (changes ?? []).flatMap(({ before, after }) => [before, after]));
  if (entries.some((entry) => entry?.kind === 'file' && entry.id === id)) return true;
  const [store] = disk.list('/home/workspaces' as DiskPath);
  return contents(disk, `/home/workspaces/${store}/backups` as DiskPath).includes(LATE);
}

/** @returns the call before which it wrote, and the outcome; null if the edit finished before that call */
async function writeAt(
  at: number,
  conflict: boolean,
): Promise<{ readonly call: string; readonly outcome: string } | null> {
  const disk = new SimDisk();
  disk.makeFolder(ROOT, 0o755);
  const handle = create(disk, A, 'old a\n');
  disk.close(create(disk, B, 'old b\n'));
  disk.now += 5_000;
  await engine(disk, 10).checkpoint();
  let calls = 0;
  let call = '';
  let hasName = true;
  let disturbed = false;
  disk.onCall = ({ operation, path }) => {
    calls += 1;
    const { onCall } = disk;
    disk.onCall = null;
    if (calls === at) {
      call = `${operation} ${path}`;
      disk.now += 5_000;
      hasName = disk.fstat(handle).nlink > 0;
      disk.write(handle, Buffer.from(LATE), 0);
    }
    // Another program saves the second file while the edit replaces it. The edit is then rolled back entirely.
    if (conflict && !disturbed && calls >= at && operation === 'hardLink' && path === B) {
      disturbed = true;
      disk.close(create(disk, B, 'theirs\n'));
    }
    disk.onCall = onCall;
  };
  let outcome = 'done';
  let reported: ErrorData<'CONFLICT'>['paths'] = [];
  const files = ['a.txt', 'b.txt'].map((name) => ({
    given: name,
    path: name as TreePath,
    edits: [{ op: 'write', content: 'new\n', exact: true } as const],
    expectedHash: null,
    force: false,
  }));
  try {
    await engine(disk, 100).edit(files);
  } catch (error) {
    if (!(error instanceof SavepointError)) throw error;
    outcome = error.code;
    reported = error.code === 'CONFLICT' ? error.data.paths : [];
  }
  disk.onCall = null;
  if (calls < at) return null;
  const where = `written before call ${at}, ${call}: ${outcome}`;
  expect(['done', 'CONFLICT'], where).toContain(outcome);
  expect(treeOf(disk).staging, where).toEqual([]);
  expect(journals(disk), where).toEqual([]);
  if (outcome === 'CONFLICT') {
    expect(treeOf(disk).tree.get('a.txt'), where).toContain(LATE);
    // The rolled-back file is the one that the program wrote to, so the reason must not call it a new file.
    for (const { path, why } of reported) {
      if (path === 'a.txt') expect(why, where).toMatch(/^(?:a file with other content is there|it was changed at)/);
    }
  }
  // Between check and removal a write can be lost: no system call does both.
  if (hasName && !/^unlink .*\/old\/0$/.test(call)) expect(await isKept(disk), where).toBe(true);
  await verifyDeep(engine(disk, 300));
  return { call, outcome };
}

test.each([{ conflict: false }, { conflict: true }])(
  'data written through an open handle at any call of an edit is not lost, %o',
  async ({ conflict }) => {
    const outcomes: string[] = [];
    for (let at = 1; ; at++) {
      const done = await writeAt(at, conflict);
      if (done === null) break;
      outcomes.push(done.outcome);
    }
    expect(outcomes.length).toBeGreaterThan(50);
    expect(outcomes).toContain('CONFLICT');
    if (!conflict) expect(outcomes).toContain('done');
  },
);
