import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  closeSync,
  linkSync,
  lutimesSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type World, world } from '@savepoint/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { FolderWatch } from '../../../src/io/changes.ts';
import { isKernelKnown, type NodeChangesOptions, nodeChanges } from '../../../src/io/node/changes.ts';
import type { DiskPath } from '../../../src/model/names.ts';
import { CAN_WATCH, freeWatch } from './free-watch.ts';
import { randomChanges } from './random-changes.mjs';
import { differences, setting, treeNow, WatchedMirror } from './watched-mirror.ts';

const seed = Number(process.env['SAVEPOINT_SEED'] ?? Date.now() % 1e9);
const at = (path: string): DiskPath => path as DiskPath;

function watchOf(options?: NodeChangesOptions): FolderWatch {
  const watch = freeWatch(nodeChanges(options));
  onTestFinished(() => watch.close());
  return watch;
}

/**
 * The reported changes, with paths relative to the world's folder: `folder: names`, and `folder!` for a folder itself.
 */
function reported(watch: FolderWatch, { workspace }: World): string {
  const changes = watch.poll();
  if (changes.lost) return `lost: ${changes.why}`;
  const short = (path: string): string => (path === workspace ? '.' : path.slice(workspace.length + 1));
  return [
    ...[...changes.names].map(([folder, names]) => `${short(folder)}: ${[...names].sort().join(' ')}`).sort(),
    ...[...changes.folders].map((folder) => `${short(folder)}!`).sort(),
  ].join(', ');
}

/** A folder with `file`, `other`, `sub/inside` and `sub/deep/inside`; it, `sub` and `sub/deep` are watched. */
function scene(): { readonly all: World; readonly top: string; readonly watch: FolderWatch } {
  const all = world(onTestFinished);
  const top = all.workspace;
  mkdirSync(`${top}/sub/deep`, { recursive: true });
  mkdirSync(`${all.folder}/outside`);
  for (const name of ['file', 'other', 'sub/inside', 'sub/deep/inside']) writeFileSync(`${top}/${name}`, name);
  writeFileSync(`${all.folder}/outside/file`, 'outside');
  const watch = watchOf();
  for (const folder of ['', '/sub', '/sub/deep']) expect(watch.add(at(`${top}${folder}`))).toBe(true);
  expect(reported(watch, all)).toBe('');
  return { all, top, watch };
}

describe.runIf(CAN_WATCH)('changes reported by inotify', () => {
  const ACTIONS: Readonly<Record<string, readonly [action: (top: string, outside: string) => void, tells: string]>> = {
    nothing: [() => {}, ''],
    'reading is none': [(top) => readdirSync(top), ''],
    'a new file': [(top) => writeFileSync(`${top}/new`, ''), '.: new'],
    'a write': [(top) => writeFileSync(`${top}/file`, 'more'), '.: file'],
    'an append': [(top) => appendFileSync(`${top}/sub/inside`, 'more'), 'sub: inside'],
    'a truncation': [(top) => truncateSync(`${top}/sub/deep/inside`, 2), 'sub/deep: inside'],
    'a mode': [(top) => chmodSync(`${top}/file`, 0o755), '.: file'],
    'a time': [(top) => lutimesSync(`${top}/file`, 1, 1), '.: file'],
    'the mode of a folder': [(top) => chmodSync(`${top}/sub`, 0o700), '.: sub, sub!'],
    'a file removed': [(top) => unlinkSync(`${top}/sub/inside`), 'sub: inside'],
    'a link': [(top) => symlinkSync('file', `${top}/link`), '.: link'],
    'a second name': [(top) => linkSync(`${top}/file`, `${top}/sub/twin`), 'sub: twin'],
    'a name like no text': [(top) => writeFileSync(Buffer.from(`${top}/\xff\n`, 'latin1'), ''), '.: \xff\n'],
    'a rename': [(top) => renameSync(`${top}/file`, `${top}/new`), '.: file new'],
    'a rename over another': [(top) => renameSync(`${top}/file`, `${top}/other`), '.: file other'],
    'a file moved down': [(top) => renameSync(`${top}/file`, `${top}/sub/deep/new`), '.: file, sub/deep: new'],
    'a file moved out': [(top, outside) => renameSync(`${top}/file`, `${outside}/new`), '.: file'],
    'a file moved in': [(top, outside) => renameSync(`${outside}/file`, `${top}/sub/new`), 'sub: new'],
    'a file moved in over another': [(top, outside) => renameSync(`${outside}/file`, `${top}/file`), '.: file'],
    'a new folder': [(top) => mkdirSync(`${top}/new`), '.: new'],
    'a folder moved': [(top) => renameSync(`${top}/sub`, `${top}/new`), '.: new sub, sub!'],
    'a folder moved out': [(top, outside) => renameSync(`${top}/sub/deep`, `${outside}/deep`), 'sub: deep, sub/deep!'],
    'a folder moved, and back': [
      (top) => {
        renameSync(`${top}/sub`, `${top}/new`);
        writeFileSync(`${top}/new/deep/more`, '');
        renameSync(`${top}/new`, `${top}/sub`);
      },
      '.: new sub, sub!',
    ],
    'a recreated folder': [
      (top) => {
        rmSync(`${top}/sub/deep`, { recursive: true });
        mkdirSync(`${top}/sub/deep`);
        writeFileSync(`${top}/sub/deep/inside`, 'again');
      },
      'sub: deep, sub/deep!',
    ],
    'an empty folder replaced by another': [
      (top, outside) => {
        unlinkSync(`${top}/sub/deep/inside`);
        mkdirSync(`${outside}/full`);
        renameSync(`${outside}/full`, `${top}/sub/deep`);
      },
      'sub: deep, sub/deep!',
    ],
    'a write into a folder that was moved meanwhile': [
      (top) => {
        const fd = openSync(`${top}/sub/deep/inside`, 'a');
        renameSync(`${top}/sub`, `${top}/new`);
        writeSync(fd, 'more');
        closeSync(fd);
      },
      '.: new sub, sub!',
    ],
    'a write by a handle after a rename': [
      (top) => {
        const fd = openSync(`${top}/file`, 'a');
        renameSync(`${top}/file`, `${top}/new`);
        writeSync(fd, 'more');
        closeSync(fd);
      },
      '.: file new',
    ],
    'everything removed': [(top) => rmSync(top, { recursive: true }), '.!, sub!, sub/deep!'],
    'the watched folder itself moved': [(top, outside) => renameSync(top, `${outside}/new`), '.!'],
    'the same name many times': [
      (top) => {
        for (let turn = 0; turn < 1000; turn++) chmodSync(`${top}/${turn % 2 ? 'file' : 'other'}`, 0o600 + (turn % 7));
      },
      '.: file other',
    ],
  };

  for (const [name, [action, tells]] of Object.entries(ACTIONS)) {
    test(`reports ${name}`, () => {
      const { all, top, watch } = scene();
      action(top, `${all.folder}/outside`);
      expect(reported(watch, all)).toBe(tells);
      expect(reported(watch, all)).toBe('');
    });
  }

  test('reports a folder that was removed while a process was in it, and recreated', () => {
    const { all, top, watch } = scene();
    const held = openSync(`${top}/sub/deep`, 'r');
    rmSync(`${top}/sub/deep`, { recursive: true });
    mkdirSync(`${top}/sub/deep`);
    expect(reported(watch, all)).toBe('sub: deep, sub/deep!');
    expect(watch.add(at(`${top}/sub/deep`))).toBe(true);
    closeSync(held);
    writeFileSync(`${top}/sub/deep/new`, '');
    expect(reported(watch, all)).toBe('sub/deep: new');
  });

  test('a change by another process is reported as soon as that process has finished it', async () => {
    const { workspace } = world(onTestFinished);
    const watch = watchOf();
    for (let folder = 0; folder < 20; folder++) {
      mkdirSync(`${workspace}/${folder}`);
      expect(watch.add(at(`${workspace}/${folder}`))).toBe(true);
    }
    const code = `
      const { writeFileSync, readSync, writeSync } = require('node:fs');
      const byte = Buffer.alloc(1);
      for (let turn = 0; readSync(0, byte) === 1; turn++) {
        writeFileSync(process.argv[1] + '/' + turn % 20 + '/file' + turn % 7, String(turn));
        writeSync(1, byte);
      }`;
    const other = spawn(process.execPath, ['-e', code, workspace], { stdio: ['pipe', 'pipe', 'inherit'] });
    onTestFinished(() => void other.kill());
    const missed: number[] = [];
    for (let turn = 0; turn < 2000; turn++) {
      other.stdin.write('.');
      await once(other.stdout, 'data');
      const changes = watch.poll();
      if (changes.lost) throw new Error(changes.why);
      const names = changes.names.get(at(`${workspace}/${turn % 20}`));
      if (names?.size !== 1 || !names.has(`file${turn % 7}` as never) || changes.names.size !== 1) missed.push(turn);
    }
    expect(missed).toEqual([]);
  });

  test('100 rounds of random changes: the reports cover all changes', () => {
    const { workspace } = world(onTestFinished);
    const watch = watchOf();
    const mirror = new WatchedMirror(watch, workspace);
    const { change, end } = randomChanges(workspace, seed);
    onTestFinished(end);
    for (let round = 0; round < 100; round++) {
      for (let changes = 0; changes < 1 + (round % 30); changes++) change();
      mirror.update();
      expect(differences(mirror.tree, treeNow(workspace)), `seed ${seed}, round ${round}`).toEqual([]);
    }
    expect(mirror.losses).toBe(0);
    expect(mirror.tree.size).toBeGreaterThan(5);
  });

  test('while others keep changing files: the reports cover all changes once they stop', async () => {
    const { workspace } = world(onTestFinished);
    const mirror = new WatchedMirror(watchOf(), workspace);
    const program = fileURLToPath(new URL('./random-changes.mjs', import.meta.url));
    for (let round = 0; round < 3; round++) {
      const others = [0, 1].map((which) =>
        spawn(process.execPath, [program, workspace, String(seed + round * 2 + which), '0'], {
          stdio: ['pipe', 'pipe', 'inherit'],
        }),
      );
      const until = Date.now() + 700;
      while (Date.now() < until) {
        mirror.update();
        await new Promise((resolve) => setImmediate(resolve));
      }
      await Promise.all(others.map(stopped));
      mirror.update();
      expect(differences(mirror.tree, treeNow(workspace)), `seed ${seed}, round ${round}`).toEqual([]);
    }
  });

  test('reports lost when the queue overflows, then watches nothing, and can be restarted', () => {
    const { workspace } = world(onTestFinished);
    const all = { workspace } as World;
    const watch = watchOf({ drainInBackground: false });
    watch.add(at(workspace));
    for (const name of ['a', 'b']) writeFileSync(`${workspace}/${name}`, '');
    expect(reported(watch, all)).toBe('.: a b');
    const length = setting('/proc/sys/fs/inotify/max_queued_events');
    const fill = (count: number): void => {
      for (let turn = 0; turn < count; turn++) chmodSync(`${workspace}/${turn % 2 ? 'a' : 'b'}`, 0o600 + (turn % 7));
    };
    fill(length - 10);
    expect(reported(watch, all)).toBe('.: a b');
    fill(length + 10);
    expect(reported(watch, all)).toBe('lost: the queue of the system overflowed');
    writeFileSync(`${workspace}/c`, '');
    expect(reported(watch, all)).toBe('');
    expect(watch.add(at(workspace))).toBe(true);
    writeFileSync(`${workspace}/d`, '');
    expect(reported(watch, all)).toBe('.: d');
    // Events found while a folder is added are reported only by the next poll.
    fill(length + 10);
    expect(watch.add(at(workspace))).toBe(false);
    expect(reported(watch, all)).toBe('lost: the queue of the system overflowed');
    expect(watch.add(at(workspace))).toBe(true);
  });

  test('empties the queue while nothing polls', async () => {
    const { workspace } = world(onTestFinished);
    const watch = watchOf();
    watch.add(at(workspace));
    for (const name of ['a', 'b']) writeFileSync(`${workspace}/${name}`, '');
    const length = setting('/proc/sys/fs/inotify/max_queued_events');
    for (let burst = 0; burst < 3; burst++) {
      for (let turn = 0; turn < length * 0.6; turn++)
        chmodSync(`${workspace}/${turn % 2 ? 'a' : 'b'}`, 0o600 + (turn % 7));
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    expect(reported(watch, { workspace } as World)).toBe('.: a b');
  });

  test('stores at most the allowed number of names', () => {
    const { workspace } = world(onTestFinished);
    const all = { workspace } as World;
    const watch = watchOf({ maxNames: 10 });
    watch.add(at(workspace));
    for (let round = 0; round < 3; round++) {
      for (let name = 0; name < 10; name++) writeFileSync(`${workspace}/${name}`, `${round}`);
      expect(reported(watch, all)).toBe('.: 0 1 2 3 4 5 6 7 8 9');
    }
    for (let name = 0; name < 11; name++) writeFileSync(`${workspace}/${name}`, '');
    expect(reported(watch, all)).toBe('lost: more changes than are kept in memory');
    expect(watch.add(at(workspace))).toBe(true);
    mkdirSync(`${workspace}/sub`);
    watch.add(at(`${workspace}/sub`));
    for (let name = 0; name < 8; name++) writeFileSync(`${workspace}/sub/${name}`, '');
    watch.add(at(`${workspace}/sub`));
    // Removed folders do not count.
    watch.remove(at(`${workspace}/sub`));
    for (let name = 0; name < 5; name++) writeFileSync(`${workspace}/${name}`, '');
    expect(reported(watch, all)).toBe('.: 0 1 2 3 4 sub');
  });

  test('stops watching folders and everything below them, and no longer reports them', () => {
    const { all, top, watch } = scene();
    writeFileSync(`${top}/sub/deep/before`, '');
    chmodSync(`${top}/sub/deep`, 0o700);
    watch.remove(at(`${top}/sub`));
    for (const name of ['file', 'sub/new', 'sub/deep/new']) writeFileSync(`${top}/${name}`, 'more');
    expect(reported(watch, all)).toBe('.: file');
    expect(watch.add(at(`${top}/sub/deep`))).toBe(true);
    writeFileSync(`${top}/sub/deep/later`, '');
    expect(reported(watch, all)).toBe('sub/deep: later');
    // `sub` is not watched itself, but its folder `sub/deep` was, and its watch has ended: that is reported.
    renameSync(`${top}/sub`, `${top}/moved`);
    expect(reported(watch, all)).toBe('.: moved sub, sub/deep!');
    watch.remove(at(`${top}/never`));
  });

  test('a folder added twice is reported once, in its current state', () => {
    const { all, top, watch } = scene();
    expect(watch.add(at(`${top}/sub`))).toBe(true);
    renameSync(`${top}/sub`, `${top}/old`);
    mkdirSync(`${top}/sub`);
    expect(watch.add(at(`${top}/sub`))).toBe(true);
    writeFileSync(`${top}/sub/new`, '');
    writeFileSync(`${top}/old/unwatched`, '');
    expect(reported(watch, all)).toBe('.: old sub, sub: new, sub!');
    // The moved folder is now a different path with the same watch.
    expect(watch.add(at(`${top}/old`))).toBe(true);
    writeFileSync(`${top}/old/inside`, '');
    expect(reported(watch, all)).toBe('old: inside');
  });

  test('refuses paths that are not folders, and file systems that do not report all changes', () => {
    const { folder, workspace } = world(onTestFinished);
    const watch = watchOf();
    writeFileSync(`${workspace}/file`, '');
    mkdirSync(`${workspace}/folder`);
    symlinkSync('folder', `${workspace}/link`);
    for (const path of ['file', 'link', 'missing', 'file/below', 'n'.repeat(256), 'n/'.repeat(2500), 'a\0b']) {
      expect(watch.add(at(`${workspace}/${path}`)), path).toBe(false);
    }
    for (const path of ['/proc', '/sys', '/proc/self/fd']) expect(watch.add(at(path)), path).toBe(false);
    expect(watch.add(at(folder))).toBe(true);
  });

  test('a refused folder does not affect folders below it', () => {
    const { all, top, watch } = scene();
    watch.remove(at(top));
    expect(watch.add(at(`${top}/sub/deep`))).toBe(true);
    renameSync(`${top}/sub`, `${top}/moved`);
    symlinkSync('moved', `${top}/sub`);
    expect(watch.add(at(`${top}/sub`))).toBe(false);
    writeFileSync(`${top}/moved/deep/new`, '');
    expect(reported(watch, all)).toBe('sub/deep: new');
  });

  test('a folder that is refused while it is moved away is reported nevertheless', () => {
    const { all, top, watch } = scene();
    renameSync(`${top}/sub`, `${top}/moved`);
    expect(watch.add(at(`${top}/sub`))).toBe(false);
    renameSync(`${top}/moved`, `${top}/sub`);
    // The watches on `sub` and `sub/deep` have ended.
    expect(reported(watch, all)).toBe('.: moved sub, sub!');
  });

  test('reports only lost when it is closed, and leaves no handle', () => {
    const { workspace } = world(onTestFinished);
    const before = readdirSync('/proc/self/fd').length;
    for (let round = 0; round < 200; round++) {
      const watch = freeWatch(nodeChanges());
      expect(watch.add(at(workspace))).toBe(true);
      watch.close();
      watch.close();
      expect(watch.poll()).toEqual({ lost: true, why: 'the watch was closed' });
      expect(watch.add(at(workspace))).toBe(false);
      watch.remove(at(workspace));
    }
    expect(readdirSync('/proc/self/fd')).toHaveLength(before);
  });

  test('keeps no process alive', () => {
    const { workspace } = world(onTestFinished);
    const core = new URL('../../../dist/node.js', import.meta.url);
    // Waits for an inotify queue like freeWatch, and for nothing after that.
    const code = `
      import { setTimeout } from 'node:timers/promises';
      import { nodePorts } from '${core}';
      const { changes } = nodePorts();
      let watch = changes.watch();
      for (let turn = 0; watch === null && turn < 200; turn++) {
        await setTimeout(50);
        watch = changes.watch();
      }
      console.log(watch.add(process.argv[1]));`;
    const { SAVEPOINT_WATCH: _, ...env } = process.env;
    const { status, signal, stdout, stderr, error } = spawnSync(
      process.execPath,
      ['--input-type=module', '-e', code, workspace],
      { env, encoding: 'utf8', timeout: 30_000 },
    );
    expect({ status, signal, stdout, stderr, error }).toEqual({
      ...{ status: 0, signal: null, error: undefined },
      ...{ stdout: 'true\n', stderr: '' },
    });
  });

  test('is enabled on every known kernel', () => {
    const known = ['6.1.0-18-amd64', '4.18.0-553.el8.x86_64', '5.15.167.4-microsoft-standard-WSL2'];
    for (const kernel of known) expect(isKernelKnown(kernel), kernel).toBe(true);
    for (const kernel of ['4.4.0', '4.4.0-19041-Microsoft', '4.17.19', '3.10.0-1160', '', 'x']) {
      expect(isKernelKnown(kernel), kernel).toBe(false);
    }
  });

  test('does not report a change through a second name elsewhere', () => {
    const { all, top, watch } = scene();
    linkSync(`${top}/file`, `${all.folder}/outside/twin`);
    writeFileSync(`${all.folder}/outside/twin`, 'changed');
    expect(reported(watch, all)).toBe('');
  });
});

/** Tells the process to stop, and waits until it has. */
async function stopped(other: ChildProcess): Promise<void> {
  const ended = once(other, 'close');
  const lines = createInterface({ input: other.stdout! });
  other.stdin?.write('stop');
  await once(lines, 'line');
  await ended;
}
