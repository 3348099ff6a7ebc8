import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { open } from '@savepoint/core';
import { realPorts, testEffort, world } from '@savepoint/testkit';
import { bytesBelow, MiB, type Project, project, watchCalls, workingFiles } from '@savepoint/testkit/command';
import { describe, expect, it, onTestFinished } from 'vitest';
import { manyFiles, turning } from './turns.ts';

/** The paths that a checkpoint opened and listed below the project, as [function, path] pairs. */
function calls(p: Project, args: readonly string[], functions: readonly string[]): [string, string][] {
  const record = path.join(p.base, 'record');
  fs.rmSync(record, { force: true });
  const outcome = p.run(args, watchCalls({ below: p.dir, calls: functions, record }));
  expect(outcome.status).toBe(0);
  const text = fs.existsSync(record) ? fs.readFileSync(record, 'utf8').trim() : '';
  return text === '' ? [] : text.split('\n').map((line) => JSON.parse(line) as [string, string]);
}

interface Taken {
  readonly id: string;
  readonly time: string;
  readonly trigger: string;
}

/** Checkpoints at prompts, newest first. */
function prompts(p: Project): readonly Taken[] {
  const { checkpoints } = JSON.parse(p.ok('list', '--all', '--json').stdout) as { checkpoints: readonly Taken[] };
  return checkpoints.filter(({ trigger }) => trigger === 'prompt');
}

describe('41 · very many files', () => {
  it('prompts are answered before anything is captured, and the state is recorded afterwards', {
    timeout: 3_600_000,
  }, async () => {
    const p = project();
    const count = testEffort({ quick: 2_000, ci: 10_000, long: 500_000 });
    manyFiles(p.dir, count);
    fs.mkdirSync(p.store, { mode: 0o700 });
    fs.writeFileSync(path.join(p.store, 'config.json'), '{ "hooks": { "budget_ms": 50 } }');
    const prompt = (text: string): number => {
      const event = { session_id: 's', cwd: p.dir, permission_mode: 'default', hook_event_name: 'UserPromptSubmit' };
      const answer = p.run(['hook', 'claude'], { input: JSON.stringify({ ...event, prompt: text }) });
      expect([answer.status, answer.stdout, answer.stderr]).toEqual([0, '', '']);
      return Date.now();
    };
    const answered = [prompt('Go.'), prompt('Go on.')];
    const taken = await expect
      .poll(() => prompts(p), { timeout: 3_600_000, interval: 200 })
      .toHaveLength(2)
      .then(() => prompts(p));
    const times = taken.map(({ time }) => Date.parse(time)).reverse();
    expect(times.filter((time, index) => time <= (answered[index] ?? 0))).toEqual([]);
    const before = workingFiles(p.dir);
    fs.rmSync(p.at('0/7'), { recursive: true });
    p.restore(taken[0]?.id ?? '');
    expect(workingFiles(p.dir)).toEqual(before);
  });
});

describe('42 · listing a million paths', () => {
  const count = testEffort({ quick: 8_000, ci: 50_000, long: 1_000_000 });

  it('does not block the process, and can be cancelled', { timeout: 3_600_000 }, async () => {
    const w = world(onTestFinished);
    manyFiles(Buffer.from(w.workspace, 'latin1').toString(), count);
    const savepoint = open({ dir: w.workspace, ports: realPorts(), places: w.places });
    const first = await turning(() => savepoint.checkpoint());
    expect(first.result.scan.counts.files).toBe(count);
    expect(first.turns).toBeGreaterThan(20);
    expect(first.longest).toBeLessThan(first.whole / 3);
    const again = await turning(() => savepoint.status());
    expect(again.result.scan?.counts.files).toBe(count);
    expect(again.turns).toBeGreaterThan(3);
    expect(again.longest).toBeLessThan(again.whole / 2);

    const stop = new AbortController();
    let seen = 0;
    savepoint.on('progress', ({ phase, done }) => {
      if (phase === 'scan') seen = Math.max(seen, done);
      stop.abort();
    });
    await expect(savepoint.checkpoint({ signal: stop.signal })).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(seen).toBeGreaterThan(0);
    expect(seen).toBeLessThan(count / 2);
    expect((await savepoint.list()).checkpoints).toHaveLength(1);
  });
});

describe('43 · no project at all', () => {
  it('/ and a home folder are refused before they are listed', () => {
    const p = project();
    fs.writeFileSync(path.join(p.home, 'letter.txt'), 'l');
    for (const folder of ['/', p.home]) {
      const record = path.join(p.base, 'record');
      const outcome = p.run(
        ['-C', folder, 'checkpoint', '--json'],
        watchCalls({ below: p.home, calls: ['readdirSync', 'opendirSync'], record }),
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
    // Until then the file is too young: a change in the same tick would be invisible, so it is read once more.
    await sleep(2500);
    p.checkpoint();
    p.write('small.txt', 'changed\n');
    const opened = calls(p, ['checkpoint'], ['openSync']).map(([, file]) => path.basename(file));
    expect(opened).toContain('small.txt');
    expect(opened).not.toContain('large.bin');
  });

  it('files over the cap are never opened', () => {
    const p = project();
    p.write('a.txt', 'a\n');
    fs.writeFileSync(p.at('huge.bin'), '');
    fs.truncateSync(p.at('huge.bin'), 8 * 1024 ** 3);
    const opened = calls(p, ['checkpoint'], ['openSync']).map(([, file]) => path.basename(file));
    expect(opened).toContain('a.txt');
    expect(opened).not.toContain('huge.bin');
  });
});

describe('45 · folders of media and data sets', () => {
  it('a folder that exceeds the limit of the store is not read completely, nothing is stored, and the rest is captured once it is excluded', () => {
    const p = project();
    fs.mkdirSync(p.store, { mode: 0o700 });
    const configure = (more: object): void =>
      fs.writeFileSync(path.join(p.store, 'config.json'), JSON.stringify({ max_store_mb: 4, ...more }));
    configure({});
    p.write('a.txt', 'a\n');
    for (let n = 10; n < 70; n++) p.write(`media/${n}.jpg`, randomBytes(MiB / 2));
    const before = workingFiles(p.dir);
    const record = path.join(p.base, 'record');
    const refused = p.run(['checkpoint'], watchCalls({ below: p.dir, calls: ['openSync'], record }));
    expect([refused.status, refused.stderr]).toEqual([
      1,
      expect.stringMatching(/exceeds 4 MB.*max_store_mb.*exclude/s),
    ]);
    const opened = new Set(fs.readFileSync(record, 'utf8').match(/\d\d\.jpg/g));
    expect(opened.size).toBeGreaterThan(5);
    // Data that another thread is compressing counts only when it is done: up to 3 MiB.
    expect(opened.size).toBeLessThan(20);
    expect(bytesBelow(p.store)).toBeLessThan(MiB);
    expect(workingFiles(p.dir)).toEqual(before);
    configure({ exclude: ['media'] });
    const cp = p.checkpoint();
    p.write('a.txt', 'changed\n');
    p.restore(cp);
    expect(workingFiles(p.dir)).toEqual(before);
  });

  it('large files that an ignore rule covers are not opened', () => {
    const p = project();
    p.write('.gitignore', 'data\n');
    p.write('data/notes.txt', 'n\n');
    for (let n = 0; n < 5; n++) p.write(`data/${n}.parquet`, Buffer.alloc(2 * MiB, n));
    const opened = calls(p, ['checkpoint'], ['openSync']).map(([, file]) => path.basename(file));
    expect(opened).toContain('notes.txt');
    expect(opened.filter((name) => name.endsWith('.parquet'))).toEqual([]);
  });
});

describe('46 · dependency folders', () => {
  it('are never listed, and every other folder is listed once', () => {
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

describe('47 · interrupted', () => {
  it.each(['SIGTERM', 'SIGINT', 'SIGKILL'] as const)(
    '%s during a checkpoint leaves no partial state',
    async (signal) => {
      const p = project();
      for (let i = 0; i < 400; i++) p.write(`d${i % 10}/f${i}.txt`, `${i}\n`.repeat(500));
      const before = workingFiles(p.dir);
      const running = p.start(['checkpoint']);
      // Stop it once it has started to write its store.
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
