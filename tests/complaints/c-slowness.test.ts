import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type Project, project, watching, workingFiles } from './project.ts';

/** What a checkpoint opened and listed below the project, as [function, path] pairs. */
function calls(p: Project, args: readonly string[], functions: readonly string[]): [string, string][] {
  const record = path.join(p.base, 'record');
  fs.rmSync(record, { force: true });
  const outcome = p.run(args, watching({ below: p.dir, calls: functions, record }));
  expect(outcome.status).toBe(0);
  const text = fs.existsSync(record) ? fs.readFileSync(record, 'utf8').trim() : '';
  return text === '' ? [] : text.split('\n').map((line) => JSON.parse(line) as [string, string]);
}

describe('43 · no project at all', () => {
  it('/ and a home folder are refused before anything in them is listed', () => {
    const p = project();
    fs.writeFileSync(path.join(p.home, 'letter.txt'), 'l');
    for (const folder of ['/', p.home]) {
      const record = path.join(p.base, 'record');
      const outcome = p.run(
        ['-C', folder, 'checkpoint', '--json'],
        watching({ below: p.home, calls: ['readdirSync', 'opendirSync'], record }),
      );
      expect(outcome.status).toBe(1);
      expect(`${outcome.stdout}${outcome.stderr}`).toContain('ROOT_REFUSED');
      expect(fs.existsSync(record)).toBe(false);
    }
  });
});

describe('44 · large files that did not change', () => {
  it('are not opened by the next checkpoint', async () => {
    const p = project();
    p.write('large.bin', Buffer.alloc(8 * 1024 * 1024, 7));
    p.write('small.txt', 's\n');
    // A file so young that a change in the same tick could not be seen is read once more.
    await sleep(2500);
    p.checkpoint();
    p.write('small.txt', 'changed\n');
    const opened = calls(p, ['checkpoint'], ['openSync']).map(([, file]) => path.basename(file));
    expect(opened).toContain('small.txt');
    expect(opened).not.toContain('large.bin');
  });

  it('nor are files over the cap, ever', () => {
    const p = project();
    p.write('a.txt', 'a\n');
    fs.writeFileSync(p.at('huge.bin'), '');
    fs.truncateSync(p.at('huge.bin'), 8 * 1024 ** 3);
    const opened = calls(p, ['checkpoint'], ['openSync']).map(([, file]) => path.basename(file));
    expect(opened).toContain('a.txt');
    expect(opened).not.toContain('huge.bin');
  });
});

describe('46 · dependency folders', () => {
  it('are never listed, and each other folder once', () => {
    const p = project();
    p.write('node_modules/m/index.js', 'm\n');
    p.write('packages/a/node_modules/n/index.js', 'n\n');
    p.write('packages/a/src/a.ts', 'a\n');
    const listed = calls(p, ['checkpoint'], ['readdirSync', 'opendirSync']).map(([, folder]) =>
      path.relative(p.dir, folder),
    );
    expect(listed.filter((folder) => folder.split('/').includes('node_modules'))).toEqual([]);
    expect(listed).toContain('packages/a/src');
    expect(new Set(listed).size).toBe(listed.length);
  });
});

describe('47 · stopped in the middle', () => {
  it.each(['SIGTERM', 'SIGINT', 'SIGKILL'] as const)(
    '%s during a checkpoint leaves nothing half made',
    async (signal) => {
      const p = project();
      for (let i = 0; i < 400; i++) p.write(`d${i % 10}/f${i}.txt`, `${i}\n`.repeat(500));
      const before = workingFiles(p.dir);
      const running = p.start(['checkpoint']);
      // Stop it once it has begun to write its store.
      while (!fs.existsSync(p.store)) await sleep(1);
      process.kill(running.pid, signal);
      const outcome = await running.done;
      expect(outcome.status === 0 && outcome.signal === null).toBe(false);
      expect(workingFiles(p.dir)).toEqual(before);
      const cp = p.checkpoint();
      p.delete('d3');
      p.restore(cp);
      expect(workingFiles(p.dir)).toEqual(before);
      p.ok('verify', '--deep');
    },
  );
});
