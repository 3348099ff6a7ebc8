/** Earlier states, written into copies. The oracle is what the folder itself contained. */

import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Manifest, manifest, seededTree, world } from '@savepoint/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { materialize } from '../../../src/copy/folder/materialize.ts';
import { Pace } from '../../../src/io/pace.ts';
import type { Snapshot } from '../../../src/model/entries.ts';
import { EMPTY_TREE } from '../../../src/model/ids.ts';
import type { DiskPath } from '../../../src/model/names.ts';
import { createStore } from '../../../src/store/layout.ts';
import { editSnapshot } from '../../../src/store/snapshot/edit-snapshot.ts';
import { Place } from '../../place.ts';

const UNCAPTURED = /(^|\/)(\.git|node_modules)(\/|$)/;

function captured(folder: string): Manifest {
  return manifest(folder, { skip: (path) => UNCAPTURED.test(path) });
}

test('a copy of a checkpoint is what the folder was, whatever changed since', async () => {
  const p = new Place();
  seededTree(p.at(''), 1, { git: false });
  p.write('swap/file', 'a file in a folder');
  p.write('swapped', 'a file');
  p.write('kept/gone/inner', 'inner');
  p.write('node_modules/package/index.js', 'one');
  symlinkSync('swapped', p.at('to-file'));
  p.write('locked/file', 'x');
  chmodSync(p.at('locked'), 0o555);
  const savepoint = p.open();
  const { checkpoint } = await savepoint.checkpoint();
  const then = captured(p.at(''));
  p.shell('chmod 755 locked; rm -r swap swapped kept/gone to-file names contents locked');
  p.shell(
    'mkdir swapped to-file; echo new >swapped/new; ln -s modes swap; chmod 600 .env; mkdir names; echo >names/new',
  );
  p.write('node_modules/package/index.js', 'two');
  const { copy } = await savepoint.openCopy({ purpose: 'check', at: checkpoint.id, rungs: ['copy'] });
  expect(captured(copy.files)).toEqual(then);
  expect(readFileSync(join(copy.files, 'node_modules/package/index.js'), 'utf8')).toBe('two');
  await copy.drop();
});

test('what is in the way is removed, what was not captured stays, and damage is not written', async () => {
  const { folder, ports } = world(onTestFinished);
  const store = createStore(ports, join(folder, 'store') as DiskPath);
  const batch = store.objects.batch();
  const empty: Snapshot = { files: EMPTY_TREE, side: EMPTY_TREE };
  const file = { kind: 'file', mode: 0o644, id: batch.add('blob', Buffer.from('text')) } as const;
  const folderEntry = { kind: 'folder', mode: 0o755 } as const;
  const edit = (path: string, to: typeof file | typeof folderEntry | null) => ({ path, to, ignored: false }) as never;
  const before = editSnapshot(batch, empty, [edit('a', folderEntry), edit('b', folderEntry), edit('c', file)]);
  const after = editSnapshot(batch, before, [edit('a', file), edit('b', null), edit('new/deep/file', file)]);
  await batch.finish();
  const files = join(folder, 'copy') as DiskPath;
  for (const path of ['a', 'b']) {
    mkdirSync(join(files, path), { recursive: true });
    writeFileSync(join(files, path, 'uncaptured'), '');
  }
  const request = { fs: ports.fs, objects: store.objects, files, before, after };
  const pace = new Pace(ports.clock);
  expect(await materialize(request, pace)).toEqual(['a', 'b', 'new', 'new/deep', 'new/deep/file']);
  expect(readFileSync(join(files, 'a'), 'utf8')).toBe('text');
  expect(Object.keys(manifest(files))).toEqual(['a', 'b', 'b/uncaptured', 'new', 'new/deep', 'new/deep/file']);
  rmSync(join(folder, 'store/objects.git/objects'), { recursive: true });
  mkdirSync(join(folder, 'store/objects.git/objects/pack'), { recursive: true });
  const other = createStore(ports, join(folder, 'store') as DiskPath);
  await expect(materialize({ ...request, objects: other.objects }, pace)).rejects.toMatchObject({
    code: 'STORE_DAMAGED',
  });
});
