/** Permissions that a fork and the workspace both changed. */

import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Place } from '../place.ts';

test('different permissions are a conflict, like different lines, and each side can be chosen', async () => {
  const p = new Place();
  for (const name of ['file', 'same', 'other']) p.write(name, `${name}\n`);
  mkdirSync(p.at('folder'));
  p.write('folder/inside', 'inside\n');
  const mode = (name: string): number => statSync(p.at(name)).mode & 0o777;
  const savepoint = p.open();
  const [made] = await savepoint.createForks(['f'], { rungs: ['copy'] });
  const folder = Buffer.from(made?.files ?? '', 'latin1').toString();
  writeFileSync(join(folder, 'file'), 'changed\n');
  for (const [at, modes] of [
    [folder, [0o755, 0o755, 0o750]],
    [p.at(''), [0o600, 0o755, 0o700]],
  ] as const) {
    for (const [index, name] of ['file', 'same', 'folder'].entries()) chmodSync(join(at, name), modes[index] ?? 0);
  }
  chmodSync(join(folder, 'other'), 0o700);
  const { plan } = await savepoint.previewMerge('f');
  expect(plan.conflicts.map(({ path, why }) => [path, why])).toEqual([
    ['file', 'its permissions were changed since'],
    ['folder', 'its permissions were changed since'],
  ]);
  await expect(savepoint.mergeFork('f')).rejects.toMatchObject({ code: 'CONFLICT' });
  const prefer = new Map([
    ['file', 'theirs'],
    ['folder', 'ours'],
  ] as const);
  await savepoint.mergeFork('f', { prefer });
  expect([mode('file'), mode('same'), mode('folder'), mode('other')]).toEqual([0o755, 0o755, 0o700, 0o700]);
  expect(p.read('file')).toBe('changed\n');
  await savepoint.undo();
  await savepoint.mergeFork('f', { prefer: new Map([['', 'theirs']]) });
  expect([mode('file'), mode('folder')]).toEqual([0o755, 0o750]);
  await savepoint.undo();
  await savepoint.mergeFork('f', { skipConflicts: true });
  expect([mode('file'), mode('folder'), mode('other')]).toEqual([0o600, 0o700, 0o700]);
});
