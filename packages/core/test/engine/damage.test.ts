import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TreePath } from '@savepoint/core';
import { describe, expect, it } from 'vitest';
import { VerbsWorld } from '../verbs/verbs-world.ts';

/**
 * A store with a damaged object: verify reports it with the affected checkpoints, and the others can still be restored.
 */

async function packs(w: VerbsWorld): Promise<readonly string[]> {
  const { workspace } = await w.open().status();
  const folder = join(workspace.store, 'objects.git', 'objects', 'pack');
  return readdirSync(folder)
    .filter((name) => name.endsWith('.pack'))
    .map((name) => join(folder, name))
    .sort((a, b) => statSync(a).mtimeMs - statSync(b).mtimeMs);
}

/** Damages the contents of one pack, but not its first object's header. */
function spoil(pack: string): void {
  const bytes = readFileSync(pack);
  for (let at = 20; at < bytes.length - 20; at += 7) bytes[at] = (bytes[at] as number) ^ 0x55;
  chmodSync(pack, 0o600);
  writeFileSync(pack, bytes);
}

/** Files that changed within this time are read whatever their times are. */
const YOUNG_MS = 2_100;

async function threeCheckpoints(): Promise<VerbsWorld> {
  const w = new VerbsWorld();
  for (const text of ['one', 'two', 'three']) {
    w.write('a.txt', `${text}\n`.repeat(50));
    w.write(`only-${text}.txt`, `${text}\n`);
    await w.open().checkpoint();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return w;
}

describe('a damaged object', () => {
  it('is named with the affected checkpoints, and the others can be restored', async () => {
    const w = await threeCheckpoints();
    spoil((await packs(w))[1] as string);
    const { damage } = await w.open().verify({ deep: true });
    expect(damage.length).toBeGreaterThan(0);
    const affected = new Set(damage.flatMap(({ checkpoints }) => checkpoints));
    expect(affected).toContain('cp_2');
    expect(affected).not.toContain('cp_1');
    const tree = readFileSync(w.at('a.txt'), 'utf8');
    await expect(w.open().restore('cp_2')).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
    expect(readFileSync(w.at('a.txt'), 'utf8')).toBe(tree);
    // Who made the changes of cp_2 is unknown.
    await expect(w.open().restore('cp_1')).rejects.toMatchObject({ code: 'CONFLICT' });
    await w.open().restore('cp_1', { mode: 'exact' });
    expect(readFileSync(w.at('a.txt'), 'utf8')).toBe('one\n'.repeat(50));
  });

  it('is stored again by the next checkpoint when the folder still has it', async () => {
    const w = await threeCheckpoints();
    spoil((await packs(w))[2] as string);
    expect((await w.open().verify({ deep: true })).damage.length).toBeGreaterThan(0);
    const { checkpoint } = await w.open().checkpoint();
    w.write('a.txt', 'gone\n');
    await w.open().restore(checkpoint.id);
    expect(readFileSync(w.at('a.txt'), 'utf8')).toBe('three\n'.repeat(50));
  });

  it('is stored again by an edit of its file, before the file is replaced', async () => {
    const w = await threeCheckpoints();
    // From now on the capture trusts the file's times and does not read it.
    await new Promise((resolve) => setTimeout(resolve, YOUNG_MS));
    await w.open().checkpoint();
    spoil((await packs(w))[2] as string);
    const path = 'a.txt' as TreePath;
    const edits = [{ op: 'write', content: 'four\n', exact: true } as const];
    await w.open().edit([{ given: path, path, edits, expectedHash: null, force: false }]);
    expect(readFileSync(w.at('a.txt'), 'utf8')).toBe('four\n');
    await w.open().undo();
    expect(readFileSync(w.at('a.txt'), 'utf8')).toBe('three\n'.repeat(50));
  });
});
