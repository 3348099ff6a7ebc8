import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { testEffort } from '@savepoint/testkit';
import { bytesBelow, MiB, project, watchCalls, workingFiles } from '@savepoint/testkit/command';
import { describe, expect, it } from 'vitest';

describe('49 · debris', () => {
  it('a checkpoint killed again and again does not make the store grow', () => {
    const p = project();
    p.write('small.txt', 's\n');
    p.checkpoint();
    p.write('large.bin', randomBytes(2 * MiB));
    for (let nth = 1; nth <= 6; nth++) {
      const outcome = p.run(
        ['checkpoint'],
        watchCalls({
          below: p.store,
          calls: ['renameSync', 'linkSync', 'fsyncSync'],
          nth,
          action: { kill: true },
        }),
      );
      if (outcome.signal === null) break;
    }
    p.checkpoint();
    p.ok('gc', '--yes');
    expect(bytesBelow(p.store)).toBeLessThan(3 * MiB);
    p.ok('verify', '--deep');
    expect(fs.readdirSync(p.dir).sort()).toEqual(['large.bin', 'small.txt']);
  });
});

describe('50 · clean-up', () => {
  it('needs at most 128 MB of extra space, although nearly all of a larger store is rewritten', {
    timeout: 3_600_000,
  }, async () => {
    const p = project();
    // Each checkpoint's pack must lose a tenth of its objects, so that every pack is rewritten.
    const large = testEffort({ quick: 8, ci: 15, long: 60 });
    for (let at = 0; at < large; at++) {
      for (let part = 0; part < 4; part++) p.write(`stays/${at}-${part}.bin`, randomBytes(5 * MiB));
      p.write('goes.bin', randomBytes(2 * MiB));
      p.checkpoint();
    }
    fs.writeFileSync(path.join(p.store, 'config.json'), '{ "max_checkpoints": 1, "keep_at_least": 1 }');
    const before = bytesBelow(p.store);
    let most = before;
    let looks = 0;
    const gc = p.start(['gc', '--yes']);
    const done = gc.done.then((outcome) => ({ outcome }));
    for (let ended = null; ended === null; looks++) {
      ended = await Promise.race([done, sleep(1, null)]);
      most = Math.max(most, bytesBelow(p.store));
    }
    expect((await done).outcome.status).toBe(0);
    expect(looks).toBeGreaterThan(20);
    const after = bytesBelow(p.store);
    // It was rewritten, and not in place; otherwise nothing was tested.
    expect(after).toBeLessThan(before - (large - 4) * 2 * MiB);
    expect(most).toBeGreaterThan(before);
    expect(most - before).toBeLessThan(128 * MiB);
    p.ok('verify', '--deep');
  });
});

describe('51 · shared storage', () => {
  it('the same content is stored once, however many files and checkpoints hold it', () => {
    const p = project();
    const content = randomBytes(2 * MiB);
    p.write('a.bin', content);
    p.checkpoint();
    const once = bytesBelow(p.store);
    p.write('copy/b.bin', content);
    p.write('copy/c.bin', content);
    p.checkpoint();
    p.delete('a.bin');
    p.checkpoint();
    p.write('note.txt', 'n\n');
    p.checkpoint();
    expect(once).toBeGreaterThan(2 * MiB);
    expect(bytesBelow(p.store) - once).toBeLessThan(MiB / 4);
  });
});

describe('53 · a project that is temporarily missing', () => {
  it('keeps its checkpoints during clean-up, and can be restored when it is back', () => {
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

  it('every working file survives rm -rf of the project, whether the folder is missing or recreated', () => {
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
