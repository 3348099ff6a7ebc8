import { FaultyFs, SimDisk, seededRandom, simPorts } from '@savepoint/testkit';
import { describe, expect, test } from 'vitest';
import type { WorkspaceId } from '../../src/model/ids.ts';
import type { DiskPath } from '../../src/model/names.ts';
import { assertNoLink, assertPrivate, makeFolders, prepareHome } from '../../src/store/private-folders.ts';
import { listRecords, readRecord, syncRecord, type WorkspaceRecord, writeRecord } from '../../src/store/records.ts';

const HOME = '/of/person/home' as DiskPath;
const STORES = `${HOME}/workspaces` as DiskPath;
const ID = '0'.repeat(32) as WorkspaceId;
const STORE = `${STORES}/${ID}` as DiskPath;
const RECORD: WorkspaceRecord = {
  id: ID,
  path: '/w' as DiskPath,
  identity: { device: 1, inode: 2, born: 3 },
  lastNumber: 4,
  created: 1_700_000_000_000,
  storePath: STORE,
};

function withStore(): { disk: SimDisk; ports: ReturnType<typeof simPorts> } {
  const disk = new SimDisk();
  const ports = simPorts(disk);
  prepareHome(ports, HOME);
  makeFolders(disk, STORE, 0o700);
  writeRecord(ports, RECORD);
  disk.makeDurable();
  return { disk, ports };
}

function replace(disk: SimDisk, content: string): void {
  const path = `${STORE}/workspace.json` as DiskPath;
  disk.unlink(path);
  const file = disk.openNew(path, 0o600);
  disk.write(file, Buffer.from(content), 0);
  disk.close(file);
}

describe('a folder of stores', () => {
  const unsafe = expect.objectContaining({ code: 'STORE_UNSAFE' });

  test('is private, or it is not used', () => {
    const { disk, ports } = withStore();
    assertPrivate(ports, HOME);
    expect(() => assertPrivate({ ...ports, uid: 1001 }, HOME)).toThrow(unsafe);
    expect(() => assertPrivate({ ...ports, uid: 0 }, HOME)).toThrow(unsafe);
    for (const mode of [0o710, 0o701, 0o750, 0o777]) {
      disk.chmod(STORES, mode);
      expect(() => listRecords(ports, HOME)).toThrow(unsafe);
      expect(() => prepareHome(ports, HOME)).toThrow(unsafe);
    }
  });

  test('is a folder and not a link, and damage if it is missing', () => {
    const { disk, ports } = withStore();
    const at = (name: string): DiskPath => `/of/${name}` as DiskPath;
    disk.makeLink('person/home', at('link'));
    disk.close(disk.openNew(at('file'), 0o600));
    expect(() => assertPrivate(ports, at('link'))).toThrow(unsafe);
    expect(() => assertPrivate(ports, at('file'))).toThrow(unsafe);
    expect(() => assertPrivate(ports, at('none'))).toThrow(expect.objectContaining({ code: 'STORE_DAMAGED' }));
    expect(() => assertNoLink(ports, at('link'))).toThrow(unsafe);
    assertNoLink(ports, HOME);
    assertNoLink(ports, at('none'));
  });

  test('is durable with its parents, also if the process that created them died at any call', () => {
    for (let at = 1; ; at++) {
      const disk = new SimDisk();
      const dying = new FaultyFs(disk, {
        at,
        fault: {
          die: () => {
            throw new Error('died');
          },
        },
      });
      try {
        prepareHome(simPorts(dying), HOME);
      } catch (error) {
        expect(String(error)).toContain('died');
      }
      const next = disk.afterProcessDeath();
      prepareHome(simPorts(next), HOME);
      makeFolders(next, STORE, 0o700);
      for (const state of next.crashStates('any-subset', 50, seededRandom(at))) {
        expect(state.lstat(STORE), `died at call ${at}`).not.toBeNull();
      }
      if (!dying.hit) return;
    }
  });
});

describe('the record of a workspace', () => {
  test('is read as it was written; a missing one is null', () => {
    const { disk, ports } = withStore();
    expect(readRecord(ports, STORE)).toEqual(RECORD);
    disk.unlink(`${STORE}/workspace.json` as DiskPath);
    expect(readRecord(ports, STORE)).toBeNull();
    expect(listRecords(ports, HOME)).toEqual({ records: [], problems: [], unusable: [] });
  });

  test.each([
    ['', 'STORE_DAMAGED'],
    ['{"format":1', 'STORE_DAMAGED'],
    ['{"format":2,"id":"x","path":"/w"}', 'STORE_TOO_NEW'],
    ['{"format":0,"id":"x","path":"/w"}', 'STORE_DAMAGED'],
    ['{"format":"1","id":"x","path":"/w"}', 'STORE_DAMAGED'],
    ['{"format":1,"id":7,"path":"/w"}', 'STORE_DAMAGED'],
    ['{"format":1,"id":"x"}', 'STORE_DAMAGED'],
  ])('%j is reported as invalid, not as a record', (content, code) => {
    const { disk, ports } = withStore();
    disk.unlink(`${STORE}/workspace.copy.json` as DiskPath);
    replace(disk, content);
    expect(() => readRecord(ports, STORE)).toThrow(expect.objectContaining({ code }));
    expect(listRecords(ports, HOME)).toMatchObject({ records: [], problems: [{ code }] });
  });

  test('that is damaged is read from its copy, and the damage is named', () => {
    const { disk, ports } = withStore();
    for (const content of ['', 'null', '{"format":1,"id":"x","path":"/w"}']) {
      replace(disk, content);
      const { damage, ...record } = readRecord(ports, STORE) as WorkspaceRecord;
      expect(record).toEqual(RECORD);
      expect(damage).toMatchObject({ code: 'STORE_DAMAGED' });
      expect(listRecords(ports, HOME)).toMatchObject({ records: [RECORD], problems: [damage], unusable: [] });
    }
    replace(disk, '{"format":2}');
    expect(() => readRecord(ports, STORE)).toThrow(expect.objectContaining({ code: 'STORE_TOO_NEW' }));
  });

  test('that cannot be read is neither damaged nor absent', () => {
    const { disk } = withStore();
    for (const fail of ['EIO', 'EACCES']) {
      for (let at = 1; ; at++) {
        const faulty = new FaultyFs(disk, { at, fault: { fail } });

        try {
          readRecord(simPorts(faulty), STORE);
        } catch (error) {
          expect(error).toMatchObject({ name: 'FsError', code: fail });
          continue;
        }
        expect(faulty.hit).toBe(false);
        expect(at).toBeGreaterThan(3);
        break;
      }
    }
  });

  test('of a dead process is durable once it was confirmed', () => {
    const { disk, ports } = withStore();
    disk.onCall = ({ operation, path }) => {
      if (operation === 'sync' && path === STORE) throw new Error('died');
    };
    expect(() => writeRecord(ports, { ...RECORD, lastNumber: 9 })).toThrow('died');
    disk.onCall = null;
    const next = disk.afterProcessDeath();
    syncRecord(simPorts(next), STORE);
    for (const state of next.crashStates('any-subset', 50, seededRandom(1))) {
      expect(readRecord(simPorts(state), STORE)?.lastNumber).toBe(9);
    }
  });
});
