import fs from 'node:fs';
import path from 'node:path';
import { open } from '@savepoint/core';
import { realPorts, testEffort, world } from '@savepoint/testkit';
import { project, workingFiles } from '@savepoint/testkit/command';
import { describe, expect, it, onTestFinished } from 'vitest';
import { manyFiles, turning } from './turns.ts';

describe('60 · undo and redo', () => {
  it('revert and reapply every operation, each in a process of its own', () => {
    const p = project();
    p.write('a.txt', '0\n');
    const first = p.checkpoint();
    p.write('a.txt', '1\n');
    p.write('b.txt', '1\n');
    const second = p.checkpoint();
    p.delete('b.txt');
    p.write('c/d.txt', '2\n');
    const states = [workingFiles(p.dir)];
    for (const cp of [first, second, first]) {
      p.restore(cp);
      states.push(workingFiles(p.dir));
    }
    for (let i = 2; i >= 0; i--) {
      p.ok('undo', '--yes');
      expect(workingFiles(p.dir), `undone to ${i}`).toEqual(states[i]);
    }
    expect(p.run(['undo', '--yes']).status).toBe(1);
    for (let i = 1; i <= 3; i++) {
      p.ok('redo', '--yes');
      expect(workingFiles(p.dir), `redone to ${i}`).toEqual(states[i]);
    }
    expect(p.run(['redo', '--yes']).status).toBe(1);
  });

  it('after a new operation there is nothing to redo', () => {
    const p = project();
    p.write('a.txt', '0\n');
    const cp = p.checkpoint();
    p.write('a.txt', '1\n');
    p.restore(cp);
    p.ok('undo', '--yes');
    p.restore(cp);
    expect(p.run(['redo', '--yes']).status).toBe(1);
    expect(p.read('a.txt')).toBe('0\n');
  });
});

describe('61 · preview', () => {
  it('the preview names exactly the paths that the restore then changes, and changes none', () => {
    const p = project();
    for (const name of ['changed', 'same', 'removed', 'mode']) p.write(`${name}.txt`, `${name}\n`);
    const cp = p.checkpoint();
    p.write('changed.txt', 'x\n');
    p.delete('removed.txt');
    p.write('mode.txt', 'mode\n', 0o755);
    p.write('added.txt', 'x\n');
    const before = workingFiles(p.dir);
    const preview = p.ok('restore', cp, '--dry-run').stdout;
    expect(workingFiles(p.dir)).toEqual(before);
    for (const name of ['changed', 'removed', 'mode', 'added']) expect(preview).toContain(`${name}.txt`);
    expect(preview).not.toContain('same.txt');
    expect(p.ok('diff', cp, '--patch').stdout).toContain('-changed\n+x\n');
  });

  it('without a terminal and without --yes nothing happens, and the error says what to add', () => {
    const p = project();
    p.write('a.txt', 'a\n');
    const cp = p.checkpoint();
    p.write('a.txt', 'b\n');
    for (const args of [
      ['restore', cp],
      ['restore', cp, '--exact'],
    ]) {
      const outcome = p.run(args, { input: 'y\n' });
      expect(outcome.status).toBe(1);
      expect(outcome.stderr).toContain('--yes');
      expect(p.read('a.txt')).toBe('b\n');
    }
  });
});

describe('62 · warnings', () => {
  it('a file that is not covered is reported only while it exists', () => {
    const p = project();
    p.write('a.txt', 'a\n');
    const clean = p.ok('checkpoint');
    p.write('large.bin', Buffer.alloc(51 * 1024 * 1024));
    const warned = p.ok('checkpoint', '-m', 'with a large file');
    p.delete('large.bin');
    const cleanAgain = p.ok('checkpoint', '-m', 'without it');
    expect(warned.stdout + warned.stderr).toContain('large.bin');
    for (const outcome of [clean, cleanAgain]) {
      expect(outcome.stdout + outcome.stderr).not.toMatch(/large\.bin|not captured|partial/i);
    }
  });
});

describe('65 · chosen paths', () => {
  it('only the chosen files and folders are restored', () => {
    const p = project();
    for (const name of ['a.txt', 'b.txt', 'src/c.txt', 'src/d/e.txt']) p.write(name, 'one\n');
    const cp = p.checkpoint();
    for (const name of ['a.txt', 'b.txt', 'src/c.txt', 'src/d/e.txt', 'src/new.txt']) p.write(name, 'two\n');
    p.restore(cp, '--', 'b.txt', 'src');
    expect(['a.txt', 'b.txt', 'src/c.txt', 'src/d/e.txt'].map((name) => p.read(name))).toEqual([
      'two\n',
      'one\n',
      'one\n',
      'one\n',
    ]);
    expect(p.has('src/new.txt')).toBe(false);
  });
});

describe('66 · after a commit', () => {
  it('restore and undo work after a restart and after git commit, also when all of it was committed', () => {
    const p = project();
    p.write('a.txt', 'one\n');
    p.commitAll();
    const cp = p.checkpoint();
    p.write('a.txt', 'two\n');
    p.git('commit', '-q', '-am', 'two');
    p.restore(cp);
    expect(p.read('a.txt')).toBe('one\n');
    p.git('commit', '-q', '-am', 'one again');
    p.ok('undo', '--yes');
    expect(p.read('a.txt')).toBe('two\n');
    expect(p.git('log', '--format=%s')).toBe('one again\ntwo\nfirst\n');
  });
});

describe('68 · a restore of many files', () => {
  it('does not block the calling program', { timeout: 3_600_000 }, async () => {
    const w = world(onTestFinished);
    const folder = Buffer.from(w.workspace, 'latin1').toString();
    const count = testEffort({ quick: 2_000, ci: 10_000, long: 100_000 });
    manyFiles(folder, count);
    const savepoint = open({ dir: w.workspace, ports: realPorts(), places: w.places });
    await savepoint.checkpoint();
    const before = workingFiles(folder);
    for (const name of fs.readdirSync(folder)) fs.rmSync(path.join(folder, name), { recursive: true });
    fs.writeFileSync(path.join(folder, 'other.txt'), 'other\n');
    let at = 0;
    const turnedBy = new Map<string, number>();
    const timer = setInterval(() => {
      at += 1;
    }, 1);
    onTestFinished(() => clearInterval(timer));
    savepoint.on('progress', ({ phase }) => turnedBy.set(phase, at));
    const { whole, longest } = await turning(() => savepoint.restore('cp_1', { mode: 'exact' }));
    expect(workingFiles(folder)).toEqual(before);
    expect(longest).toBeLessThan(whole / 3);
    // The event loop turned in each phase.
    const turned = [...turnedBy.values()];
    expect([...turnedBy.keys()]).toEqual(expect.arrayContaining(['stage', 'apply', 'verify']));
    expect(turned.every((value, index) => value > (turned[index - 1] ?? 0))).toBe(true);
  });
});
