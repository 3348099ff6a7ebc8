import { execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { main, type Project, project } from '@savepoint/testkit/command';
import { describe, expect, it, onTestFinished } from 'vitest';
import { onTerminal } from './pseudo-terminal.ts';

/** Files and standard input that a command reads may be pipes, whose writers may never write. */

const SIGHUP_BIT = 1n;
const EDIT = JSON.stringify({ files: [{ file_path: 'a.txt', edits: [{ old_string: 'mine', new_string: 'new' }] }] });

/** An undo of it has a conflict in a.txt. */
function withConflict(): Project {
  const p = project();
  p.write('a.txt', 'one\n');
  p.checkpoint();
  p.write('a.txt', 'two\n');
  p.ok('restore', 'cp_1', '--yes');
  p.write('a.txt', 'mine\n');
  execFileSync('mkfifo', [p.at('../pipe')]);
  return p;
}

/** Whether the process handles SIGHUP itself. It does so with SIGINT and SIGTERM as well, but these node handles from its start. */
function handlesSignals(pid: number): boolean {
  const [, caught] = /^SigCgt:\s+([0-9a-f]+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return (BigInt(`0x${caught}`) & SIGHUP_BIT) !== 0n;
}

describe('a signal ends the wait for', () => {
  it.each([
    ['a resolution', ['undo', '--resolution', 'a.txt=../pipe']],
    ['a request', ['edit', '../pipe']],
    ['standard input', ['edit']],
  ])(
    '%s that nothing writes',
    async (_, args) => {
      const p = withConflict();
      const child = spawn(process.execPath, [main, ...args], { cwd: p.dir, env: p.environment(), stdio: 'pipe' });
      let stderr = '';
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        stderr += text;
      });
      const ended = new Promise<readonly unknown[]>((resolve) => child.on('close', (...status) => resolve(status)));
      onTestFinished(() => void child.kill('SIGKILL'));
      await expect.poll(() => handlesSignals(child.pid ?? 0), { timeout: 30_000, interval: 20 }).toBe(true);
      process.kill(child.pid ?? 0, 'SIGHUP');
      expect([await ended, stderr]).toEqual([[129, null], expect.stringContaining('Cancelled')]);
      expect(p.read('a.txt')).toBe('mine\n');
    },
    60_000,
  );
});

describe('a signal ends a question at once', () => {
  it.each([
    ['SIGTERM', 143],
    ['SIGHUP', 129],
    ['SIGINT', 130],
  ] as const)('%s', async (signal, expected) => {
    const p = withConflict();
    let pid = 0;
    const { status, screen } = await onTerminal(p, ['restore', 'cp_1'], {
      started: (started) => {
        pid = started;
      },
      typed: [[/\[y\/N\] /, '']],
      meanwhile: () => process.kill(pid, signal),
    });
    expect([status, screen]).toEqual([expected, expect.stringContaining('Cancelled.')]);
    expect(p.read('a.txt')).toBe('mine\n');
  });

  it('and a copy that it is about is kept', async () => {
    const p = withConflict();
    let pid = 0;
    const { screen } = await onTerminal(p, ['try', '--', 'sh', '-c', 'echo tried > a.txt'], {
      started: (started) => {
        pid = started;
      },
      typed: [[/What to do with these changes\?/, '']],
      meanwhile: () => process.kill(pid, 'SIGTERM'),
    });
    expect(screen).toMatch(/try --continue/);
    expect(p.read('a.txt')).toBe('mine\n');
  });
});

describe('a pipe is read to its end', () => {
  const bash = (p: Project, script: string): string =>
    execFileSync('bash', ['-ec', script, process.execPath, main], {
      cwd: p.dir,
      env: p.environment(),
      encoding: 'utf8',
      timeout: 60_000,
    });

  it.each([
    ['a command', 'exec "$0" "$1" undo --resolution a.txt=<(echo merged)', 'merged\n'],
    ['a slow command', 'exec "$0" "$1" undo --resolution a.txt=<(sleep 0.1; echo a; sleep 0.1; echo b)', 'a\nb\n'],
    ['a command without output', 'exec "$0" "$1" undo --resolution a.txt=<(true)', ''],
    ['a named pipe', '(sleep 0.1; echo merged >../pipe) & "$0" "$1" undo --resolution a.txt=../pipe; wait', 'merged\n'],
    ['standard input by its path', 'echo merged | "$0" "$1" undo --resolution a.txt=/dev/stdin', 'merged\n'],
  ])('%s', (_, script, content) => {
    const p = withConflict();
    bash(p, script);
    expect(p.read('a.txt')).toBe(content);
  });

  it('standard input with a request, also a slow one', () => {
    const p = withConflict();
    p.write('../request.json', EDIT);
    bash(p, '(sleep 0.1; cat ../request.json) | "$0" "$1" edit');
    expect(p.read('a.txt')).toBe('new\n');
  });
});
