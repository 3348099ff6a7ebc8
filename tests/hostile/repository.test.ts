import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { bytesFromText, type DiskPath, open } from '@savepoint/core';
import { gitFingerprint, realPorts, testEffort } from '@savepoint/testkit';
import { explain, type Project, project, workingFiles } from '@savepoint/testkit/command';
import { expect, it } from 'vitest';

/** Ways in which a `.git` may be damaged. Before `spoil` runs, the folder is a valid repository with one commit. */
const SPOILED: readonly (readonly [string, (p: Project, dotGit: string) => void])[] = [
  ['an empty folder', (_p, dotGit) => renew(dotGit, () => fs.mkdirSync(dotGit))],
  ['an empty file', (_p, dotGit) => renew(dotGit, () => fs.writeFileSync(dotGit, ''))],
  ['a file with rubbish', (_p, dotGit) => renew(dotGit, () => fs.writeFileSync(dotGit, '\0\xff rubbish\n'.repeat(99)))],
  ['a file that points nowhere', (_p, dotGit) => renew(dotGit, () => fs.writeFileSync(dotGit, 'gitdir: /no/where\n'))],
  ['a file that points to itself', (_p, dotGit) => renew(dotGit, () => fs.writeFileSync(dotGit, 'gitdir: .git\n'))],
  ['a file that points to /', (_p, dotGit) => renew(dotGit, () => fs.writeFileSync(dotGit, 'gitdir: /\n'))],
  ['a dangling link', (_p, dotGit) => renew(dotGit, () => fs.symlinkSync('nowhere', dotGit))],
  ['a link to itself', (_p, dotGit) => renew(dotGit, () => fs.symlinkSync('.git', dotGit))],
  [
    'a link to the real one',
    (p, dotGit) => {
      const real = path.join(p.base, `real-${path.basename(path.dirname(dotGit))}.git`);
      fs.renameSync(dotGit, real);
      fs.symlinkSync(real, dotGit);
    },
  ],
  ['a pipe', (_p, dotGit) => renew(dotGit, () => execFileSync('mkfifo', [dotGit]))],
  ['without HEAD', (_p, dotGit) => fs.rmSync(path.join(dotGit, 'HEAD'))],
  [
    'with a folder as HEAD',
    (_p, dotGit) => renew(path.join(dotGit, 'HEAD'), () => fs.mkdirSync(path.join(dotGit, 'HEAD'))),
  ],
  [
    'with a pipe as HEAD',
    (_p, dotGit) => renew(path.join(dotGit, 'HEAD'), () => execFileSync('mkfifo', [path.join(dotGit, 'HEAD')])),
  ],
  [
    'with a HEAD of 64 MiB',
    (_p, dotGit) => fs.writeFileSync(path.join(dotGit, 'HEAD'), Buffer.alloc(64 * 1024 * 1024, 97)),
  ],
  [
    'with a HEAD that leaves it',
    (_p, dotGit) => fs.writeFileSync(path.join(dotGit, 'HEAD'), 'ref: ../../../../etc/passwd\n'),
  ],
  ['with a HEAD that goes in a circle', (_p, dotGit) => circle(dotGit)],
  [
    'with a HEAD full of escapes',
    (_p, dotGit) => fs.writeFileSync(path.join(dotGit, 'HEAD'), 'ref: refs/heads/\x1b]0;x\x07\n'),
  ],
  ['with an empty index', (_p, dotGit) => fs.writeFileSync(path.join(dotGit, 'index'), '')],
  ['with half an index', (_p, dotGit) => fs.truncateSync(path.join(dotGit, 'index'), 40)],
  ['with an index that claims four billion entries', (_p, dotGit) => claim(dotGit, 'DIRC\0\0\0\x02\xff\xff\xff\xff')],
  ['with an index of version 99', (_p, dotGit) => claim(dotGit, 'DIRC\0\0\0\x63\0\0\0\x01')],
  ['with an index of rubbish', (_p, dotGit) => claim(dotGit, 'rubbish'.repeat(1000))],
  [
    'with a folder as index',
    (_p, dotGit) => renew(path.join(dotGit, 'index'), () => fs.mkdirSync(path.join(dotGit, 'index'))),
  ],
  [
    'with a config of rubbish',
    (_p, dotGit) => fs.writeFileSync(path.join(dotGit, 'config'), '[[[\n"\\\n\0= =\n[a "b\n'),
  ],
  [
    'with packed-refs of rubbish',
    (_p, dotGit) => fs.writeFileSync(path.join(dotGit, 'packed-refs'), '\xff'.repeat(10_000)),
  ],
  ['without objects', (_p, dotGit) => fs.rmSync(path.join(dotGit, 'objects'), { recursive: true })],
  ['with a locked index', (_p, dotGit) => fs.writeFileSync(path.join(dotGit, 'index.lock'), '')],
  ['bare by its own word', (_p, dotGit) => fs.appendFileSync(path.join(dotGit, 'config'), '[core]\n\tbare = true\n')],
  [
    'with a work tree elsewhere',
    (_p, dotGit) => fs.appendFileSync(path.join(dotGit, 'config'), '[core]\n\tworktree = /etc\n'),
  ],
];

function renew(file: string, make: () => void): void {
  fs.rmSync(file, { recursive: true });
  make();
}

function claim(dotGit: string, index: string): void {
  fs.writeFileSync(path.join(dotGit, 'index'), index, 'latin1');
}

function circle(dotGit: string): void {
  fs.writeFileSync(path.join(dotGit, 'HEAD'), 'ref: refs/heads/a\n');
  fs.writeFileSync(path.join(dotGit, 'refs/heads/a'), 'ref: refs/heads/b\n');
  fs.writeFileSync(path.join(dotGit, 'refs/heads/b'), 'ref: refs/heads/a\n');
}

/** Cases that could block a process, or corrupt an output line, run as a command. The others may use the library. */
const BY_COMMAND = testEffort({ quick: /pipe|file with rubbish|escapes/, ci: /./, long: /./ });

type Verb = 'checkpoint' | 'status' | 'diff' | 'restore' | 'undo';

const COMMANDS: Readonly<Record<Verb, readonly string[]>> = {
  checkpoint: ['-C', '.', 'checkpoint', '--here'],
  status: ['status'],
  diff: ['diff', '--patch'],
  restore: ['restore', 'cp_1', '--yes'],
  undo: ['undo', '--yes'],
};

async function byCommand(p: Project, verb: Verb): Promise<void> {
  const outcome = p.run(COMMANDS[verb]);
  expect(outcome.status, explain(COMMANDS[verb], outcome)).toBe(0);
}

/** Like a separate process: nothing is kept from one verb to the next. */
async function inLibrary(p: Project, verb: Verb): Promise<void> {
  const disk = (path: string): DiskPath => bytesFromText(path) as DiskPath;
  const places = { home: disk(p.store), userHome: disk(p.home), globalIgnore: null };
  const savepoint = open({ dir: disk(p.dir), here: verb === 'checkpoint', ports: realPorts(), places });
  if (verb === 'diff') await savepoint.diff({ patch: true });
  else if (verb === 'restore') await savepoint.restore('cp_1');
  else await savepoint[verb]();
  savepoint.close();
}

it.each(SPOILED)(
  'a .git that is %s does not matter, outside and nested, and is left unchanged',
  async (what, spoil) => {
    const run = BY_COMMAND.test(what) ? byCommand : inLibrary;
    const p = project();
    p.write('a.txt', 'a\n');
    p.write('.gitignore', '*.log\n');
    p.commitAll();
    p.write('inner/i.txt', 'i\n');
    p.write('kept.log', 'k\n');
    fs.cpSync(p.at('.git'), p.at('inner/.git'), { recursive: true });
    spoil(p, p.at('.git'));
    spoil(p, p.at('inner/.git'));
    const before = workingFiles(p.dir);
    const untouched = gitFingerprint(p.dir);
    await run(p, 'checkpoint');
    p.write('a.txt', 'changed\n');
    p.delete('inner/i.txt');
    p.delete('kept.log');
    p.write('new.txt', 'new\n');
    await run(p, 'status');
    await run(p, 'diff');
    await run(p, 'restore');
    expect(workingFiles(p.dir)).toEqual(before);
    await run(p, 'undo');
    expect(p.read('a.txt')).toBe('changed\n');
    expect(gitFingerprint(p.dir)).toEqual(untouched);
  },
);

it('a folder that looks like a copy brings no stores, settings or trusted commands of its own', () => {
  const p = project();
  const place = p.at('copies/copy_0123abcd');
  fs.mkdirSync(path.join(place, 'tree'), { recursive: true });
  fs.mkdirSync(path.join(place, 'home'), { mode: 0o700 });
  fs.writeFileSync(path.join(place, 'copy.json'), '{}');
  fs.writeFileSync(path.join(place, 'tree/a'), 'a');
  const cwd = path.join(place, 'tree');
  const outcome = p.run(['checkpoint', '--json'], { cwd, input: '' });
  expect(outcome.status, outcome.stderr).toBe(0);
  expect(fs.readdirSync(path.join(place, 'home'))).toEqual([]);
  expect(fs.existsSync(path.join(p.store, 'workspaces'))).toBe(true);
  // A copy of the user's own home has stores of its own, wherever in it the command runs.
  const own = path.join(p.store, 'copies/copy_0123abcd');
  fs.cpSync(place, own, { recursive: true });
  for (const folder of [own, path.join(p.store, 'copies')]) fs.chmodSync(folder, 0o700);
  const inner = path.join(own, 'tree/copies/copy_0123abcd');
  fs.cpSync(place, inner, { recursive: true });
  const again = p.run(['checkpoint', '--json'], { cwd: path.join(inner, 'tree'), input: '' });
  expect(again.status, again.stderr).toBe(0);
  expect(fs.readdirSync(path.join(own, 'home'))).toContain('workspaces');
  expect(fs.readdirSync(path.join(inner, 'home'))).toEqual([]);
});
