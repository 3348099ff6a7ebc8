/** An index that git has rewritten, read by a process that knows the previous one. */
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { open, type Savepoint } from '@savepoint/core';
import { git, realPorts, seededRandom, testEffort, type World, world } from '@savepoint/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type IndexReading, readIndex } from '../../../src/git/tracked.ts';
import { nodeChanges } from '../../../src/io/node/changes.ts';
import { nodeFs } from '../../../src/io/node/fs.ts';
import { native } from '../../../src/io/node/native.ts';
import { bytesFromText, type DiskPath } from '../../../src/model/names.ts';

const SEED = Number(
  process.env['SAVEPOINT_SEED'] ?? (process.env['CI'] === undefined ? Date.now() % 2 ** 31 : 20261121),
);
const ROUNDS = testEffort({ quick: 6, ci: 100, long: 2_000 });
/** Enough for an index of several compared chunks. */
const FILES = 1_500;

function repository({ workspace }: World): void {
  for (let folder = 0; folder < FILES / 50; folder++) {
    mkdirSync(`${workspace}/folder ${folder}`);
    for (let file = 0; file < 50; file++) writeFileSync(`${workspace}/folder ${folder}/file-${file}.txt`, `${file}\n`);
  }
  git(workspace, 'init', '-q');
  git(workspace, 'add', '-A');
  git(workspace, 'commit', '-qm', 'first');
}

function read({ workspace }: World, before: IndexReading | null): IndexReading {
  return readIndex(nodeFs, bytesFromText(`${workspace}/.git`) as DiskPath, 'sha1', before);
}

const reported = ({ tracked, problem, writtenMs }: IndexReading): unknown => {
  return [[...tracked.entries()], tracked.sparseFolders, tracked.trees, problem, writtenMs];
};

/** What must be equal if `tracked.names` is. */
const namesOf = ({ tracked }: IndexReading): unknown[] => [...tracked.entries()].map(({ path, mode }) => [path, mode]);

describe('read again', () => {
  test.each([2, 4])(`it is what it is at a first reading, version %d (SAVEPOINT_SEED=${SEED})`, (version) => {
    const w = world(onTestFinished);
    repository(w);
    git(w.workspace, 'update-index', '--index-version', String(version));
    const random = seededRandom(SEED);
    const file = (): string => `folder ${random.integer(FILES / 50)}/file-${random.integer(50)}.txt`;
    const there = (name: string): string => {
      const file = `${w.workspace}/${name}`;
      // It may have been moved away.
      if (!existsSync(file)) writeFileSync(file, '');
      return file;
    };
    const deeds: readonly ((name: string) => boolean)[] = [
      (name) => {
        // Changes only the file's time; the paths stay the same.
        utimesSync(there(name), 1_000_000 + random.integer(1_000_000), 1_000_000);
        git(w.workspace, 'update-index', '--refresh', '-q', '--ignore-missing');
        return true;
      },
      (name) => {
        writeFileSync(`${w.workspace}/${name}`, `${random.integer(1e9)}`);
        git(w.workspace, 'add', name);
        return true;
      },
      (name) => {
        const isProgram = git(w.workspace, 'ls-files', '--stage', name).startsWith('100755');
        chmodSync(there(name), isProgram ? 0o644 : 0o755);
        git(w.workspace, 'add', name);
        return false;
      },
      (name) => {
        git(w.workspace, 'rm', '-q', '--cached', '--ignore-unmatch', name);
        return false;
      },
      (name) => {
        writeFileSync(`${w.workspace}/${name}`, '');
        git(w.workspace, 'add', '-A');
        // A name of the same length at the same position.
        git(w.workspace, 'mv', '-f', name, `${name.slice(0, -1)}${random.integer(10)}`);
        return false;
      },
      () => {
        writeFileSync(`${w.workspace}/more ${random.integer(1e9)}`, '');
        git(w.workspace, 'add', '-A');
        return false;
      },
    ];
    git(w.workspace, 'config', 'core.fileMode', 'true');
    let before = read(w, null);
    let same = 0;
    for (let round = 0; round < ROUNDS; round++) {
      // At least one operation that keeps the paths is always included.
      const keepsPaths = (deeds[round === 0 ? 0 : random.integer(deeds.length)] as (typeof deeds)[number])(file());
      const first = read(w, null);
      const again = read(w, before);
      expect(reported(again), `round ${round}`).toEqual(reported(first));
      const isSame = again.tracked.names === before.tracked.names;
      if (isSame) {
        expect(namesOf(again), `round ${round}`).toEqual(namesOf(before));
        same += 1;
      }
      if (keepsPaths && round > 0) expect(isSame || namesOf(again).length !== namesOf(before).length).toBe(true);
      before = again;
    }
    // Otherwise the shortcut was never tested.
    expect(same).toBeGreaterThan(0);
  });

  test('any changed byte, at the boundaries of the compared pieces', () => {
    const w = world(onTestFinished);
    repository(w);
    const before = read(w, null);
    const index = `${w.workspace}/.git/index`;
    const bytes = readFileSync(index);
    const summary = ({ tracked, problem }: IndexReading): string => {
      return `${problem?.detail} ${[...tracked.entries()].map(({ mode, path, id, size, stage }) => [mode, path, id, size, stage])}`;
    };
    const PIECE = 32 * 1024;
    for (let at = 12 + PIECE - 90; at < 12 + PIECE + 90; at += testEffort({ quick: 7, ci: 1, long: 1 })) {
      const other = Buffer.from(bytes.subarray(0, -20));
      other.writeUInt8(other.readUInt8(at) ^ 1, at);
      writeFileSync(index, Buffer.concat([other, createHash('sha1').update(other).digest()]));
      const again = read(w, before);
      expect(summary(again), `byte ${at}`).toBe(summary(read(w, null)));
      if (again.tracked.names !== before.tracked.names) continue;
      expect(namesOf(again), `byte ${at}`).toEqual(namesOf(before));
    }
  });

  test('a damaged one is not trusted because it was valid before', () => {
    const w = world(onTestFinished);
    repository(w);
    const before = read(w, null);
    const index = `${w.workspace}/.git/index`;
    const bytes = readFileSync(index);
    for (const at of [12, 40, 60, bytes.length / 2, bytes.length - 30]) {
      const broken = Buffer.from(bytes);
      broken.writeUInt8(broken.readUInt8(Math.floor(at)) ^ 1, Math.floor(at));
      writeFileSync(index, broken);
      expect(read(w, before).problem?.why, `byte ${at}`).toBe('damaged');
    }
    writeFileSync(index, bytes);
    expect(reported(read(w, before))).toEqual(reported(read(w, null)));
  });
});

describe.skipIf(native() === null)('a watching scan', () => {
  async function watched(w: World, dir: string): Promise<Savepoint> {
    const ports = { ...realPorts(), changes: nodeChanges() };
    const savepoint = open({ dir: dir as DiskPath, here: true, ports, places: w.places, watch: true });
    onTestFinished(() => savepoint.close());
    await savepoint.checkpoint();
    return savepoint;
  }

  async function visited(savepoint: Savepoint): Promise<string[]> {
    const { scan } = await savepoint.status();
    return [...(scan?.visited.keys() ?? [])].sort();
  }

  function scene(): World {
    const w = world(onTestFinished);
    mkdirSync(`${w.workspace}/below/src/deep`, { recursive: true });
    // Ignore rules cover something in each folder, so that each depends on the tracked files.
    for (const folder of ['below', 'below/src', 'below/src/deep']) {
      writeFileSync(`${w.workspace}/${folder}/kept.txt`, 'kept\n');
      writeFileSync(`${w.workspace}/${folder}/made.log`, 'made\n');
    }
    writeFileSync(`${w.workspace}/below/.gitignore`, '*.log\n');
    return w;
  }

  test('visits no folder if git only rewrote its index', async () => {
    const w = scene();
    git(w.workspace, 'init', '-q', 'below');
    git(`${w.workspace}/below`, 'add', '-A');
    const savepoint = await watched(w, w.workspace);
    utimesSync(`${w.workspace}/below/src/kept.txt`, 1_000_000, 1_000_000);
    git(`${w.workspace}/below`, 'update-index', '--refresh', '-q');
    expect(await visited(savepoint)).toEqual(['', 'below', 'below/src']);
    git(`${w.workspace}/below`, 'add', '-f', 'src/deep/made.log');
    expect(await visited(savepoint)).toEqual(['', 'below', 'below/src', 'below/src/deep']);
  });

  test('visits no folder if an enclosing repository only rewrote its index', async () => {
    const w = scene();
    git(w.workspace, 'init', '-q', '.');
    git(w.workspace, 'add', '-A');
    const savepoint = await watched(w, `${w.workspace}/below`);
    utimesSync(`${w.workspace}/below/src/kept.txt`, 1_000_000, 1_000_000);
    git(w.workspace, 'update-index', '--refresh', '-q');
    expect(await visited(savepoint)).toEqual(['', 'src']);
    git(w.workspace, 'commit', '-qm', 'first');
    const { scan } = await savepoint.status();
    expect([scan?.roots[0]?.commit, scan?.visited.has('src/deep' as never)]).toEqual([
      git(w.workspace, 'rev-parse', 'HEAD').trim(),
      false,
    ]);
    git(w.workspace, 'add', '-f', 'below/src/deep/made.log');
    expect(await visited(savepoint)).toEqual(['', 'src', 'src/deep']);
  });
});
