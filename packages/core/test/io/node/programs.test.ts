import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DiskPath } from '@savepoint/core';
import { type World, world } from '@savepoint/testkit';
import { test as always, describe, expect, onTestFinished } from 'vitest';
import { nodePrograms } from '../../../src/io/node/programs.ts';
import type { ProgramResult, ProgramRun } from '../../../src/io/programs.ts';

const test = always.skipIf(process.platform === 'win32');

function runner(): { readonly at: World; run(program: Partial<ProgramRun>): Promise<ProgramResult> } {
  const at = world(onTestFinished);
  const env = { PATH: process.env['PATH'] ?? '' };
  return { at, run: (program) => nodePrograms.run({ file: 'sh', args: [], cwd: at.workspace, env, ...program }) };
}

function sh(script: string): Pick<ProgramRun, 'file' | 'args'> {
  return { file: 'sh', args: ['-c', script] };
}

/** Whether a process is alive; a zombie is not. */
function lives(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}

async function pidIn(file: string): Promise<number> {
  for (let tries = 0; tries < 500; tries++) {
    const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
    if (text.endsWith('\n')) return Number(text);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`${file} was never written`);
}

test('returns exit status and both outputs, whatever the status', async () => {
  const { run } = runner();
  expect(await run(sh('echo out; echo err >&2; exit 7'))).toEqual({
    exit: 7,
    signal: null,
    ended: 'exit',
    stdout: Buffer.from('out\n'),
    stderr: Buffer.from('err\n'),
  });
});

test('returns the signal that ended a program', async () => {
  const { run } = runner();
  expect(await run(sh('kill -KILL $$'))).toMatchObject({ exit: null, signal: 'SIGKILL', ended: 'exit' });
});

test('passes exactly the given environment, folder and arguments', async () => {
  const { run, at } = runner();
  process.env['SAVEPOINT_TEST_LEAK'] = 'leaked';
  onTestFinished(() => {
    delete process.env['SAVEPOINT_TEST_LEAK'];
  });
  const reported = 'console.log(JSON.stringify([process.env, process.cwd(), process.argv.slice(1)]))';
  const args = ['-e', reported, '--', '$HOME', 'a b', "'", '"', '\n', '*', 'ü', ''];
  const { stdout } = await run({ file: process.execPath, args, env: { ONLY: 'this' } });
  expect(JSON.parse(stdout.toString())).toEqual([{ ONLY: 'this' }, at.workspace, args.slice(3)]);
});

test('passes input and output bytes unchanged; without input, standard input is empty', async () => {
  const { run } = runner();
  const bytes = Buffer.alloc(5_000_000, Buffer.from([0, 255, 10, 13, 128, 7]));
  const { stdout } = await run({ file: 'cat', input: bytes });
  expect(stdout.equals(bytes)).toBe(true);
  expect(await run({ file: 'cat' })).toMatchObject({ exit: 0, stdout: Buffer.alloc(0) });
});

test('input in parts keeps standard input open until its end', async () => {
  const { run } = runner();
  let isOpen = true;
  async function* parts(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('one ');
    await new Promise((resolve) => setTimeout(resolve, 200));
    isOpen = false;
    yield Buffer.from('two');
  }
  const { stdout } = await run({ file: 'cat', input: parts() });
  expect([stdout.toString(), isOpen]).toEqual(['one two', false]);
  expect(await run({ ...sh('exit 4'), input: parts() })).toMatchObject({ exit: 4, ended: 'exit' });
});

test('a program that does not read its input is not a failure', async () => {
  const { run } = runner();
  expect(await run({ ...sh('exit 3'), input: Buffer.alloc(4_000_000) })).toMatchObject({ exit: 3, ended: 'exit' });
});

describe('a program that cannot be started', () => {
  test('is a failure that names it', async () => {
    const { run } = runner();
    await expect(run({ file: 'no-such-program' })).rejects.toMatchObject({
      code: 'IO',
      data: { operation: 'run', code: 'ENOENT', path: 'no-such-program' },
    });
  });

  test('is searched in the given PATH', async () => {
    const { run } = runner();
    await expect(run({ file: 'cat', env: { PATH: '/nowhere' } })).rejects.toMatchObject({ data: { code: 'ENOENT' } });
  });

  test('because the folder is missing: the failure names the folder', async () => {
    const { run, at } = runner();
    const cwd = `${at.folder}/gone` as DiskPath;
    await expect(run({ cwd })).rejects.toMatchObject({ code: 'IO', data: { code: 'ENOENT', path: cwd } });
    const latin1 = `${at.folder}/\xff` as DiskPath;
    await expect(run({ cwd: latin1 })).rejects.toMatchObject({ code: 'IO', data: { code: 'EILSEQ' } });
  });

  test('because it is not a program', async () => {
    const { run, at } = runner();
    writeFileSync(join(at.folder, 'text'), 'x', { mode: 0o644 });
    await expect(run({ file: join(at.folder, 'text') })).rejects.toMatchObject({
      code: 'IO',
      data: { code: 'EACCES' },
    });
  });

  test('because an argument contains a NUL', async () => {
    const { run } = runner();
    await expect(run({ args: ['a\0b'] })).rejects.toMatchObject({ code: 'IO', data: { code: 'EINVAL' } });
  });
});

describe('ending a program also ends everything that it started', () => {
  /** A grandchild that keeps the outputs open and reports its id. */
  const grandchild = (deaf: string, flood: string): string =>
    `${deaf} sh -c '${deaf.replaceAll("'", '"')} echo begun; echo $$ > pid; while :; do ${flood}; done' & wait`;

  test.each([
    ['timeout', '', 'sleep 0.05'],
    ['aborted', "trap '' TERM;", 'sleep 0.05'],
    ['too-much', '', 'echo much'],
  ] as const)('%s', async (why, deaf, loop) => {
    const { run, at } = runner();
    const controller = new AbortController();
    const done = run({
      ...sh(grandchild(deaf, loop)),
      ...(why === 'timeout' ? { timeoutMs: 700 } : {}),
      ...(why === 'too-much' ? { maxBytes: 10_000 } : {}),
      signal: controller.signal,
    });
    const pid = await pidIn(join(at.workspace, 'pid'));
    if (why === 'aborted') controller.abort();
    const result = await done;
    expect(result).toMatchObject({ exit: null, signal: deaf === '' ? 'SIGTERM' : 'SIGKILL', ended: why });
    expect(result.stdout.toString()).toMatch(/^begun\n/);
    if (why === 'too-much') expect(result.stdout.length + result.stderr.length).toBe(10_000);
    expect(lives(pid)).toBe(false);
  });

  test('a program that handles SIGTERM has time to exit', async () => {
    const { run } = runner();
    const result = await run({
      ...sh(`trap 'echo tidied; exit 5' TERM; while :; do sleep 0.02; done`),
      timeoutMs: 300,
    });
    expect(result).toMatchObject({ exit: 5, signal: null, ended: 'timeout', stdout: Buffer.from('tidied\n') });
  });

  test('an orphan that ignores SIGTERM is ended as well', async () => {
    const { run, at } = runner();
    const file = join(at.workspace, 'pid');
    const done = run({
      ...sh(
        `sh -c 'trap "" TERM; echo $$ > pid; while :; do sleep 0.05; done' > /dev/null 2>&1 < /dev/null & sleep 60`,
      ),
      timeoutMs: 700,
    });
    const pid = await pidIn(file);
    expect(await done).toMatchObject({ ended: 'timeout', signal: 'SIGTERM' });
    expect(lives(pid)).toBe(false);
  });

  test('aborted before the start: it never starts', async () => {
    const { run, at } = runner();
    const result = await run({ ...sh('echo > begun'), signal: AbortSignal.abort() });
    expect(result).toMatchObject({ exit: null, signal: null, ended: 'aborted' });
    expect(existsSync(join(at.workspace, 'begun'))).toBe(false);
  });
});

test('background processes of a program that exits by itself are left alone', async () => {
  const { run, at } = runner();
  const file = join(at.workspace, 'pid');
  const result = await run(sh(`sh -c 'echo $$ > pid; exec sleep 60' > /dev/null 2>&1 < /dev/null & exit 0`));
  expect(result).toMatchObject({ exit: 0, ended: 'exit' });
  const pid = await pidIn(file);
  onTestFinished(() => {
    process.kill(pid, 'SIGKILL');
  });
  expect(lives(pid)).toBe(true);
});
