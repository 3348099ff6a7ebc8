import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { realPorts } from '@savepoint/testkit';
import { expect, test } from 'vitest';
import { Pace } from '../../src/io/pace.ts';
import type { DiskPath } from '../../src/model/names.ts';
import { acquireLock } from '../../src/store/lock.ts';
import { Place } from '../place.ts';

test('a store whose lock is held is not deleted', async () => {
  const p = new Place();
  p.write('a', 'a');
  const savepoint = p.open();
  await savepoint.checkpoint();
  const store = await p.store();
  const ports = realPorts();
  const folder = path.join(store, 'lock') as DiskPath;
  const lock = await acquireLock(ports, { folder, what: 'it' }, new Pace(ports.clock), { waitMs: 0 });
  const id = path.basename(store);
  await expect(savepoint.deleteWorkspace(id)).rejects.toMatchObject({ code: 'LOCKED' });
  expect(existsSync(path.join(store, 'workspace.json'))).toBe(true);
  lock.release();
  await expect(savepoint.deleteWorkspace('')).rejects.toMatchObject({ code: 'NO_WORKSPACE' });
  await savepoint.deleteWorkspace(id.slice(0, 6));
  expect(existsSync(store)).toBe(false);
});

test('its copies are listed and go with it; forks and copies in use are refused', async () => {
  const p = new Place();
  p.write('a', 'a');
  const savepoint = p.open();
  await savepoint.createForks(['mine'], { rungs: ['copy'] });
  const { copy } = await savepoint.openCopy({ purpose: 'try', rungs: ['copy'] });
  const id = path.basename(await p.store());
  await expect(savepoint.deleteWorkspace(id)).rejects.toMatchObject({ code: 'USAGE' });
  await savepoint.dropFork('mine');
  await expect(savepoint.deleteWorkspace(id)).rejects.toMatchObject({ code: 'USAGE' });
  const file = path.join(copy.record.place, 'copy.json');
  const json = JSON.parse(readFileSync(file, 'utf8'));
  writeFileSync(file, JSON.stringify({ ...json, owner: { ...json.owner, startedAt: '1' } }));
  expect((await savepoint.previewDeleteWorkspace(id)).copies).toEqual([copy.record.id]);
  await savepoint.deleteWorkspace(id);
  expect([existsSync(copy.record.place), p.read('a')]).toEqual([false, 'a']);
});
