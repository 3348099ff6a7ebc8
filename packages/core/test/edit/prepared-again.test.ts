import { type DiskPath, type Edit, type FileRequest, SavepointError, type TreePath } from '@savepoint/core';
import { SimDisk } from '@savepoint/testkit';
import { expect, test } from 'vitest';
import { engine, ROOT, treeOf, verifyDeep } from '../../../../tests/simulated.ts';

/**
 * An edit is prepared without the lock. If something changes before it gets the lock, the result must be that of an
 * edit prepared after the change. Sizes and times stay the same, so that only the contents reveal the change.
 */

interface Case {
  readonly change: (disk: SimDisk) => void;
  readonly edit: { readonly path: string; readonly edits: readonly Edit[]; readonly expectedHash?: string };
  /** The final contents, or the refusal. */
  readonly ends: Readonly<Record<string, string>> | { readonly code: string; readonly why: string };
}

const replace = (old: string, to: string): Edit => ({
  op: 'replace',
  old,
  new: to,
  replaceAll: false,
  tolerant: false,
});

const CASES: Readonly<Record<string, Case>> = {
  'nothing changes': {
    change: () => undefined,
    edit: { path: 'a.txt', edits: [replace('one', 'ONE')] },
    ends: { 'a.txt': 'file 644 ONE\ntwo\n' },
  },
  'another line changes': {
    change: (disk) => put(disk, 'a.txt', 'one\nTWO\n'),
    edit: { path: 'a.txt', edits: [replace('one', 'ONE')] },
    ends: { 'a.txt': 'file 644 ONE\nTWO\n' },
  },
  'the permissions change': {
    change: (disk) => disk.chmod(at('a.txt'), 0o755),
    edit: { path: 'a.txt', edits: [replace('one', 'ONE')] },
    ends: { 'a.txt': 'file 755 ONE\ntwo\n' },
  },
  'the line itself changes': {
    change: (disk) => put(disk, 'a.txt', 'uno\ntwo\n'),
    edit: { path: 'a.txt', edits: [replace('one', 'ONE')] },
    ends: { code: 'EDITS_REFUSED', why: 'EDIT_FAILED' },
  },
  'it is no longer what was read': {
    change: (disk) => put(disk, 'a.txt', 'one\nTWO\n'),
    edit: { path: 'a.txt', edits: [replace('one', 'ONE')], expectedHash: '814f4a422927b82f5f8a43f8fab6d3839e3983f2' },
    ends: { code: 'CONFLICT', why: 'CHANGED' },
  },
  'it goes': {
    change: (disk) => disk.unlink(at('a.txt')),
    edit: { path: 'a.txt', edits: [replace('one', 'ONE')] },
    ends: { code: 'EDITS_REFUSED', why: 'EDIT_FAILED' },
  },
  'the new file is made by someone else': {
    change: (disk) => put(disk, 'made.txt', 'theirs\n'),
    edit: { path: 'made.txt', edits: [{ op: 'create', content: 'ours\n', mode: null }] },
    ends: { code: 'EDITS_REFUSED', why: 'EDIT_FAILED' },
  },
  'a folder comes where the new file is to be': {
    change: (disk) => disk.makeFolder(at('made.txt'), 0o755),
    edit: { path: 'made.txt', edits: [{ op: 'create', content: 'ours\n', mode: null }] },
    ends: { code: 'EDITS_REFUSED', why: 'NOT_A_FILE' },
  },
  'a pipe comes where the new file is to be': {
    change: (disk) => disk.makeSpecial(at('made.txt'), 0o644),
    edit: { path: 'made.txt', edits: [{ op: 'create', content: 'ours\n', mode: null }] },
    ends: { code: 'EDITS_REFUSED', why: 'NOT_A_FILE' },
  },
  'the folder of the new file gets other permissions': {
    change: (disk) => disk.chmod(at('v1'), 0o700),
    edit: { path: 'v1/made.txt', edits: [{ op: 'create', content: 'ours\n', mode: null }] },
    ends: { 'v1/made.txt': 'file 600 ours\n' },
  },
  'a link to the folder is turned': {
    change: turn,
    edit: { path: 'now/f.txt', edits: [replace('same', 'SAME')] },
    ends: { 'v1/f.txt': 'file 644 same\n', 'v2/f.txt': 'file 644 SAME\n' },
  },
  'a link that a file is moved through is turned': {
    change: turn,
    edit: { path: 'a.txt', edits: [{ op: 'rename', to: 'now/a.txt' as TreePath }] },
    ends: { 'v2/a.txt': 'file 644 one\ntwo\n' },
  },
  'something comes where a file is to be moved': {
    change: (disk) => put(disk, 'b.txt', 'theirs\n'),
    edit: { path: 'a.txt', edits: [{ op: 'rename', to: 'b.txt' as TreePath }] },
    ends: { code: 'EDITS_REFUSED', why: 'ALREADY_THERE' },
  },
};

test.each(Object.entries(CASES))('%s before the lock is there', async (_name, { change, edit, ends }) => {
  const disk = await start();
  disk.onCall = () => {
    disk.onCall = null;
    change(disk);
  };
  const { path, edits, expectedHash } = edit;
  const request: FileRequest = {
    given: path,
    path: path as TreePath,
    edits,
    expectedHash: expectedHash ?? null,
    force: false,
  };
  const asked = engine(disk, 100).edit([request]);
  if ('code' in ends) {
    const error = await asked.then(
      () => null,
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof SavepointError)) throw error;
    const details = 'details' in error.data ? error.data.details : [];
    expect({ code: error.code, why: details?.[0]?.code }).toEqual(ends);
    expect(treeOf(disk).staging).toEqual([]);
  } else {
    await asked;
    const { tree } = treeOf(disk);
    for (const [name, content] of Object.entries(ends)) expect(tree.get(name), name).toBe(content);
    await engine(disk, 200).undo();
    // The state at the moment when the operation acquired the lock.
    const { tree: undone } = treeOf(disk);
    const expected = await start();
    change(expected);
    for (const name of Object.keys(ends)) expect(undone.get(name), name).toBe(treeOf(expected).tree.get(name));
  }
  expect(disk.onCall).toBeNull();
  await verifyDeep(engine(disk, 300));
});

test('the description names what was done, not what was requested', async () => {
  const disk = await start();
  disk.onCall = () => {
    disk.onCall = null;
    put(disk, 'a.txt', 'two\nend\n');
  };
  const edits: Edit[] = [{ op: 'write', content: 'one\ntwo\n', exact: true }];
  const path = 'a.txt' as TreePath;
  const { checkpoint } = await engine(disk, 100).edit([{ given: path, path, edits, expectedHash: null, force: false }]);
  expect(checkpoint?.description).toBe('Edit a.txt (+1 −1)');
});

async function start(): Promise<SimDisk> {
  const disk = new SimDisk();
  disk.makeFolder(ROOT, 0o755);
  for (const name of ['v1', 'v2']) {
    disk.makeFolder(at(name), 0o755);
    put(disk, `${name}/f.txt`, 'same\n');
  }
  disk.makeLink('v1', at('now'));
  put(disk, 'a.txt', 'one\ntwo\n');
  await engine(disk, 10).checkpoint();
  return disk;
}

function turn(disk: SimDisk): void {
  disk.unlink(at('now'));
  disk.makeLink('v2', at('now'));
}

function put(disk: SimDisk, name: string, content: string): void {
  if (disk.lstat(at(name)) !== null) disk.unlink(at(name));
  const file = disk.openNew(at(name), 0o644);
  disk.write(file, Buffer.from(content), 0);
  disk.close(file);
}

function at(name: string): DiskPath {
  return `${ROOT}/${name}` as DiskPath;
}
