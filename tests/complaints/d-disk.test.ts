import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { project, watching, workingFiles } from './project.ts';

/** Bytes of all files below a folder. */
function size(folder: string): number {
  return fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + fs.statSync(path.join(entry.parentPath, entry.name)).size, 0);
}

const MiB = 1024 * 1024;

describe('49 · debris', () => {
  it('a checkpoint killed again and again does not make the store grow', () => {
    const p = project();
    p.write('small.txt', 's\n');
    p.checkpoint();
    p.write('large.bin', randomBytes(2 * MiB));
    for (let nth = 1; nth <= 6; nth++) {
      const outcome = p.run(
        ['checkpoint'],
        watching({
          below: p.store,
          calls: ['renameSync', 'linkSync', 'fsyncSync'],
          nth,
          act: { kill: true },
        }),
      );
      if (outcome.signal === null) break;
    }
    p.checkpoint();
    p.ok('gc');
    expect(size(p.store)).toBeLessThan(3 * MiB);
    p.ok('verify', '--deep');
    expect(fs.readdirSync(p.dir).sort()).toEqual(['large.bin', 'small.txt']);
  });
});

describe('51 · shared storage', () => {
  it('the same content is stored once, however many files and checkpoints hold it', () => {
    const p = project();
    const content = randomBytes(2 * MiB);
    p.write('a.bin', content);
    p.checkpoint();
    const once = size(p.store);
    p.write('copy/b.bin', content);
    p.write('copy/c.bin', content);
    p.checkpoint();
    p.delete('a.bin');
    p.checkpoint();
    p.write('note.txt', 'n\n');
    p.checkpoint();
    expect(once).toBeGreaterThan(2 * MiB);
    expect(size(p.store) - once).toBeLessThan(MiB / 4);
  });
});

describe('53 · a project that is not there just now', () => {
  it('keeps its checkpoints through clean-up, and restores when it is back', () => {
    const p = project();
    p.write('a.txt', 'a\n');
    p.write('b/c.txt', 'c\n');
    const before = workingFiles(p.dir);
    const cp = p.checkpoint();
    const away = path.join(p.base, 'unplugged');
    fs.renameSync(p.dir, away);
    const other = path.join(p.base, 'other');
    fs.mkdirSync(other);
    fs.writeFileSync(path.join(other, 'o.txt'), 'o\n');
    for (const verb of ['checkpoint', 'gc', 'workspaces']) expect(p.run([verb], { cwd: other }).status).toBe(0);
    fs.mkdirSync(p.dir);
    expect(p.run(['gc'], { cwd: other }).status).toBe(0);
    fs.rmdirSync(p.dir);
    fs.renameSync(away, p.dir);
    fs.writeFileSync(p.at('a.txt'), 'changed\n');
    p.restore(cp);
    expect(workingFiles(p.dir)).toEqual(before);
  });

  it('every working file survives rm -rf of the project, whether the folder is missing or made anew', () => {
    for (const madeAnew of [false, true]) {
      const p = project();
      p.write('a.txt', 'a\n');
      p.write('b/c.sh', 'c\n', 0o755);
      p.commitAll();
      const before = workingFiles(p.dir);
      const cp = p.checkpoint();
      fs.rmSync(p.dir, { recursive: true });
      if (madeAnew) fs.mkdirSync(p.dir);
      const outcome = p.run(['-C', p.dir, 'restore', cp, '--yes'], { cwd: p.base });
      expect(outcome.status).toBe(0);
      expect(workingFiles(p.dir)).toEqual(before);
      expect(`${outcome.stdout}${outcome.stderr}`).toContain('.git');
    }
  });
});
