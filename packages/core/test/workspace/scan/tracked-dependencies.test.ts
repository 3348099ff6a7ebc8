/** Tracked files in folders that are otherwise not captured: everything that happens to them is a change. */
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import type { Savepoint } from '@savepoint/core';
import { fixedClock, git, type Manifest, manifest, realPorts } from '@savepoint/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { nodeChanges } from '../../../src/io/node/changes.ts';
import { ALWAYS, WHEN_IGNORED } from '../../../src/workspace/rules/built-in-folders.ts';
import { CAN_WATCH, freeWatch } from '../../io/node/free-watch.ts';
import { Place } from '../../place.ts';

const EMPTY_BLOB = 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391';
const FILES = ['kept.js', 'gone.js', 'old-name.js', 'becomes-folder.js', 'becomes-link.js', 'run.sh', 'sub/only.js'];

/** One folder for each row of the built-in tables, all with the same files. `other.js` is not tracked. */
const FOLDERS: readonly string[] = [
  ...ALWAYS.map((rule, row) => ['always', row, rule.in, rule.name]),
  ...WHEN_IGNORED.map((rule, row) => ['ignored', row, rule.in, rule.name]),
].map((parts) => parts.filter((part) => part !== undefined).join('/'));

function place(): Place {
  const p = new Place();
  for (const folder of FOLDERS) {
    for (const file of FILES) p.write(`${folder}/${file}`, `${folder} ${file}\n`);
  }
  p.write('.gitignore', WHEN_IGNORED.map(({ name }) => `/ignored/**/${name}/\n`).join(''));
  git(p.at(''), 'init', '-q');
  git(p.at(''), 'add', '-f', '-A');
  git(p.at(''), 'commit', '-qm', 'first');
  for (const folder of FOLDERS) p.write(`${folder}/other.js`, 'not tracked\n');
  return p;
}

/** What an agent may do to tracked files, and the changes that this makes. */
function change(p: Place, folder: string): readonly string[] {
  const at = (name: string): string => p.at(`${folder}/${name}`);
  rmSync(at('gone.js'));
  renameSync(at('old-name.js'), at('new-name.js'));
  rmSync(at('becomes-folder.js'));
  mkdirSync(at('becomes-folder.js'));
  rmSync(at('becomes-link.js'));
  symlinkSync('kept.js', at('becomes-link.js'));
  chmodSync(at('run.sh'), 0o755);
  rmSync(at('sub'), { recursive: true });
  return [
    `kind ${folder}/becomes-folder.js`,
    `kind ${folder}/becomes-link.js`,
    `delete ${folder}/gone.js`,
    `delete ${folder}/old-name.js`,
    `mode ${folder}/run.sh`,
    `delete ${folder}/sub/only.js`,
  ];
}

/** Without what is in no checkpoint: the name is not tracked. */
const captured = (p: Place): Manifest => manifest(p.at(''), { skip: (path) => /\.git$|new-name/.test(path) });

const only = (state: Manifest, isWanted: (path: string) => boolean): Manifest =>
  Object.fromEntries(Object.entries(state).filter(([path]) => isWanted(path)));

const described = (changes: readonly { operation: string; path: string }[] | null | undefined): string[] =>
  (changes ?? []).map(({ operation, path }) => `${operation} ${path}`).sort();

describe.each([
  ['scanned', false],
  ['watched', true],
] as const)('every row of the built-in table, %s', (_, watch) => {
  it('notices each change, and reverts it in every way', async () => {
    const p = place();
    const savepoint = p.open({ watch });
    onTestFinished(() => savepoint.close());
    await savepoint.checkpoint();
    const first = captured(p);
    await savepoint.checkpoint(); // the second scan of a watched workspace visits only what changed
    const expected = FOLDERS.flatMap((folder) => change(p, folder)).sort();
    const changed = captured(p);
    expect(described((await savepoint.status()).changed?.changes)).toEqual(expected);
    const { checkpoint } = await savepoint.checkpoint();
    expect(described(checkpoint.changes)).toEqual(expected);
    expect((await savepoint.status()).changed?.changes).toEqual([]);

    await savepoint.restore('cp_1', { mode: 'exact' });
    expect(captured(p)).toEqual(first);
    expect((await savepoint.checkpoint()).checkpoint.changes).toEqual([]);
    await savepoint.undo();
    expect(captured(p)).toEqual(changed);
    // Writing takes most of the time, so only some rows are rolled back.
    const some = FOLDERS.filter((_, row) => row % 20 === 0);
    const isChosen = (path: string): boolean => some.some((folder) => path.startsWith(`${folder}/`));
    const chosen = checkpoint.changes!.filter(({ path }) => isChosen(path));
    await savepoint.rollback({ changes: chosen.map(({ id }) => id) });
    const expectedNow = { ...only(changed, (path) => !isChosen(path)), ...only(first, isChosen) };
    expect(captured(p)).toEqual(expectedNow);
    await savepoint.undo();
    expect(captured(p)).toEqual(changed);
  });

  it('notices what git itself removes and moves', async () => {
    const p = place();
    const savepoint = p.open({ watch });
    onTestFinished(() => savepoint.close());
    await savepoint.checkpoint();
    const first = captured(p);
    const emptied = FOLDERS.filter((_, row) => row % 2 === 0);
    const others = FOLDERS.filter((folder) => !emptied.includes(folder));
    git(p.at(''), 'rm', '-q', ...others.map((folder) => `${folder}/gone.js`));
    for (const folder of others) renameSync(p.at(`${folder}/old-name.js`), p.at(`${folder}/moved.js`));
    git(p.at(''), 'rm', '-q', '--cached', ...others.map((folder) => `${folder}/old-name.js`));
    git(p.at(''), 'add', '-f', ...others.map((folder) => `${folder}/moved.js`));
    // Nothing in these folders is tracked any more.
    git(p.at(''), 'rm', '-qrf', ...emptied);
    const { checkpoint } = await savepoint.checkpoint();
    expect(described(checkpoint.changes)).toEqual(
      [
        ...emptied.flatMap((folder) => FILES.map((file) => `delete ${folder}/${file}`)),
        ...others.flatMap((folder) => [`delete ${folder}/gone.js`, `rename ${folder}/moved.js`]),
      ].sort(),
    );
    const { plan } = await savepoint.restore('cp_1', { mode: 'exact' });
    // Before they moved, whatever had these names was not captured.
    const kept = others.map((folder) => `${folder}/moved.js`);
    expect(plan.kept.map(({ path }) => path)).toEqual([...kept].sort());
    expect(only(captured(p), (path) => !kept.includes(path))).toEqual(first);
  });
});

it('does not record what is no longer tracked and still exists', async () => {
  const p = new Place();
  p.write('node_modules/tracked.js', '1');
  git(p.at(''), 'init', '-q');
  git(p.at(''), 'add', '-f', '-A');
  await p.open().checkpoint();
  git(p.at(''), 'rm', '-q', '--cached', 'node_modules/tracked.js');
  expect((await p.open().checkpoint()).checkpoint.changes).toEqual([]);
  rmSync(p.at('node_modules/tracked.js'));
  // Whether it was removed is unknown, but that nothing is there now is not.
  await p.open().restore('cp_1', { mode: 'exact' });
  expect(p.read('node_modules/tracked.js')).toBe('1');
});

describe.runIf(CAN_WATCH)('a watched scan finds the same as a full scan', () => {
  function watched(p: Place): Savepoint {
    const changes = nodeChanges();
    freeWatch(changes).close();
    // Everything is old enough to be trusted.
    const ports = realPorts({ changes, clock: fixedClock(Date.now() + 60_000) });
    const savepoint = p.open({ watch: true, ports });
    onTestFinished(() => savepoint.close());
    return savepoint;
  }

  it('if another process has captured a file that was not tracked before and is not now', async () => {
    const p = new Place();
    p.write('lib/a.txt', '1');
    p.write('lib/node_modules/pkg/a.js', '1');
    git(p.at(''), 'init', '-q');
    git(p.at(''), 'add', 'lib/a.txt');
    const watching = watched(p);
    await watching.checkpoint();
    expect((await watching.checkpoint()).scan.visited.size).toBe(0);
    git(p.at(''), 'add', '-f', '-A');
    await p.open().checkpoint();
    git(p.at(''), 'rm', '-q', '--cached', 'lib/node_modules/pkg/a.js');
    rmSync(p.at('lib/node_modules/pkg/a.js'));
    const full = (await p.open().status()).scan;
    const { scan, checkpoint } = await watching.checkpoint();
    expect(scan.snapshot).toEqual(full?.snapshot);
    expect(described(checkpoint.changes)).toEqual(['delete lib/node_modules/pkg/a.js']);
  });

  /** The watched scan runs with `watching`, the full scan as another process. */
  async function expectSame(watching: Savepoint, p: Place): Promise<readonly string[]> {
    // Otherwise the full scan would take ids of unchanged files from the watched one.
    rmSync(`${await p.store()}/cache/stat`, { force: true });
    const full = (await p.open().status()).scan;
    const { scan } = await watching.checkpoint();
    const { snapshot, counts, roots, problems } = scan;
    expect({ snapshot, counts, roots, problems }).toEqual({
      snapshot: full?.snapshot,
      counts: full?.counts,
      roots: full?.roots,
      problems: full?.problems,
    });
    return [...scan.visited.keys()].sort();
  }

  async function settle(watching: Savepoint, p: Place): Promise<void> {
    await watching.checkpoint();
    for (let round = 0; round < 3; round++) await expectSame(watching, p);
  }

  function withTracked(files: readonly string[]): Place {
    const p = Place.with(Object.fromEntries(['lib/a.txt', ...files].map((file) => [file, `${file}\n`])));
    git(p.at(''), 'init', '-q');
    git(p.at(''), 'add', '-f', '-A');
    return p;
  }

  it('without visiting tracked dependencies in which nothing changed', async () => {
    const p = withTracked(['node_modules/pkg/a.js', 'lib/node_modules/b.js', 'lib/node_modules/one/two/c.js']);
    p.write('node_modules/other/x.js', 'not tracked\n');
    const watching = watched(p);
    await watching.checkpoint();
    await watching.checkpoint();
    expect(await expectSame(watching, p)).toEqual([]);
    p.write('lib/a.txt', 'changed\n');
    expect(await expectSame(watching, p)).toEqual(['', 'lib']);
    p.write('lib/node_modules/one/two/c.js', 'changed\n');
    const above = ['', 'lib', 'lib/node_modules', 'lib/node_modules/one', 'lib/node_modules/one/two'];
    expect(await expectSame(watching, p)).toEqual(above);
    // The last checkpoint had something else in these folders.
    await expectSame(watching, p);
    expect(await expectSame(watching, p)).toEqual([]);
  });

  it('if a repository in dependencies is tracked no more', async () => {
    const p = withTracked(['node_modules/pkg/a.js', 'node_modules/b.js']);
    const watching = watched(p);
    await settle(watching, p);
    git(p.at('node_modules/pkg'), 'init', '-q');
    git(p.at(''), 'rm', '-q', '--cached', 'node_modules/pkg/a.js');
    // It is a root as long as the last checkpoint has something in it.
    for (let round = 0; round < 3; round++) await expectSame(watching, p);
  });

  it('if a folder is no longer marked as a cache', async () => {
    const p = withTracked(['caches/sub/a.js']);
    p.write('caches/CACHEDIR.TAG', 'Signature: 8a477f597d28d172789f06886806bc55');
    p.write('caches/sub/other.js', 'not tracked\n');
    const watching = watched(p);
    await settle(watching, p);
    rmSync(p.at('caches/CACHEDIR.TAG'));
    expect(await expectSame(watching, p)).toContain('caches/sub');
  });

  it('if another process has recorded that a tracked file is absent', async () => {
    const p = withTracked(['node_modules/a.js', 'node_modules/gone.js']);
    p.write('node_modules/other.js', 'not tracked\n');
    rmSync(p.at('node_modules/gone.js'));
    git(p.at(''), 'rm', '-q', '--cached', 'node_modules/gone.js');
    const watching = watched(p);
    await settle(watching, p);
    const index = readFileSync(p.at('.git/index'));
    git(p.at(''), 'update-index', '--add', '--cacheinfo', `100644,${EMPTY_BLOB},node_modules/gone.js`);
    await p.open().checkpoint();
    writeFileSync(p.at('.git/index'), index);
    await expectSame(watching, p);
  });

  it('if a folder with a problem is captured no more', async () => {
    const p = new Place();
    p.write('lib/a.txt', '1');
    p.write('lib/node_modules/a.js', '1');
    mkdirSync(p.at('lib/node_modules/.gitignore'));
    git(p.at(''), 'init', '-q');
    git(p.at(''), 'add', '-f', '-A');
    const watching = watched(p);
    expect((await watching.checkpoint()).scan.problems).toHaveLength(1);
    git(p.at(''), 'rm', '-q', '--cached', 'lib/node_modules/a.js');
    for (let round = 0; round < 2; round++) {
      const full = (await p.open().status()).scan;
      const { scan } = await watching.checkpoint();
      expect([scan.problems, full?.problems]).toEqual([[], []]);
    }
  });
});
