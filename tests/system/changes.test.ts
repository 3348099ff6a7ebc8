import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { FolderWatch } from '../../packages/core/src/io/changes.ts';
import { nodeChanges } from '../../packages/core/src/io/node/changes.ts';
import type { DiskPath } from '../../packages/core/src/model/names.ts';
import { CAN_WATCH, freeWatch } from '../../packages/core/test/io/node/free-watch.ts';
import { randomChanges } from '../../packages/core/test/io/node/random-changes.mjs';
import { differences, type Tree, treeNow, WatchedMirror } from '../../packages/core/test/io/node/watched-mirror.ts';
import { TOP } from '../../scripts/steps.mjs';

const seed = Number(process.env['SAVEPOINT_SEED'] ?? Date.now() % 1e9);
const at = (path: string): DiskPath => path as DiskPath;
/** Index of the ctime in a tree's description of a file. */
const CTIME = 4;

function folder(): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'savepoint-changes-')));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

function run(program: string, ...args: readonly string[]): string {
  return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

function mount(...args: readonly string[]): void {
  run('mount', ...args);
  const path = args.at(-1) ?? '';
  onTestFinished(() => {
    try {
      run('umount', path);
    } catch {
      // A test has already unmounted it.
    }
  });
}

/**
 * Overlayfs copies a file up from the lower layer when it is opened for writing or gets a second name. That changes its
 * ctime without an event, but not its content, mode or mtime.
 */
function seenButCopiedUp(tree: Tree): Tree {
  return new Map([...tree].map(([path, seen]) => [path, seen.split(' ').toSpliced(CTIME, 1).join(' ')]));
}

function watchOf(): FolderWatch {
  const watch = freeWatch(nodeChanges());
  onTestFinished(() => watch.close());
  return watch;
}

function reported(watch: FolderWatch): Readonly<Record<string, readonly string[]>> | string {
  const changes = watch.poll();
  if (changes.lost) return changes.why;
  const names = [...changes.names].map(([path, found]) => [path, [...found].sort()] as const);
  return Object.fromEntries([...names, ...[...changes.folders].map((path) => [`${path}!`, []] as const)]);
}

function can(...command: readonly string[]): boolean {
  try {
    run(command[0] ?? '', ...command.slice(1));
    return true;
  } catch {
    return false;
  }
}

const canMount = CAN_WATCH && can('unshare', '-m', 'true');
const canLimit = CAN_WATCH && can('unshare', '-Ur', 'true');

describe.skipIf(!canMount)('reported changes, on mounts', () => {
  /** Creates the file system in an image file. */
  function onLoop(kind: string): (base: string, to: string) => void {
    return (base, to) => {
      run('truncate', '--size', '400M', `${base}/disk`);
      run(`mkfs.${kind}`, '-q', `${base}/disk`);
      mount('-o', 'loop', `${base}/disk`, to);
    };
  }

  const systems: Readonly<Record<string, (base: string, to: string) => void>> = {
    ext4: onLoop('ext4'),
    xfs: onLoop('xfs'),
    btrfs: onLoop('btrfs'),
    tmpfs: (_, to) => mount('-t', 'tmpfs', 'none', to),
    overlay: (base, to) => {
      mount('-t', 'tmpfs', 'none', base);
      for (const name of ['lower/old/deep', 'upper', 'work']) mkdirSync(`${base}/${name}`, { recursive: true });
      for (const name of ['a', 'old/b', 'old/deep/c']) writeFileSync(`${base}/lower/${name}`, 'lower');
      const layers = `lowerdir=${base}/lower,upperdir=${base}/upper,workdir=${base}/work`;
      mount('-t', 'overlay', 'overlay', '-o', layers, to);
    },
  };

  test.for(Object.entries(systems))('on %s the reports cover all changes', ([kind, make], { skip }) => {
    skip(/^(?:ext4|xfs|btrfs)$/.test(kind) && !can(`mkfs.${kind}`, '-V'), 'nothing makes one');
    const [base, root] = [folder(), folder()];
    make(base, root);
    const mirror = new WatchedMirror(watchOf(), root);
    const { change, end } = randomChanges(root, seed);
    onTestFinished(end);
    for (let round = 0; round < 100; round++) {
      for (let changes = 0; changes < 1 + (round % 30); changes++) change();
      mirror.update();
      const reported = kind === 'overlay' ? seenButCopiedUp : (tree: Tree): Tree => tree;
      expect(differences(reported(mirror.tree), reported(treeNow(root))), `seed ${seed}, round ${round}`).toEqual([]);
    }
    expect(mirror.losses).toBe(0);
  });

  test('a folder that is mounted a second time is reported under both its paths', () => {
    const root = folder();
    for (const name of ['one/deep', 'two']) mkdirSync(`${root}/${name}`, { recursive: true });
    mount('--bind', `${root}/one`, `${root}/two`);
    const watch = watchOf();
    for (const name of ['one', 'two', 'one/deep', 'two/deep']) expect(watch.add(at(`${root}/${name}`))).toBe(true);
    writeFileSync(`${root}/one/file`, '');
    expect(reported(watch)).toEqual({ [`${root}/one`]: ['file'], [`${root}/two`]: ['file'] });
    writeFileSync(`${root}/two/deep/file`, '');
    expect(reported(watch)).toEqual({ [`${root}/one/deep`]: ['file'], [`${root}/two/deep`]: ['file'] });
    watch.remove(at(`${root}/one`));
    writeFileSync(`${root}/one/deep/file`, 'more');
    expect(reported(watch)).toEqual({ [`${root}/two/deep`]: ['file'] });
    rmSync(`${root}/one/deep`, { recursive: true });
    expect(reported(watch)).toEqual({
      [`${root}/two`]: ['deep'],
      [`${root}/two/deep!`]: [],
    });
  });

  test('a file system that is unmounted is reported as lost', () => {
    const root = folder();
    mkdirSync(`${root}/disk`);
    mount('-t', 'tmpfs', 'none', `${root}/disk`);
    const watch = watchOf();
    expect(watch.add(at(root))).toBe(true);
    expect(watch.add(at(`${root}/disk`))).toBe(true);
    run('umount', `${root}/disk`);
    expect(reported(watch)).toBe('a file system was unmounted');
    expect(reported(watch)).toEqual({});
    expect(watch.add(at(root))).toBe(true);
    writeFileSync(`${root}/file`, '');
    expect(reported(watch)).toEqual({ [root]: ['file'] });
  });

  test('a mount over a watched folder is not reported: callers must check the mounts', () => {
    const root = folder();
    mkdirSync(`${root}/sub`);
    const watch = watchOf();
    for (const path of [root, `${root}/sub`]) expect(watch.add(at(path))).toBe(true);
    mount('-t', 'tmpfs', 'none', `${root}/sub`);
    writeFileSync(`${root}/sub/file`, '');
    expect(reported(watch)).toEqual({});
  });

  test('an unsupported file system is not trusted', () => {
    const root = folder();
    mount('-t', 'ramfs', 'none', root);
    expect(watchOf().add(at(root))).toBe(false);
  });
});

describe.skipIf(!canLimit)('reported changes, at the limits of a user', () => {
  const core = new URL(`file://${TOP}/packages/core/dist/io/node/changes.js`);

  /** Runs code with `watch` in its own namespace, in which a limit is set. */
  function within(limit: string, code: string, ...args: readonly string[]): unknown {
    const whole = `import { nodeChanges } from '${core}'; const [root] = process.argv.slice(1); ${code}`;
    const script = 'echo "$1" > /proc/sys/user/"$0" && shift && exec "$@"';
    const [name = '', value = ''] = limit.split('=');
    const node = [process.execPath, '--input-type=module', '-e', whole, ...args];
    return JSON.parse(run('unshare', '-Ur', 'sh', '-c', script, name, value, ...node));
  }

  test('a folder beyond the limit of watches is refused; the others are reported, and removed watches free space', () => {
    const root = folder();
    for (let number = 0; number < 30; number++) mkdirSync(`${root}/${number}`);
    const answer = within(
      'max_inotify_watches=20',
      `
      import { writeFileSync } from 'node:fs';
      const watch = nodeChanges().watch();
      const added = [];
      for (let n = 0; n < 30; n++) added.push(watch.add(root + '/' + n));
      for (let n = 0; n < 30; n++) writeFileSync(root + '/' + n + '/file', '');
      const first = watch.poll();
      for (let n = 0; n < 5; n++) watch.remove(root + '/' + n);
      const again = [];
      for (let n = 20; n < 30; n++) again.push(watch.add(root + '/' + n));
      console.log(JSON.stringify({ added, lost: first.lost, names: [...first.names.keys()].length, again }));`,
      root,
    );
    expect(answer).toEqual({
      added: Array.from({ length: 30 }, (_, number) => number < 20),
      lost: false,
      names: 20,
      again: Array.from({ length: 10 }, (_, number) => number < 5),
    });
  });

  test('a folder that is refused at the limit does not affect those below it', () => {
    const root = folder();
    for (const path of ['above/below', 'other']) mkdirSync(`${root}/${path}`, { recursive: true });
    const answer = within(
      'max_inotify_watches=2',
      `
      import { writeFileSync } from 'node:fs';
      const watch = nodeChanges().watch();
      const added = ['above/below', 'other', 'above'].map((path) => watch.add(root + '/' + path));
      writeFileSync(root + '/above/below/file', '');
      console.log(JSON.stringify({ added, names: [...watch.poll().names.keys()] }));`,
      root,
    );
    expect(answer).toEqual({ added: [true, true, false], names: [`${root}/above/below`] });
  });

  test('without an inotify queue there is no watch', () => {
    const answer = within(
      'max_inotify_instances=2',
      `
      const watches = [0, 1, 2, 3].map(() => nodeChanges().watch());
      const had = watches.map((watch) => watch !== null);
      watches[0].close();
      console.log(JSON.stringify([...had, nodeChanges().watch() !== null]));`,
    );
    expect(answer).toEqual([true, true, false, false, true]);
  });
});

describe.runIf(CAN_WATCH)('reported changes, by a mapped file', () => {
  test('are reported when the mapping ends and not before', async () => {
    const root = folder();
    writeFileSync(`${root}/file`, 'x'.repeat(8192));
    const watch = watchOf();
    expect(watch.add(at(root))).toBe(true);
    const code = `
import mmap, os, sys
fd = os.open(sys.argv[1], os.O_RDWR)
mapped = mmap.mmap(fd, 8192)
os.close(fd)
mapped[0:4] = b'more'
mapped.flush()
print('written', flush=True)
sys.stdin.readline()
mapped.close()
print('closed', flush=True)
sys.stdin.readline()`;
    const other = spawn('python3', ['-c', code, `${root}/file`], { stdio: ['pipe', 'pipe', 'inherit'] });
    onTestFinished(() => void other.kill());
    const lines = createInterface({ input: other.stdout })[Symbol.asyncIterator]();
    expect((await lines.next()).value).toBe('written');
    expect(reported(watch)).toEqual({});
    other.stdin.write('\n');
    expect((await lines.next()).value).toBe('closed');
    expect(reported(watch)).toEqual({ [root]: ['file'] });
  });
});
