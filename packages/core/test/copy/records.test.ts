/** Copies are made and removed whole, at whatever call the process dies. */

import { dieByThrowing, FaultyFs, fakeProcesses, ProcessDied, SimDisk, simPorts } from '@savepoint/testkit';
import { expect, test } from 'vitest';
import type { CopyRecord } from '../../src/copy/copy.ts';
import { copyTree } from '../../src/copy/folder/copy-tree.ts';
import { treeIn } from '../../src/copy/folder/folder-copy.ts';
import {
  beginCopy,
  beginProbe,
  copiesIn,
  listCopies,
  readCopyRecord,
  removeCopy,
  removeLeftovers,
  writeCopyRecord,
} from '../../src/copy/records.ts';
import type { Fs } from '../../src/io/fs.ts';
import { Pace } from '../../src/io/pace.ts';
import type { Ports, ProcessIdentity } from '../../src/io/ports.ts';
import { checkpointId, type PlanId, type WorkspaceId } from '../../src/model/ids.ts';
import { type DiskPath, diskChild, type TreePath } from '../../src/model/names.ts';

const HOME = '/home' as DiskPath;
const ROOT = '/root' as DiskPath;

const machine = fakeProcesses();
const first = machine.start();
const second = machine.start();
const dead: ProcessIdentity = { ...first, pid: 99, startedAt: '1' };

function portsOf(fs: Fs, self: ProcessIdentity): Ports {
  return simPorts(fs, { processes: machine.seenBy(self) });
}

function scene(): SimDisk {
  const disk = new SimDisk();
  for (const path of [HOME, ROOT, diskChild(ROOT, 'folder')]) disk.makeFolder(path, 0o700);
  for (const name of ['a', 'folder/b']) {
    const file = disk.openNew(diskChild(ROOT, name), 0o644);
    disk.write(file, Buffer.from('text'), 0);
    disk.close(file);
  }
  return disk;
}

async function make(ports: Ports, replace: Partial<CopyRecord> = {}): Promise<CopyRecord> {
  const making = beginCopy(ports, HOME);
  const { id, place } = making;
  const pace = new Pace(ports.clock);
  const { bytes } = await copyTree({ fs: ports.fs, from: ROOT, to: treeIn(place), method: 'copy', pace });
  const record: CopyRecord = {
    ...{ id, place, bytes, root: ROOT, purpose: 'check', rung: 'copy', created: 1_700_000_000_000, name: null },
    ...{ workspace: 'ab'.repeat(16) as WorkspaceId, base: checkpointId(3), holder: null, below: null, fork: null },
    hasLinkedPackages: false,
    plan: { plan: 'plan_0a1b2c3d' as PlanId, revision: 2 },
    owner: ports.processes.self(),
    ...replace,
  };
  making.publish(record);
  return record;
}

test('a record is read as it was written, also by another process', async () => {
  const disk = scene();
  const worktrees = [{ path: 'a\xff' as TreePath, commit: 'ab'.repeat(20), createdBranch: true }];
  const fork = {
    branch: 'topic',
    worktrees,
    port: 20_000,
    plan: 'plan_0a1b2c3d' as PlanId,
    planFingerprint: 'f'.repeat(40),
  };
  const record = await make(portsOf(disk, first), { name: 'fork', holder: second, fork });
  const other = portsOf(disk, second);
  expect(readCopyRecord(other, HOME, record.id)).toEqual(record);
  expect(listCopies(other, HOME)).toEqual({ copies: [{ record, state: 'in-use' }], leftovers: [], problems: [] });
});

test('a copy of a dead owner is stale, a fork is idle, and a process that cannot be checked uses it', async () => {
  const disk = scene();
  const ports = portsOf(disk, first);
  const record = await make(ports);
  const stateWith = (replace: Partial<CopyRecord>): string | undefined => {
    writeCopyRecord(ports, { ...record, ...replace });
    return listCopies(ports, HOME).copies[0]?.state;
  };
  expect(stateWith({ owner: dead })).toBe('stale');
  expect(stateWith({ owner: null })).toBe('stale');
  expect(stateWith({ owner: dead, holder: second })).toBe('in-use');
  expect(stateWith({ owner: { ...dead, host: 'elsewhere' } })).toBe('in-use');
  expect(stateWith({ owner: { ...first, bootId: 'before' } })).toBe('stale');
  expect(stateWith({ owner: dead, purpose: 'fork' })).toBe('idle');
});

test('a record that cannot be read is a problem of that copy only, and nothing of it is removed', async () => {
  const disk = scene();
  const ports = portsOf(disk, first);
  const { place } = await make(ports);
  const kept = await make(ports);
  disk.unlink(diskChild(place, 'copy.json'));
  const file = disk.openNew(diskChild(place, 'copy.json'), 0o600);
  disk.write(file, Buffer.from('{"format":1}'), 0);
  disk.close(file);
  const found = listCopies(ports, HOME);
  expect(found.copies.map(({ record }) => record.id)).toEqual([kept.id]);
  expect(found.problems.map(({ code }) => code)).toEqual(['STORE_DAMAGED']);
  expect(removeLeftovers(ports, HOME)).toEqual([]);
  expect(disk.list(treeIn(place)).sort()).toEqual(['a', 'folder']);
});

test('death at any call of making and removing a copy: it exists whole or not at all, and nothing stays', async () => {
  let deaths = 0;
  for (let at = 1, isOver = false; !isOver; at++) {
    const disk = scene();
    const fs = new FaultyFs(disk, { at, fault: { die: dieByThrowing }, torn: at % 2 === 0 });
    const dying = machine.start();
    try {
      const ports = portsOf(fs, dying);
      const { place } = await make(ports);
      removeCopy(ports, place);
      isOver = !fs.hit;
    } catch (error) {
      if (!(error instanceof ProcessDied)) throw error;
      deaths++;
    }
    machine.set(dying, 'dead');
    expectCleaned(disk.afterProcessDeath());
  }
  expect(deaths).toBeGreaterThan(30);
});

test('death at any call of cleaning up, then once more from the start', async () => {
  for (let at = 1, isOver = false; !isOver; at++) {
    const disk = scene();
    const gone = machine.start();
    const ports = portsOf(disk, gone);
    beginCopy(ports, HOME);
    const { place } = await make(ports);
    disk.unlink(diskChild(place, 'copy.json'));
    machine.set(gone, 'dead');
    const fs = new FaultyFs(disk, { at, fault: { die: dieByThrowing } });
    try {
      removeLeftovers(portsOf(fs, first), HOME);
      isOver = !fs.hit;
    } catch (error) {
      if (!(error instanceof ProcessDied)) throw error;
    }
    expectCleaned(disk.afterProcessDeath());
  }
});

test('a copy that another process is making is not a leftover', () => {
  const disk = scene();
  const { place } = beginCopy(portsOf(disk, first), HOME);
  const other = portsOf(disk, second);
  expect(listCopies(other, HOME)).toEqual({ copies: [], leftovers: [], problems: [] });
  expect(removeLeftovers(other, HOME)).toEqual([]);
  expect(disk.lstat(place)).not.toBeNull();
});

test('what a probe that died has made is a leftover', () => {
  const disk = scene();
  const gone = machine.start();
  disk.makeFolder(copiesIn(HOME), 0o700);
  const { place } = beginProbe(portsOf(disk, gone), copiesIn(HOME));
  disk.makeFolder(diskChild(place, 'root'), 0o700);
  const other = portsOf(disk, second);
  expect(removeLeftovers(other, HOME)).toEqual([]);
  expect(disk.lstat(place)).not.toBeNull();
  machine.set(gone, 'dead');
  expect(removeLeftovers(other, HOME)).toEqual([]);
  expect(disk.list(copiesIn(HOME))).toEqual([]);
});

/** What exists is complete, and nothing is left once it is removed. */
function expectCleaned(disk: SimDisk): void {
  const ports = portsOf(disk, second);
  const { copies, problems } = listCopies(ports, HOME);
  expect(problems).toEqual([]);
  for (const { record, state } of copies) {
    expect(state).toBe('stale');
    expect(disk.list(diskChild(treeIn(record.place), 'folder'))).toEqual(['b']);
    removeCopy(ports, record.place);
  }
  expect(removeLeftovers(ports, HOME)).toEqual([]);
  if (disk.lstat(copiesIn(HOME)) !== null) expect(disk.list(copiesIn(HOME))).toEqual([]);
  expect(disk.list(ROOT).sort()).toEqual(['a', 'folder']);
}
