import { type SeededRandom, SimDisk, seededRandom, simPorts, testEffort } from '@savepoint/testkit';
import { beforeEach, describe, expect, test } from 'vitest';
import { readEntireFile } from '../../src/io/durable-write.ts';
import type { Ports } from '../../src/io/ports.ts';
import type { Entry } from '../../src/model/entries.ts';
import type { ObjectId, TransactionId, WorkspaceId } from '../../src/model/ids.ts';
import type { DiskPath, Name, TreePath } from '../../src/model/names.ts';
import {
  clearJournalDebris,
  intentFile,
  journalFile,
  listUnfinished,
  removeJournal,
  writeIntent,
  writeJournal,
} from '../../src/transaction/journal.ts';
import type { Intent, Journal } from '../../src/transaction/transition.ts';

const SEED = Number(process.env['SAVEPOINT_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const FOLDER = '/journal' as DiskPath;
const TRANSACTION = '0123456789abcdef' as TransactionId;
const OTHER = 'fedcba9876543210' as TransactionId;

let disk: SimDisk;
let ports: Ports;

beforeEach(() => {
  disk = new SimDisk();
  disk.makeFolder(FOLDER, 0o700);
  ports = simPorts(disk);
});

const PATHS = ['a', 'a/b', 'one space', '\nline', '\xc3\xa9', '\xff\xfe'] as readonly string[] as readonly TreePath[];

function journalOf(random: SeededRandom, more: Partial<Journal> = {}): Journal {
  const entry = (): Entry | null => {
    const id = random.pick(['a', '1', 'f']).repeat(40) as ObjectId;
    const mode = random.integer(0o10000);
    return random.pick([null, { kind: 'file', id, mode }, { kind: 'link', id }, { kind: 'folder', mode }] as const);
  };
  return {
    transaction: TRANSACTION,
    workspace: '0123456789abcdef' as WorkspaceId,
    root: '/work\xff' as DiskPath,
    identity: { device: random.integer(2 ** 31), inode: random.integer(2 ** 31), born: random.integer(2 ** 31) },
    stage: `.savepoint-${TRANSACTION}` as Name,
    mounts: random
      .sample(PATHS, random.integer(2))
      .map((path) => ({ path, identity: { device: 1, inode: 2, born: 3 } })),
    transitions: random.sample(PATHS, random.integer(6)).map((path) => ({ path, from: entry(), to: entry() })),
    closed: random.sample(PATHS, random.integer(2)).map((path) => ({ path, mode: 0o555 })),
    checkpoint: { number: random.integer(1000), commit: 'c'.repeat(40) as ObjectId },
    isRolledBack: random.integer(2) === 0,
    ...more,
  };
}

function intentOf(more: Partial<Intent> = {}): Intent {
  const stage = `.savepoint-${TRANSACTION}` as Name;
  return { transaction: TRANSACTION, root: '/work' as DiskPath, stage, mounts: [], makesRoot: false, ...more };
}

function bytesOf(path: DiskPath): Buffer {
  return readEntireFile(disk, path, 2 ** 20);
}

function replace(path: DiskPath, bytes: Buffer): void {
  if (disk.lstat(path) !== null) disk.unlink(path);
  const file = disk.openNew(path, 0o600);
  disk.write(file, bytes, 0);
  disk.close(file);
}

const damaged = expect.objectContaining({ code: 'STORE_DAMAGED' });

describe('a journal', () => {
  test('reads back everything that was written, with any bytes in names', () => {
    const random = seededRandom(SEED);
    for (let round = testEffort({ quick: 100, ci: 1_000, long: 10_000 }); round > 0; round -= 1) {
      const journal = journalOf(random);
      writeJournal(disk, FOLDER, journal);
      expect(listUnfinished(ports, FOLDER), `SAVEPOINT_SEED=${SEED}`).toEqual({ intents: [], journals: [journal] });
    }
    removeJournal(disk, FOLDER, TRANSACTION);
    expect(listUnfinished(ports, FOLDER)).toEqual({ intents: [], journals: [] });
  });

  test('with any bit changed is damage, and never read as another journal', () => {
    writeJournal(disk, FOLDER, journalOf(seededRandom(SEED)));
    const path = journalFile(FOLDER, TRANSACTION);
    const bytes = bytesOf(path);
    for (let bit = 0; bit < bytes.length * 8; bit += testEffort({ quick: 7, ci: 1, long: 1 })) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8((changed.at(bit >> 3) ?? 0) ^ (1 << (bit & 7)), bit >> 3);
      replace(path, changed);
      expect(() => listUnfinished(ports, FOLDER), `bit ${bit}`).toThrow(damaged);
    }
    replace(path, bytes.subarray(0, -1));
    expect(() => listUnfinished(ports, FOLDER)).toThrow(damaged);
  });

  test('of a transaction other than in its name is damage', () => {
    writeJournal(disk, FOLDER, journalOf(seededRandom(SEED)));
    replace(journalFile(FOLDER, OTHER), bytesOf(journalFile(FOLDER, TRANSACTION)));
    expect(() => listUnfinished(ports, FOLDER)).toThrow(damaged);
  });

  test.each(['../outside', '/etc/passwd', 'a//b', '.git/config'])('that leads to %s is damage', (path) => {
    const transitions = [{ path: path as TreePath, from: null, to: { kind: 'folder', mode: 0o755 } as const }];
    writeJournal(disk, FOLDER, journalOf(seededRandom(SEED), { transitions }));
    expect(() => listUnfinished(ports, FOLDER)).toThrow(damaged);
  });

  test('has format 2 only if it contains mounts, so that an older version can recover the others', () => {
    const formatWith = (mounts: Journal['mounts']): number => {
      writeJournal(disk, FOLDER, journalOf(seededRandom(SEED), { mounts }));
      return JSON.parse(bytesOf(journalFile(FOLDER, TRANSACTION)).toString().split('\n')[1] ?? '').format;
    };
    expect(formatWith([])).toBe(1);
    expect(formatWith([{ path: 'a' as TreePath, identity: { device: 1, inode: 2, born: 3 } }])).toBe(2);
  });
});

describe('an intent', () => {
  test.each([
    { name: 'of a workspace', intent: intentOf() },
    { name: 'that makes the root', intent: intentOf({ makesRoot: true }) },
    { name: 'with mounts', intent: intentOf({ mounts: [{ path: 'a/b' as TreePath }] }) },
  ])('reads back everything that was written: $name', ({ intent }) => {
    writeIntent(disk, FOLDER, intent);
    expect(listUnfinished(ports, FOLDER)).toEqual({ intents: [intent], journals: [] });
  });

  test('of a staging folder other than in its name is damage', () => {
    writeIntent(disk, FOLDER, intentOf());
    replace(intentFile(FOLDER, OTHER), bytesOf(intentFile(FOLDER, TRANSACTION)));
    expect(() => listUnfinished(ports, FOLDER)).toThrow(damaged);
  });
});

test('unfinished files of a dead process are removed, finished ones are kept', () => {
  writeJournal(disk, FOLDER, journalOf(seededRandom(SEED)));
  writeIntent(disk, FOLDER, intentOf());
  replace(`${FOLDER}/${OTHER}.json.tmp` as DiskPath, Buffer.from('{"for'));
  clearJournalDebris(disk, FOLDER);
  expect([...disk.list(FOLDER)].sort()).toEqual([`${TRANSACTION}.intent`, `${TRANSACTION}.json`]);
});
