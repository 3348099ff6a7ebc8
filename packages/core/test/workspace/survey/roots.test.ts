import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { CaptureRules } from '@savepoint/core/ports';
import { FaultyFs, type FsCall, git, realPorts, type SeededRandom, seededRandom, testEffort } from '@savepoint/testkit';
import { describe, expect, onTestFailed, test } from 'vitest';
import { nodeFs } from '../../../src/io/node/fs.ts';
import { nameToJson } from '../../../src/model/names.ts';
import { Place } from '../../place.ts';

const seed = Number(process.env['SAVEPOINT_SEED'] ?? (process.env['CI'] === undefined ? Date.now() % 1e9 : 5));

/** The result of a survey, root by root, in the terms of a checkpoint. */
async function surveyed(place: Place, rules: Partial<CaptureRules> = {}): Promise<unknown[]> {
  const { roots } = await place.open({ rules }).repositories();
  return roots.map(({ root }) => root);
}

async function captured(place: Place, rules: Partial<CaptureRules> = {}): Promise<unknown[]> {
  const { checkpoint } = await place.open({ rules }).checkpoint();
  return [...checkpoint.roots].sort((a, b) => (a.path < b.path ? -1 : 1));
}

async function paths(place: Place, rules: Partial<CaptureRules> = {}): Promise<string[]> {
  const { roots } = await place.open({ rules }).repositories();
  return roots.map(({ root }) => root.path);
}

function init(place: Place, folder: string): void {
  mkdirSync(place.at(folder), { recursive: true });
  git(place.at(folder), 'init', '-q', '-b', 'main');
  writeFileSync(`${place.at(folder)}/tracked.txt`, folder);
  git(place.at(folder), 'add', '-A');
  git(place.at(folder), 'commit', '-q', '-m', 'first');
}

describe('the list of roots', () => {
  test('children, nested ones, submodules, worktrees and separate git folders, each with its link', async () => {
    const place = new Place();
    init(place, 'one');
    init(place, 'one/deep/er/nested');
    init(place, 'two');
    const file = ['-c', 'protocol.file.allow=always'];
    git(place.at('two'), ...file, 'submodule', '--quiet', 'add', place.at('one'), 'lib/one');
    git(place.at('two'), 'worktree', 'add', '-q', place.at('tree'), '-b', 'side');
    mkdirSync(place.at('apart'));
    git(place.at('apart'), 'init', '-q', '-b', 'main', '--separate-git-dir', `${place.world.folder}/apart.git`);
    git(place.at(''), 'init', '-q', '--bare', 'bare.git');
    const { roots, unreadable } = await place.open().repositories();
    expect(roots.map(({ root, link }) => [root.path, root.kind, link, root.branch])).toEqual([
      ['', 'folder', null, null],
      ['apart', 'repository', 'elsewhere', 'main'],
      ['one', 'repository', 'inside', 'main'],
      ['one/deep/er/nested', 'repository', 'inside', 'main'],
      ['tree', 'repository', 'worktree', 'side'],
      ['two', 'repository', 'inside', 'main'],
      ['two/lib/one', 'repository', 'submodule', 'main'],
    ]);
    expect(unreadable).toEqual([]);
    expect(await captured(place)).toEqual(roots.map(({ root }) => root));
  });

  test('the folder above the worktrees of a bare repository is a plain root', async () => {
    const place = new Place();
    init(place, 'source');
    git(place.at(''), 'clone', '-q', '--bare', 'source', 'project/.git');
    git(place.at('project'), 'worktree', 'add', '-q', 'main', 'main');
    expect(await paths(place)).toEqual(['', 'project/main', 'source']);
    expect(await captured(place)).toEqual(await surveyed(place));
  });

  test('a workspace in a repository is reported as that repository, with its changes', async () => {
    const place = new Place();
    init(place, '');
    place.write('inside/a.txt', 'a');
    git(place.at(''), 'add', '-A');
    place.write('outside.txt', 'x');
    const savepoint = place.open({ dir: `${place.world.workspace}/inside` as never, here: true });
    const { roots } = await savepoint.repositories();
    expect(roots).toMatchObject([
      {
        root: { path: '', kind: 'repository', branch: 'main' },
        link: 'around',
        work: { changes: [{ path: 'a.txt', how: 'added' }] },
      },
    ]);
  });

  test('links are not followed, and a dangling .git is reported', async () => {
    const place = new Place();
    init(place, 'real');
    symlinkSync('real', place.at('link'));
    mkdirSync(place.at('broken'));
    writeFileSync(place.at('broken/.git'), 'gitdir: ../no/such\n');
    const { roots } = await place.open().repositories();
    expect(roots.map(({ root }) => root.path)).toEqual(['', 'broken', 'real']);
    expect(roots[1]).toMatchObject({
      link: 'elsewhere',
      work: { state: 'unknown', problems: [expect.stringContaining('.git')] },
    });
  });

  test('an unreadable folder is named, and the rest is reported', async () => {
    const place = new Place();
    init(place, 'a');
    mkdirSync(place.at('locked'));
    const counts = ({ operation, path }: FsCall): boolean => operation === 'list' && path.endsWith('/locked');
    const fs = new FaultyFs(nodeFs, { at: 1, fault: { fail: 'EACCES', sticky: true }, counts });
    const { roots, unreadable } = await place.open({ ports: { ...realPorts(), fs } }).repositories();
    expect(roots.map(({ root }) => root.path)).toEqual(['', 'a']);
    expect(unreadable).toEqual([{ path: 'locked', code: 'EACCES' }]);
  });

  test('an added or removed root is seen at once', async () => {
    const place = new Place();
    const savepoint = place.open();
    const seen = async (): Promise<string[]> => (await savepoint.repositories()).roots.map(({ root }) => root.path);
    init(place, 'a');
    expect(await seen()).toEqual(['', 'a']);
    init(place, 'deep/er/b');
    expect(await seen()).toEqual(['', 'a', 'deep/er/b']);
    renameSync(place.at('a'), place.at('c'));
    rmSync(place.at('deep/er/b/.git'), { recursive: true });
    expect(await seen()).toEqual(['', 'c']);
  });
});

describe('plain folders as roots', () => {
  const rules = { roots: ['vendor/ours', 'node_modules/ours/', 'gone'] };

  test('are captured whatever outer rules say, and are in checkpoints and in the list', async () => {
    const place = new Place();
    init(place, '');
    place.write('.gitignore', '/vendor\n*.log\n');
    place.write('vendor/ours/a.log', 'log');
    place.write('vendor/ours/node_modules/x/i.js', 'x');
    place.write('vendor/theirs/b.txt', 'b');
    place.write('node_modules/ours/a.txt', 'a');
    place.write('node_modules/theirs/b.txt', 'b');
    const { roots, missing } = await place.open({ rules }).repositories();
    expect(roots.map(({ root, work }) => [root.path, root.kind, work.state])).toEqual([
      ['', 'repository', 'dirty'],
      ['node_modules/ours', 'folder', 'unknown'],
      ['vendor/ours', 'folder', 'unknown'],
    ]);
    expect(missing.map(nameToJson)).toEqual(['gone']);
    expect(await captured(place, rules)).toEqual(await surveyed(place, rules));
    rmSync(place.at('vendor'), { recursive: true });
    rmSync(place.at('node_modules'), { recursive: true });
    await place.open({ rules }).restore('last');
    expect(place.read('vendor/ours/a.log')).toBe('log');
    expect(place.read('node_modules/ours/a.txt')).toBe('a');
    for (const name of ['vendor/ours/node_modules/x/i.js', 'vendor/theirs/b.txt', 'node_modules/theirs/b.txt']) {
      expect(() => place.read(name)).toThrow();
    }
  });

  test('without the option the same folders are skipped', async () => {
    const place = new Place();
    place.write('node_modules/ours/a.txt', 'a');
    expect(await captured(place)).toEqual([expect.objectContaining({ path: '' })]);
    rmSync(place.at('node_modules'), { recursive: true });
    await place.open().restore('last');
    expect(() => place.read('node_modules/ours/a.txt')).toThrow();
  });

  test('a project cannot choose them, and names that lead outside are refused', async () => {
    const place = new Place();
    place.write('.savepoint.json', '{"roots":["node_modules/ours"]}');
    place.write('node_modules/ours/a.txt', 'a');
    const settings = { savepoint: null };
    expect(await paths(place)).toEqual(['']);
    const config = await place.open({ settings }).config();
    expect(config.settings.ignored).toMatchObject([
      { key: 'roots', why: 'only your own configuration file can set this' },
    ]);
    const home = Buffer.from(place.world.places.home, 'latin1').toString();
    for (const bad of ['../out', '/etc', 'a/../b', '.', 'a/.git', '']) {
      writeFileSync(`${home}/config.json`, JSON.stringify({ roots: [bad] }));
      await expect(place.open({ settings }).repositories()).rejects.toMatchObject({ code: 'BAD_CONFIG' });
    }
    writeFileSync(`${home}/config.json`, JSON.stringify({ roots: ['node_modules/ours'] }));
    const { roots } = await place.open({ settings }).repositories();
    expect(roots.map(({ root }) => root.path)).toEqual(['', 'node_modules/ours']);
  });
});

describe('what a survey finds', () => {
  test(`equals what a capture finds, for random contents (seed ${seed})`, async () => {
    onTestFailed(() => console.error(`SAVEPOINT_SEED=${seed}`));
    const random = seededRandom(seed);
    for (let round = 0; round < testEffort({ quick: 6, ci: 20, long: 300 }); round++) {
      const place = new Place();
      const rules = scatter(place, random);
      expect(await surveyed(place, rules), `round ${round}`).toEqual(await captured(place, rules));
    }
  });
});

const FOLDERS = ['a', 'b', 'src', 'node_modules', 'build', 'vendor', '.cache', '.venv'];
const RULES = ['build', '/a', 'b/', '*.txt', '!vendor', 'node_modules', 'src/*'];

/** Creates folders, repositories in them, and rules for them. @returns rules with some chosen roots */
function scatter(place: Place, random: SeededRandom): Partial<CaptureRules> {
  const folder = (): string => Array.from({ length: 1 + random.integer(4) }, () => random.pick(FOLDERS)).join('/');
  const all = Array.from({ length: 14 }, folder);
  for (const name of all) place.write(`${name}/f.txt`, name);
  if (random.integer(3) === 0) git(place.at(''), 'init', '-q', '-b', 'main');
  for (const name of random.sample(all, 5)) {
    git(place.at(name), 'init', '-q', '-b', random.pick(['main', 'side']));
    // git cannot add a repository without a commit.
    if (random.integer(2) === 0) git(place.at(name), 'add', '-f', 'f.txt');
    if (random.integer(4) === 0) git(place.at(name), 'config', 'core.bare', 'true');
  }
  for (const name of ['', ...random.sample(all, 3)]) {
    mkdirSync(dirname(place.at(`${name}/.gitignore`)), { recursive: true });
    writeFileSync(place.at(`${name}/.gitignore`), `${random.sample(RULES, 3).join('\n')}\n`);
  }
  return {
    roots: random.sample(all, random.integer(3)),
    exclude: random.integer(3) === 0 ? [random.pick(FOLDERS)] : [],
    include: random.integer(3) === 0 ? [random.pick(FOLDERS)] : [],
  };
}
