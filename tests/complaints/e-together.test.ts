import fs from 'node:fs';
import { explain, git, project, watchCalls, workingFiles } from '@savepoint/testkit/command';
import { describe, expect, it } from 'vitest';

describe('55 · several processes', () => {
  it('eight checkpoints at once: all succeed, each with its own id', async () => {
    const p = project();
    for (let i = 0; i < 50; i++) p.write(`f${i}.txt`, `${i}\n`);
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, (_, i) => {
        p.write(`mine${i}.txt`, `${i}\n`);
        return p.start(['checkpoint', '-m', `number ${i}`]).done;
      }),
    );
    for (const outcome of outcomes) expect(outcome.status, explain(['checkpoint'], outcome)).toBe(0);
    const ids = outcomes.map((outcome) => /cp_\d+/.exec(outcome.stdout)?.[0]);
    expect(new Set(ids).size).toBe(8);
    p.ok('verify', '--deep');
  });

  it('a checkpoint, a restore and an undo at once: one after the other, as if alone', async () => {
    const p = project();
    p.write('a.txt', 'one\n');
    p.write('b.txt', 'one\n');
    const cp = p.checkpoint();
    p.write('a.txt', 'two\n');
    p.write('b.txt', 'two\n');
    const outcomes = await Promise.all(
      [['checkpoint'], ['restore', cp, '--yes'], ['undo', '--yes'], ['restore', cp, '--yes']].map(
        (args) => p.start(args).done,
      ),
    );
    for (const outcome of outcomes) expect([0, 1, 3], explain([], outcome)).toContain(outcome.status);
    expect(p.read('a.txt')).toBe(p.read('b.txt'));
    p.ok('verify', '--deep');
  });
});

describe('58 · your own git at the same time', () => {
  it('neither waits for Savepoint nor stops it', async () => {
    const p = project();
    p.write('a.txt', '0\n');
    p.commitAll();
    p.checkpoint();
    let commits = 0;
    let running = true;
    const committing = (async () => {
      while (running) {
        p.write('mine.txt', `${commits}\n`);
        git(p.dir, 'add', 'mine.txt');
        git(p.dir, 'commit', '-q', '-m', `${commits}`);
        commits++;
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    })();
    for (let i = 0; i < 6; i++) {
      p.write('a.txt', `${i}\n`);
      const taken = await p.start(['checkpoint']).done;
      expect(taken.status, explain(['checkpoint'], taken)).toBe(0);
      p.write('a.txt', 'by the agent\n');
      const args = ['restore', 'last', '--yes', '--', 'a.txt'];
      const restored = await p.start(args).done;
      expect(restored.status, explain(args, restored)).toBe(0);
      expect(p.read('a.txt')).toBe(`${i}\n`);
    }
    running = false;
    await committing;
    expect(commits).toBeGreaterThan(5);
    expect(p.git('rev-list', '--count', 'HEAD').trim()).toBe(String(commits + 1));
    expect(p.git('fsck', '--strict')).toBe('');
  });

  it('a lock file of git does not matter', () => {
    const p = project();
    p.write('a.txt', 'a\n');
    p.commitAll();
    fs.writeFileSync(p.at('.git/index.lock'), '');
    const cp = p.checkpoint();
    p.write('a.txt', 'b\n');
    p.restore(cp);
    expect(p.read('a.txt')).toBe('a\n');
    expect(fs.readFileSync(p.at('.git/index.lock'), 'utf8')).toBe('');
  });
});

describe('59 · files that are being written', () => {
  it('a save during the restore is a conflict, and is not lost', () => {
    const p = project();
    p.write('a.txt', 'one\n');
    p.write('b.txt', 'one\n');
    const cp = p.checkpoint();
    p.write('a.txt', 'two\n');
    p.write('b.txt', 'two\n');
    const before = workingFiles(p.dir);
    let conflicts = 0;
    for (let nth = 1; nth <= 4; nth++) {
      const save = { file: p.at('b.txt'), text: 'saved by an editor\n' };
      const outcome = p.run(
        ['restore', cp, '--yes'],
        watchCalls({ below: p.dir, calls: ['renameSync', 'linkSync'], nth, action: { save } }),
      );
      const now = [p.read('a.txt'), p.read('b.txt')];
      if (outcome.status === 3) {
        conflicts++;
        expect(outcome.stderr).toContain('b.txt');
        expect(now).toEqual(['two\n', 'saved by an editor\n']);
      } else {
        // The editor saved before the restore read the old file, or after the restore had finished with it.
        expect(outcome.status, explain(['restore'], outcome)).toBe(0);
        if (now[1] !== 'saved by an editor\n') {
          expect(now).toEqual(['one\n', 'one\n']);
          p.ok('undo', '--yes');
          expect(p.read('b.txt')).toBe('saved by an editor\n');
        }
      }
      p.write('a.txt', 'two\n');
      p.write('b.txt', 'two\n');
      expect(workingFiles(p.dir)).toEqual(before);
    }
    expect(conflicts).toBeGreaterThan(0);
  });
});
