import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { TOP } from '../../scripts/steps.mjs';
import { copyProject } from '../../scripts/tour/copy.mjs';
import { difference, walk } from '../../scripts/tour/walk.mjs';

function temporary(): string {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'savepoint-test-')));
  onTestFinished(() => fs.rmSync(folder, { recursive: true, force: true }));
  return folder;
}

it('the tour proves what it shows, writes only inside its folder, and removes it', () => {
  const folder = temporary();
  const env = { ...process.env, TMPDIR: folder, HOME: folder };
  const before = execFileSync('git', ['status', '--porcelain'], { cwd: TOP, encoding: 'utf8' });
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/tour.mjs'], {
    cwd: TOP,
    env,
    encoding: 'utf8',
  });
  expect(status, `${stdout}\n${stderr}`).toBe(0);
  expect(stdout.match(/^✓ /gm)).toHaveLength(3);
  for (const verb of ['checkpoint', 'diff', 'restore', 'undo', 'redo'])
    expect(stdout).toContain(`\n$ savepoint ${verb}`);
  expect(fs.readdirSync(folder)).toEqual([]);
  expect(execFileSync('git', ['status', '--porcelain'], { cwd: TOP, encoding: 'utf8' })).toBe(before);
});

it('the tour fails when a proof does not hold', () => {
  const folder = temporary();
  // A `node` option that makes the command lose one byte of a file after a restore.
  const saboteur = path.join(folder, 'saboteur.mjs');
  fs.writeFileSync(
    saboteur,
    `import fs from 'node:fs';
     if (process.argv[2] === 'restore') process.on('exit', () => fs.writeFileSync('package.json', '{}'));`,
  );
  const env = { ...process.env, TMPDIR: folder, HOME: folder, NODE_OPTIONS: `--import=${saboteur}` };
  const { status, stderr } = spawnSync(process.execPath, ['scripts/tour.mjs'], { cwd: TOP, env, encoding: 'utf8' });
  expect(status).toBe(1);
  expect(stderr).toContain('package.json');
});

it('the walk detects a byte, a mode, a link, an empty folder and a name that is not UTF-8', () => {
  const folder = temporary();
  const at = (name: string): string => path.join(folder, name);
  fs.writeFileSync(at('a'), 'a');
  fs.mkdirSync(at('empty'));
  fs.symlinkSync('a', at('link'));
  const before = walk(folder);
  expect(difference(before, walk(folder))).toEqual([]);
  const changes: readonly (readonly [string, () => void, () => void])[] = [
    ['a', () => fs.writeFileSync(at('a'), 'b'), () => fs.writeFileSync(at('a'), 'a')],
    ['a', () => fs.chmodSync(at('a'), 0o600), () => fs.chmodSync(at('a'), 0o644)],
    ['empty', () => fs.rmdirSync(at('empty')), () => fs.mkdirSync(at('empty'))],
  ];
  for (const [name, change, back] of changes) {
    change();
    expect(difference(before, walk(folder))).toEqual([name]);
    back();
  }
  fs.unlinkSync(at('link'));
  fs.symlinkSync('b', at('link'));
  fs.writeFileSync(Buffer.from(`${folder}/caf\xe9`, 'latin1'), '');
  expect(difference(before, walk(folder))).toEqual(['caf\xe9', 'link']);
});

it('a project without .git, from an archive, is copied without build output and dependencies', () => {
  const from = temporary();
  for (const file of ['src/a.ts', 'dist/a.js', 'packages/x/dist/b.js', 'node_modules/m/index.js', 'README.md']) {
    fs.mkdirSync(path.dirname(path.join(from, file)), { recursive: true });
    fs.writeFileSync(path.join(from, file), file);
  }
  const to = path.join(temporary(), 'copy');
  expect(copyProject(from, to)).toBe(2);
  expect(fs.readdirSync(to, { recursive: true }).sort()).toEqual(['README.md', 'src', 'src/a.ts']);
});
