import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, renameSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { type Checkpoint, nameToJson, open, type Savepoint } from '@savepoint/core';
import { GIT_ENV } from '@savepoint/testkit';
import { describe, expect, it } from 'vitest';
import { VerbsWorld } from '../verbs/verbs-world.ts';

/** What a checkpoint contains and skips, in folders with repositories and ignore rules. */

class Workspace extends VerbsWorld {
  git(folder: string, ...args: readonly string[]): void {
    execFileSync('git', ['-C', this.at(folder), ...args], { env: { ...process.env, ...GIT_ENV }, stdio: 'pipe' });
  }

  /** Returns the paths whose content this checkpoint added, in order. Take the first checkpoint of an empty folder. */
  async captured(
    savepoint = this.open(),
  ): Promise<{ readonly paths: readonly string[]; readonly checkpoint: Checkpoint }> {
    const { checkpoint } = await savepoint.checkpoint();
    const added = (checkpoint.changes ?? []).filter(({ uncapturedAfter }) => uncapturedAfter === undefined);
    return { paths: added.map(({ path }) => nameToJson(path) as string), checkpoint };
  }
}

async function empty(): Promise<Workspace> {
  const w = new Workspace();
  await w.open().checkpoint();
  return w;
}

describe('ignore rules', () => {
  it('an ignored file is captured if it is small, a tracked one at any size up to the cap', async () => {
    const w = await empty();
    w.git('', 'init', '-q');
    w.write('.gitignore', '*.log\n');
    w.write('small.log', 'small');
    w.write('large.log', 'x'.repeat(2 * 1024 * 1024));
    w.write('tracked.log', 'y'.repeat(2 * 1024 * 1024));
    w.git('', 'add', '-f', 'tracked.log');
    const { paths, checkpoint } = await w.captured();
    expect(paths).toEqual(['.gitignore', 'small.log', 'tracked.log']);
    expect(checkpoint.counts.skipped).toBe(2); // and .git itself
  });

  it('of info/exclude, of the user and of an enclosing repository apply as in git', async () => {
    const w = new Workspace();
    const big = 'x'.repeat(2 * 1024 * 1024);
    w.git('', 'init', '-q');
    w.write('.gitignore', '*.top\n');
    w.write('pkg/.gitignore', '*.middle\n!kept.top\n');
    w.write('.git/info/exclude', '*.excluded\n');
    writeFileSync(w.at('../global-ignore'), '*.mine\n');
    const inside = open({
      dir: w.world.workspace.concat('/pkg/app') as never,
      here: true,
      ports: w.world.ports,
      places: { ...w.world.places, globalIgnore: w.world.folder.concat('/global-ignore') as never },
    });
    mkdirSync(w.at('pkg/app'), { recursive: true });
    await inside.checkpoint();
    for (const name of ['a.top', 'kept.top', 'b.middle', 'c.excluded', 'd.mine', 'plain.txt'])
      w.write(`pkg/app/${name}`, big);
    const { paths, checkpoint } = await w.captured(inside);
    expect(paths).toEqual(['kept.top', 'plain.txt']);
    expect(checkpoint.roots[0]).toMatchObject({ path: '', kind: 'repository', branch: 'master' });
  });

  it('rules of an enclosing repository that name the folder apply once it has this name', async () => {
    const w = new Workspace();
    w.git('', 'init', '-q');
    w.write('.gitignore', '/pkg/two/big.txt\n');
    // Nothing was written just now, so stat data proves that the file is unchanged.
    const { clock } = w.world.ports;
    const ports = { ...w.world.ports, clock: { ...clock, now: () => clock.now() + 3_600_000 } };
    const below = (name: string): Savepoint => {
      const dir = w.world.workspace.concat(`/pkg/${name}`) as never;
      return open({ dir, here: true, ports, places: w.world.places });
    };
    w.write('pkg/one/big.txt', 'x'.repeat(2 * 1024 * 1024));
    w.write('pkg/one/small.txt', 'x');
    expect((await w.captured(below('one'))).checkpoint.counts).toMatchObject({ files: 2, skipped: 0 });
    renameSync(w.at('pkg/one'), w.at('pkg/two'));
    const { checkpoint } = await w.captured(below('two'));
    expect([checkpoint.id, checkpoint.counts]).toMatchObject(['cp_2', { files: 1, skipped: 1 }]);
  });

  it('a changed rule is noticed although no file changed', async () => {
    const w = await empty();
    w.git('', 'init', '-q');
    w.write('data.bin', 'x'.repeat(2 * 1024 * 1024));
    expect((await w.captured()).paths).toEqual(['data.bin']);
    w.write('.gitignore', '*.bin\n');
    const { checkpoint } = await w.captured();
    expect(checkpoint.counts.files).toBe(1);
  });
});

describe('dependency folders', () => {
  it('are skipped except for tracked files in them', async () => {
    const w = await empty();
    w.git('', 'init', '-q');
    w.write('node_modules/a/index.js', 'a');
    w.write('node_modules/ours/index.js', 'ours');
    w.git('', 'add', '-f', 'node_modules/ours/index.js');
    const { paths } = await w.captured();
    expect(paths).toEqual(['node_modules/ours/index.js']);
  });

  it('their contents are saved before an operation overwrites them', async () => {
    const w = await empty();
    w.write('node_modules', 'a file of that name');
    const { checkpoint } = await w.captured();
    w.delete('node_modules');
    w.write('node_modules/a.js', 'precious');
    const { plan, before } = await w.open().restore(checkpoint.id);
    expect(plan.paths.map(({ path }) => path)).toContain('node_modules/a.js');
    expect((await w.open().diff({ from: before.id })).changes.map(({ path }) => path)).toContain('node_modules/a.js');
  });
});

describe('nested repositories', () => {
  it('are roots of their own: their rules apply, outer rules do not, and their .git is skipped', async () => {
    const w = await empty();
    w.git('', 'init', '-q');
    w.write('.gitignore', '*.log\nvendored/\n');
    mkdirSync(w.at('vendored'));
    w.git('vendored', 'init', '-q', '-b', 'trunk');
    const big = 'x'.repeat(2 * 1024 * 1024);
    w.write('vendored/kept.log', big);
    w.write('vendored/.gitignore', '*.own\n');
    w.write('vendored/left.own', big);
    const { paths, checkpoint } = await w.captured();
    expect(paths).toEqual(['.gitignore', 'vendored/.gitignore', 'vendored/kept.log']);
    expect(checkpoint.roots.map(({ path, branch }) => [path, branch])).toEqual([
      ['', 'master'],
      ['vendored', 'trunk'],
    ]);
  });

  it('one with an unreadable .git is captured, and reported', async () => {
    const w = await empty();
    w.write('broken/.git', 'nonsense');
    w.write('broken/a.txt', 'a');
    const { scan, checkpoint } = await w.open().checkpoint();
    expect(checkpoint.changes?.map(({ path }) => path)).toEqual(['broken/a.txt']);
    expect(scan.problems.join()).toContain('broken');
  });
});

describe('file times', () => {
  it('a file of the same size whose times were reset is read again', async () => {
    const w = await empty();
    w.write('a.txt', 'one\n');
    const long = new Date(Date.now() - 3_600_000);
    utimesSync(w.at('a.txt'), long, long);
    await new Promise((resolve) => setTimeout(resolve, 2_100));
    await w.captured();
    writeFileSync(w.at('a.txt'), 'two\n');
    utimesSync(w.at('a.txt'), long, long);
    expect((await w.captured()).paths).toEqual(['a.txt']);
  });

  it('a captured file is not read again until it changes; another file with its name is', async () => {
    const w = await empty();
    for (let i = 0; i < 20; i++) w.write(`f${i}.txt`, `${i}\n`);
    await new Promise((resolve) => setTimeout(resolve, 2_100));
    await w.captured();
    expect((await w.open().checkpoint()).scan.filesRead).toBe(0);
    w.write('other', '3\n');
    renameSync(w.at('other'), w.at('f4.txt'));
    const { scan, checkpoint } = await w.open().checkpoint();
    expect(scan.filesRead).toBe(1);
    expect(checkpoint.changes?.map(({ path }) => path)).toEqual(['f4.txt']);
  });

  it('a cache that is damaged, or of another checkpoint, is ignored', async () => {
    const w = await empty();
    w.write('a.txt', 'a\n');
    await w.captured();
    const { workspace } = await w.open().status();
    for (const spoilt of ['', 'nonsense', '{"format":1}']) {
      writeFileSync(`${workspace.store}/stat-cache`, spoilt);
      expect((await w.captured()).paths).toEqual([]);
    }
  });
});

describe('permissions and kinds', () => {
  it('a change of the mode alone is a change; link targets are stored unchanged', async () => {
    const w = await empty();
    w.write('run.sh', '#!/bin/sh\n');
    symlinkSync('nowhere/at/all', w.at('link'));
    expect((await w.captured()).paths).toEqual(['link', 'run.sh']);
    chmodSync(w.at('run.sh'), 0o755);
    const { checkpoint } = await w.captured();
    expect(checkpoint.changes).toMatchObject([{ path: 'run.sh', operation: 'mode' }]);
  });
});
