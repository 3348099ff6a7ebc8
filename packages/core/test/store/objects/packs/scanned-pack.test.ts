import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { fsWith } from '@savepoint/testkit';
import { describe, expect, test } from 'vitest';
import { FsError } from '../../../../src/io/fs.ts';
import { nodeFs } from '../../../../src/io/node/fs.ts';
import type { ObjectId } from '../../../../src/model/ids.ts';
import type { DiskPath } from '../../../../src/model/names.ts';
import { hashObject } from '../../../../src/store/objects/object-hash.ts';
import { scanPack } from '../../../../src/store/objects/packs/scanned-pack.ts';
import { addCommit, noise, prose, type StoreFixture, storeFixture } from '../../store-fixture.ts';

/** A pack of git with deltas, without its index. */
async function packOfGit(fixture: StoreFixture): Promise<{ readonly pack: DiskPath; readonly index: Buffer }> {
  const batch = fixture.store.batch();
  const commits = [0, 1, 2, 3].map((version) =>
    addCommit(batch, { 'a.txt': prose(400, version), [`b-${version}`]: noise(20_000) }),
  );
  await batch.finish();
  for (const [at, commit] of commits.entries()) fixture.git('update-ref', `refs/heads/b${at}`, commit);
  fixture.git('repack', '-adfq', '--depth=10');
  const folder = fixture.path('objects/pack');
  const [name] = readdirSync(folder).filter((each) => each.endsWith('.idx')) as [string];
  const index = readFileSync(`${folder}/${name}`);
  rmSync(`${folder}/${name}`);
  return { pack: `${folder}/${name.replace(/idx$/, 'pack')}` as DiskPath, index };
}

const all = (index: Buffer): number => index.readUInt32BE(8 + 255 * 4);

describe('scanPack', () => {
  test('creates the index that git creates, deltas included', async () => {
    const fixture = storeFixture();
    const { pack, index } = await packOfGit(fixture);
    const scanned = await scanPack(nodeFs, pack, fixture.pace);
    expect(scanned.problems).toEqual([]);
    expect(Buffer.concat([...(scanned.index?.pieces() ?? [])]).equals(index)).toBe(true);
    expect(scanned.offsets.size).toBe(all(index));
    for (const id of scanned.offsets.keys()) {
      const { type, data } = scanned.read(id);
      expect(hashObject(type, data)).toBe(id);
    }
    scanned.close();
  });

  test('any damaged byte costs only the object that it is in, and those that are deltas against it', async () => {
    const fixture = storeFixture();
    const { pack, index } = await packOfGit(fixture);
    const bytes = readFileSync(pack);
    const sound = await scanPack(nodeFs, pack, fixture.pace);
    const starts = [...sound.offsets].sort((a, b) => a[1] - b[1]);
    sound.close();
    for (let number = 0; number < starts.length; number++) {
      const [id, start] = starts[number] as [ObjectId, number];
      const end = starts[number + 1]?.[1] ?? bytes.length - 20;
      for (const at of [start, start + 3, end - 1]) {
        const damaged = Buffer.from(bytes);
        damaged[at] = (damaged[at] as number) ^ 0x41;
        writeFileSync(`${pack}.new`, damaged);
        renameSync(`${pack}.new`, pack);
        const scanned = await scanPack(nodeFs, pack, fixture.pace);
        expect(scanned.index, `byte ${at}`).toBeNull();
        expect(scanned.problems.join(), `byte ${at}`).toContain('checksum');
        const lost = starts.filter(([other]) => !scanned.offsets.has(other)).map(([other]) => other);
        expect(lost, `byte ${at}`).toContain(id);
        // The versions of a.txt are deltas against each other.
        expect(lost.length, `byte ${at}`).toBeLessThanOrEqual(4);
        scanned.close();
      }
    }
    expect(starts).toHaveLength(all(index));
  });

  test('a sector that cannot be read costs only the objects in it; a pack that was cut off keeps what it has', async () => {
    const fixture = storeFixture();
    const { pack, index } = await packOfGit(fixture);
    const bad = 40_000;
    const fs = fsWith(nodeFs, {
      read: (fd, into, offset, length, position) => {
        if (position <= bad && bad < position + length) throw new FsError('EIO', 'read', pack);
        return nodeFs.read(fd, into, offset, length, position);
      },
    });
    const scanned = await scanPack(fs, pack, fixture.pace);
    expect(scanned.offsets.size).toBeLessThan(all(index));
    expect(scanned.offsets.size).toBeGreaterThanOrEqual(all(index) - 2);
    scanned.close();

    writeFileSync(`${pack}.new`, readFileSync(pack).subarray(0, bad));
    renameSync(`${pack}.new`, pack);
    const cut = await scanPack(nodeFs, pack, fixture.pace);
    expect(cut.index).toBeNull();
    expect(cut.offsets.size).toBeGreaterThan(4);
    cut.close();
  });
});
