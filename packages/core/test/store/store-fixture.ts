/** A store on the real disk, and git to check it. */
import { spawnSync } from 'node:child_process';
import { randomFillSync } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import { GIT_ENV, type World, world } from '@savepoint/testkit';
import { onTestFinished } from 'vitest';
import { Pace } from '../../src/io/pace.ts';
import type { Ports } from '../../src/io/ports.ts';
import type { ObjectId } from '../../src/model/ids.ts';
import type { DiskPath, Name } from '../../src/model/names.ts';
import { sha1 } from '../../src/store/objects/object-hash.ts';
import type { ObjectBatch } from '../../src/store/objects/object-reader.ts';
import { ObjectStore } from '../../src/store/objects/object-store.ts';
import { encodeEntryHeader, encodePackHeader } from '../../src/store/objects/packs/pack-format.ts';
import { encodePackIndex } from '../../src/store/objects/packs/pack-index.ts';
import { encodeTree, type TreeEntry } from '../../src/store/objects/tree.ts';

export interface StoreFixture {
  readonly world: World;
  readonly ports: Ports;
  readonly folder: DiskPath;
  readonly store: ObjectStore;
  readonly pace: Pace;
  /** Runs git on the store, and fails the test if git fails. */
  git(...args: readonly string[]): string;
  gitBytes(args: readonly string[], input?: Uint8Array): Buffer;
  /** A path inside the repository. */
  path(...names: readonly string[]): string;
  /** A second store object on the same files, as in another process. */
  again(): ObjectStore;
}

export function storeFixture(): StoreFixture {
  const place = world(onTestFinished);
  const folder = join(place.folder, 'objects.git') as DiskPath;
  const store = ObjectStore.create(place.ports, folder);
  onTestFinished(() => store.close());
  return {
    world: place,
    ports: place.ports,
    folder,
    store,
    pace: new Pace(place.ports.clock),
    git: (...args) => runGit(folder, args).toString('latin1'),
    gitBytes: (args, input) => runGit(folder, args, input),
    path: (...names) => join(folder, ...names),
    again() {
      const other = ObjectStore.open(place.ports, folder);
      onTestFinished(() => other.close());
      return other;
    },
  };
}

export function runGit(gitDir: string, args: readonly string[], input?: Uint8Array): Buffer {
  const result = spawnSync('git', ['--git-dir', gitDir, ...args], {
    cwd: gitDir,
    env: { PATH: process.env['PATH'] ?? '', HOME: gitDir, ...GIT_ENV },
    maxBuffer: 512 * 1024 * 1024,
    ...(input === undefined ? {} : { input }),
  });
  if (result.error !== undefined) throw result.error;
  if (result.status !== 0) throw new Error(`git ${args.join(' ')}: ${result.stderr.toString()}`);
  return result.stdout;
}

/** Incompressible bytes. */
export function noise(length: number): Buffer {
  return randomFillSync(Buffer.alloc(length));
}

/** Lines that compress, and that give good deltas between versions. */
export function prose(lines: number, version: number): Buffer {
  const text = Array.from({ length: lines }, (_, line) =>
    line % 17 === version % 17 ? `line ${line} as of version ${version}\n` : `line ${line} of a text that stays\n`,
  );
  return Buffer.from(text.join(''));
}

export function file(name: string, id: ObjectId): TreeEntry {
  return { mode: 0o100644, name: name as Name, id };
}

/** Adds a commit in git's format, so that fsck has something to follow. */
export function addCommit(batch: ObjectBatch, files: Readonly<Record<string, Uint8Array>>): ObjectId {
  const tree = batch.add(
    'tree',
    encodeTree(Object.entries(files).map(([name, data]) => file(name, batch.add('blob', data)))),
  );
  const person = 'Test <test@example.invalid> 1700000000 +0000';
  return batch.add('commit', Buffer.from(`tree ${tree}\nauthor ${person}\ncommitter ${person}\n\nsubject\n`));
}

/** The path of a loose object; creates its folder. */
export function looseFile({ path }: StoreFixture, id: ObjectId): string {
  mkdirSync(path('objects', id.slice(0, 2)), { recursive: true });
  return path('objects', id.slice(0, 2), id.slice(2));
}

/** An entry of a pack with arbitrary bytes. */
export interface MadeEntry {
  readonly id: ObjectId;
  readonly bytes: Buffer;
  /** The CRC in the index; correct by default. */
  readonly crc?: number;
}

/** What a pack or its index claims; correct by default. */
export interface Claims {
  /** Number of objects in the pack's header. */
  readonly count?: number;
  /** The pack's checksum in its own trailer. */
  readonly checksum?: Buffer;
  /** The pack's checksum in its index. */
  readonly indexed?: Buffer;
}

/** Adds a pack and its index to the store, valid or not. */
export function putPack(
  { path }: StoreFixture,
  entries: readonly MadeEntry[],
  claims: Claims = {},
): { readonly pack: string; readonly index: string } {
  const body = Buffer.concat([encodePackHeader(claims.count ?? entries.length), ...entries.map(({ bytes }) => bytes)]);
  const checksum = claims.checksum ?? sha1(body);
  let offset = 12;
  const rows = entries.map(({ id, bytes, crc }) => {
    offset += bytes.length;
    return { key: Buffer.from(id, 'hex'), crc: crc ?? crc32(bytes), offset: offset - bytes.length };
  });
  const stem = path('objects/pack', `pack-${sha1(body).toString('hex')}`);
  writeFileSync(`${stem}.pack`, Buffer.concat([body, checksum]));
  writeFileSync(`${stem}.idx`, encodePackIndex(rows, claims.indexed ?? checksum));
  return { pack: `${stem}.pack`, index: `${stem}.idx` };
}

/** The bytes of an entry that is not a delta. @param size in the header, in bytes */
export function blobEntry(data: Uint8Array, size = data.length): Buffer {
  return Buffer.concat([encodeEntryHeader('blob', size), deflateSync(data)]);
}

/** The bytes of a short delta entry that names its base by id. */
export function keyDelta(base: ObjectId, delta: Buffer): Buffer {
  return Buffer.concat([Buffer.of(0x70 | delta.length), Buffer.from(base, 'hex'), deflateSync(delta)]);
}
