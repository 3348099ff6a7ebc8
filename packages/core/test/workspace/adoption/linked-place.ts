/** Repositories whose packs are linked, and what the tests of linked packs share. */
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Savepoint } from '@savepoint/core';
import { expect } from 'vitest';
import { AdoptionPlace, text } from './adoption-place.ts';

const FILES = { 'a.txt': 'a', 'b.txt': 'b', 'dir/run.sh': 'run', 'dir/deep/c.txt': 'c', 'dir/deep/again.txt': 'a' };

/** A repository whose pack is mostly history. */
export function withHistory(): AdoptionPlace {
  const place = new AdoptionPlace();
  place.init();
  for (let nth = 0; nth < 120; nth++) place.write(`old/${nth}.txt`, randomBytes(100));
  place.commit();
  place.git('rm', '-rq', 'old');
  place.commit();
  return place;
}

export function packOf(place: AdoptionPlace): string {
  const folder = place.at('.git/objects/pack');
  const [name, ...others] = readdirSync(folder).filter((each) => each.endsWith('.pack'));
  expect(others).toEqual([]);
  return join(folder, name ?? '');
}

export async function packFolder(savepoint: Savepoint): Promise<string> {
  const store = Buffer.from((await savepoint.status()).workspace.store, 'latin1').toString();
  return join(store, 'objects.git/objects/pack');
}

/** Whether the store has a second name of the file. */
export async function isLinked(savepoint: Savepoint, pack: { readonly ino: number }): Promise<boolean> {
  const folder = await packFolder(savepoint);
  return readdirSync(folder).some((name) => statSync(join(folder, name)).ino === pack.ino);
}

export async function expectRestores(place: AdoptionPlace, savepoint: Savepoint): Promise<void> {
  for (const name of Object.keys(FILES)) rmSync(place.at(name), { force: true });
  await savepoint.restore('cp_1');
  for (const [name, word] of Object.entries(FILES)) expect(readFileSync(place.at(name), 'utf8'), name).toBe(text(word));
}
