import { deflateSync } from 'node:zlib';
import { FaultyFs, type FsCall, SimDisk, simPorts } from '@savepoint/testkit';
import { describe, expect, test } from 'vitest';
import { FolderWalk } from '../../src/io/folder-walk.ts';
import { Pace } from '../../src/io/pace.ts';
import type { Ports } from '../../src/io/ports.ts';
import { removeTree } from '../../src/io/remove-tree.ts';
import { SavepointError } from '../../src/model/errors.ts';
import type { ObjectId, TransactionId } from '../../src/model/ids.ts';
import type { DiskPath, TreePath } from '../../src/model/names.ts';
import { createStore, layoutOf } from '../../src/store/layout.ts';
import { acquireLock } from '../../src/store/lock.ts';
import { hashObject } from '../../src/store/objects/object-hash.ts';
import { ObjectStore } from '../../src/store/objects/object-store.ts';
import { prepareHome } from '../../src/store/private-folders.ts';
import { Refs } from '../../src/store/refs/refs.ts';
import { removeOpenCall, writeOpenCall } from '../../src/store/state/open-calls.ts';
import { clearJournalDebris, removeJournal, writeIntent } from '../../src/transaction/journal.ts';

/**
 * Only "does not exist" and "already exists" are expected answers. Any other error of any call is reported; no code
 * continues as if the call had succeeded.
 */
const STORE = '/store' as DiskPath;
const LAYOUT = layoutOf(STORE);
const TRANSACTION = '0123456789abcdef' as TransactionId;
const CP = 'refs/savepoint/cp/';
const ID = '1'.repeat(40) as ObjectId;

/** An index that cannot be read costs only what is in its pack: see verify-objects.test.ts. */
const AN_INDEX = /^(?:openRead|fstat|read) .*\.idx$/;

interface Action {
  readonly prepare?: (ports: Ports & { readonly fs: SimDisk }) => void;
  readonly action: (ports: Ports) => unknown;
  /** Calls whose failure is harmless, as `operation path`. */
  readonly quiet?: RegExp;
}

const CALL = {
  id: 'call',
  session: 'session',
  actor: { kind: 'agent', name: 'a', session: null },
  tool: { name: 't', callId: null },
  declared: null,
  began: 0,
  late: false,
  background: false,
  own: false,
} as unknown as Parameters<typeof writeOpenCall>[2];

/** Creates a leftover file. */
function leave(fs: SimDisk, path: string, content = ''): void {
  const file = fs.openNew(path as DiskPath, 0o600);
  fs.write(file, Buffer.from(content, 'latin1'), 0);
  fs.close(file);
}

const ACTIONS: Readonly<Record<string, Action>> = {
  'a home is prepared': { action: (ports) => prepareHome(ports, '/of/home' as DiskPath) },
  'a home that is there is prepared': {
    prepare: (ports) => prepareHome(ports, '/of/home' as DiskPath),
    action: (ports) => prepareHome(ports, '/of/home' as DiskPath),
  },
  'a store is made': { action: (ports) => createStore(ports, '/another' as DiskPath) },
  'the lock of a dead process is taken': {
    prepare: ({ fs }) => leave(fs, `${LAYOUT.lock}/of nobody`),
    action: (ports) => acquireLock(ports, { folder: LAYOUT.lock, what: 'it' }, new Pace(ports.clock), { waitMs: 0 }),
  },
  // Damaged packed refs prevent no new one: the timeline knows which numbers they may hide.
  'a ref is created': {
    action: (ports) => refs(ports).create(`${CP}9`, ID),
    quiet: /^unlink .*\.lock$|packed-refs$/,
  },
  'the first ref of a folder is created': {
    action: (ports) => refs(ports).create('refs/new/deep/1', ID),
    quiet: /^unlink .*\.lock$|packed-refs$/,
  },
  'refs are deleted': { action: (ports) => refs(ports).delete([`${CP}1`, `${CP}2`]), quiet: /^unlink .*\.lock$/ },
  // A ref that cannot be read stays as it is.
  'refs are packed': {
    action: (ports) => refs(ports).pack(),
    quiet: /^(?:unlink .*\.lock|(?:openRead|fstat|read|lstat) .*cp\/2)$/,
  },
  'refs are listed': { action: (ports) => refs(ports).list(CP) },
  'debris among refs is collected': {
    prepare: ({ fs }) => leave(fs, `${LAYOUT.objects}/${CP}9.0123456789abcdef.lock`),
    action: (ports) => refs(ports).collectDebris(),
  },
  'objects are opened': { action: (ports) => ObjectStore.open(ports, LAYOUT.objects).close(), quiet: AN_INDEX },
  'an object is read': { action: (ports) => ObjectStore.open(ports, LAYOUT.objects).read(BLOB), quiet: AN_INDEX },
  'debris among objects is collected': {
    prepare: ({ fs }) => leave(fs, `${LAYOUT.objects}/objects/pack/tmp_savepoint_7.pack`, 'x'),
    action: (ports) => ObjectStore.open(ports, LAYOUT.objects).collectDebris(),
    quiet: AN_INDEX,
  },
  'objects are consolidated': {
    prepare: ({ fs }) => {
      const id = hashObject('blob', Buffer.from('loose'));
      const folder = `${LAYOUT.objects}/objects/${id.slice(0, 2)}`;
      fs.makeFolder(folder as DiskPath, 0o700);
      leave(fs, `${folder}/${id.slice(2)}`, deflateSync('blob 5\0loose').toString('latin1'));
    },
    action: (ports) => ObjectStore.open(ports, LAYOUT.objects).consolidate({ pace: new Pace(ports.clock) }),
    quiet: AN_INDEX,
  },
  'an intent is written': {
    action: ({ fs }) =>
      writeIntent(fs, LAYOUT.journal, {
        transaction: TRANSACTION,
        root: '/w' as DiskPath,
        stage: 's' as never,
        mounts: [],
        makesRoot: false,
      }),
    quiet: /^unlink .*\.tmp-0$/,
  },
  'a journal is removed': {
    prepare: ({ fs }) => leave(fs, `${LAYOUT.journal}/${TRANSACTION}.json`),
    action: ({ fs }) => removeJournal(fs, LAYOUT.journal, TRANSACTION),
  },
  'what is left of a journal is removed': {
    prepare: ({ fs }) => leave(fs, `${LAYOUT.journal}/${TRANSACTION}.json.tmp-0`),
    action: ({ fs }) => clearJournalDebris(fs, LAYOUT.journal),
  },
  'a call of a tool is ended': {
    prepare: ({ fs }) => writeOpenCall(fs, LAYOUT, CALL),
    action: ({ fs }) => removeOpenCall(fs, LAYOUT, CALL),
  },
  'the first call of a tool is begun': {
    action: ({ fs }) => writeOpenCall(fs, LAYOUT, CALL),
    quiet: /^(?!makeFolder)/,
  },
  'a tree is removed': {
    prepare: ({ fs }) => {
      for (const path of ['/gone', '/gone/in']) fs.makeFolder(path as DiskPath, 0o500);
      leave(fs, '/gone/in/file');
    },
    action: ({ fs }) => removeTree(fs, '/gone' as DiskPath),
  },
  'a folder is walked to and synced': {
    prepare: ({ fs }) => {
      for (const path of ['/w', '/w/a', '/w/a/b']) fs.makeFolder(path as DiskPath, 0o700);
    },
    action: ({ fs }) => {
      const walk = new FolderWalk(fs, '/w' as DiskPath);
      try {
        walk.child('a/b/c' as TreePath);
        walk.sync('a/b' as TreePath);
        walk.assertParentsUnchanged('a/b/c' as TreePath);
      } finally {
        walk.close();
      }
    },
  },
};

const BLOB = 'b6fc4c620b67d95f953a5c1c1230aaab5db5a1b0' as ObjectId; // "hello"

function refs(ports: Ports): Refs {
  return new Refs(ports, LAYOUT.objects);
}

async function prepared({ prepare }: Action): Promise<SimDisk> {
  const disk = new SimDisk();
  const ports = { ...simPorts(disk), fs: disk };
  const { objects } = createStore(ports, STORE);
  for (const text of ['hello', 'there']) {
    const batch = objects.batch();
    batch.add('blob', Buffer.from(text));
    await batch.finish();
  }
  refs(ports).create(`${CP}1`, ID);
  refs(ports).pack();
  refs(ports).create(`${CP}2`, ID);
  prepare?.(ports);
  return disk;
}

describe.each(Object.entries(ACTIONS))('when %s', (_, each) => {
  test('EIO from any call is reported', async () => {
    const reported: string[] = [];
    for (let at = 1; ; at++) {
      const faulty = new FaultyFs(await prepared(each), { at, fault: { fail: 'EIO' } });
      let failure: unknown = null;
      try {
        await each.action(simPorts(faulty, { seed: 5 }));
      } catch (error) {
        failure = error;
      }
      if (!faulty.hit) break;
      const call = faulty.log.filter(({ operation }) => operation !== 'close')[at - 1] as FsCall;
      const named = `${call.operation} ${call.path}`;
      if (each.quiet?.test(named) === true) continue;
      // A ref that cannot be read is named as damage.
      const isDamage = failure instanceof SavepointError && failure.code === 'STORE_DAMAGED';
      const expected = isDamage ? { message: expect.stringContaining('EIO') } : { name: 'FsError', code: 'EIO' };
      expect(failure, `call ${at}: ${named}`).toMatchObject(expected);
      reported.push(named);
    }
    expect(reported.length).toBeGreaterThan(0);
  });
});
