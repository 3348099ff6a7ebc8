import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { type Project, project, workingFiles } from '@savepoint/testkit/command';
import { describe, expect, it } from 'vitest';
import { onTerminal } from './pseudo-terminal.ts';

function changed(): Project {
  const p = project();
  p.write('a.txt', 'one\n');
  p.write('b.txt', 'b\n');
  p.checkpoint();
  p.write('a.txt', 'two\n');
  p.delete('b.txt');
  return p;
}

const ESCAPE = /\x1b\[[0-9;]*m/;

describe('restore at a terminal', () => {
  it('shows every path and asks; y restores', async () => {
    const p = changed();
    const { status, screen } = await onTerminal(p, ['restore', 'cp_1'], { typed: [[/\[y\/N\] /, 'y\r']] });
    expect(status).toBe(0);
    expect(screen).toContain('change');
    for (const name of ['a.txt', 'b.txt']) expect(screen.slice(0, screen.indexOf('[y/N]'))).toContain(name);
    expect(screen).toContain('Restored cp_1');
    expect(p.read('a.txt')).toBe('one\n');
    expect(p.read('b.txt')).toBe('b\n');
  });

  it.each([
    ['n', 'n\r', 1],
    ['Enter alone', '\r', 1],
    ['anything else', 'maybe\r', 1],
    ['the end of the input', '\x04', 1],
    ['Ctrl-C', '\x03', 1],
  ])('%s changes nothing', async (_what, keys, wanted) => {
    const p = changed();
    const before = workingFiles(p.dir);
    const { status, screen } = await onTerminal(p, ['restore', 'cp_1'], { typed: [[/\[y\/N\] /, keys]] });
    expect(status, screen).toBe(wanted);
    expect(screen).toMatch(/error/);
    expect(workingFiles(p.dir)).toEqual(before);
    expect(p.ok('list').stdout.match(/^cp_\d+/gm)).toEqual(['cp_1']);
  });

  it('applies only what was shown: a file that changes during the question is a conflict', async () => {
    const p = changed();
    const { status } = await onTerminal(p, ['restore', 'cp_1'], {
      typed: [[/\[y\/N\] /, 'y\r']],
      meanwhile: () => p.write('a.txt', 'three\n'),
    });
    expect(status).toBe(3);
    expect(p.read('a.txt')).toBe('three\n');
    expect(p.has('b.txt')).toBe(false);
  });

  it('does not ask with --yes, when nothing would change, and never for undo and redo', async () => {
    const p = changed();
    for (const args of [['restore', 'cp_1', '--yes'], ['restore', 'cp_1'], ['undo'], ['redo']]) {
      const { status, screen } = await onTerminal(p, args);
      expect(status, screen).toBe(0);
      expect(screen).not.toContain('[y/N]');
    }
  });

  it('asks nothing with --json', async () => {
    const p = changed();
    const { status, screen } = await onTerminal(p, ['restore', 'cp_1', '--json']);
    expect(status).toBe(1);
    expect(screen).toContain('NEEDS_CONFIRMATION');
  });
});

describe('colours', () => {
  it('are shown at a terminal, and not with NO_COLOR, a dumb terminal or a pipe', async () => {
    const p = changed();
    expect((await onTerminal(p, ['list'])).screen).toMatch(ESCAPE);
    expect((await onTerminal(p, ['diff', '--patch'])).screen).toMatch(ESCAPE);
    expect((await onTerminal(p, ['show', 'cp_9'])).screen).toMatch(ESCAPE);
    for (const env of [{ NO_COLOR: '1' }, { TERM: 'dumb' }]) {
      for (const args of [['list'], ['status'], ['diff', '--patch'], ['show', 'cp_9'], ['list', '--json']]) {
        expect((await onTerminal(p, args, { env })).screen, args.join(' ')).not.toMatch(ESCAPE);
      }
    }
    expect(p.ok('list').stdout).not.toMatch(ESCAPE);
    expect((await onTerminal(p, ['list'], { env: { NO_COLOR: '' } })).screen).toMatch(ESCAPE);
  });
});

describe('output to a terminal', () => {
  it('contains no control characters of files, in names, messages and patches', async () => {
    const p = project();
    p.write('plain.txt', 'plain\n');
    p.checkpoint();
    p.write('\x1b[2J\x1b]0;evil\x07.txt', '\x1b[2J\x1b]0;evil\x07 \u009b31m \u202e and\rover\n');
    p.ok('checkpoint', '-m', '\x1b]0;evil\x07');
    const env = { NO_COLOR: '1' };
    for (const args of [
      ['diff', 'cp_1', '--patch'],
      ['diff', 'cp_1', '--stat'],
      ['show', 'last'],
      ['list'],
      ['status'],
    ]) {
      const { screen } = await onTerminal(p, args, { env });
      expect(screen.replaceAll('\r\n', '\n'), args.join(' ')).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]/);
    }
  });

  it('is not wider than the terminal', async () => {
    const p = project();
    p.write('a.txt', '');
    p.checkpoint();
    p.write(`${'deep/'.repeat(20)}${'long'.repeat(10)}.txt`, 'line\n'.repeat(500));
    for (const columns of [40, 80]) {
      const { screen } = await onTerminal(p, ['diff', '--stat'], { columns, env: { NO_COLOR: '1' } });
      for (const line of screen.split(/\r?\n/)) expect([...line].length).toBeLessThanOrEqual(columns);
    }
  });

  it('JSON is indented there, and one line in a pipe', async () => {
    const p = changed();
    expect((await onTerminal(p, ['status', '--json'])).screen).toMatch(/^\{\r?\n {2}"workspace"/);
    expect(p.ok('status', '--json').stdout.trim().split('\n')).toHaveLength(1);
  });
});

/** Stops a process as soon as it holds the project's lock. */
async function stopAtWork(p: Project, pid: number): Promise<void> {
  const stores = path.join(p.store, 'workspaces');
  const isLocked = (id: string): boolean => {
    const folder = path.join(stores, id, 'lock');
    return existsSync(folder) && readdirSync(folder).length > 0;
  };
  while (!existsSync(stores) || !readdirSync(stores).some(isLocked)) await pause(2);
  process.kill(pid, 'SIGSTOP');
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function manyFiles(): Project {
  const p = project();
  for (let i = 0; i < 3000; i++) p.write(`dir${i % 50}/file${i}.txt`, `${i}\n`.repeat(50));
  return p;
}

describe('Ctrl-C', () => {
  it('before the commit point stops the command, with 130 and nothing changed', async () => {
    const p = manyFiles();
    const first = p.start(['checkpoint']);
    await stopAtWork(p, first.pid);
    process.kill(first.pid, 'SIGINT');
    process.kill(first.pid, 'SIGCONT');
    const outcome = await first.done;
    expect(outcome.status, outcome.stderr).toBe(130);
    expect(outcome.stdout).toBe('');
    expect(outcome.stderr).toMatch(/cancelled/i);
    expect(p.run(['show', 'last']).status).toBe(1);
    expect(p.run(['checkpoint']).status).toBe(0);
  });
});

describe('long work', () => {
  it('shows progress on a terminal, and clears the line', async () => {
    const p = manyFiles();
    let stopped: Promise<void> | null = null;
    const { status, screen } = await onTerminal(p, ['checkpoint'], {
      // It is stopped for more than a second, and then reports progress.
      started: (pid) => {
        stopped = stopAtWork(p, pid)
          .then(() => pause(1200))
          .then(() => void process.kill(pid, 'SIGCONT'));
      },
    });
    await stopped;
    expect(status).toBe(0);
    expect(screen).toMatch(/\r\x1b\[K(?:scanning files|reading|preparing files): [\d,]+/);
    expect(screen.slice(screen.lastIndexOf('\x1b[K'))).toMatch(/cp_1/);
  });

  it('names the process that it waits for', async () => {
    const p = manyFiles();
    const first = p.start(['checkpoint']);
    await stopAtWork(p, first.pid);
    const second = p.start(['checkpoint']);
    await pause(1500);
    process.kill(first.pid, 'SIGCONT');
    const [one, two] = await Promise.all([first.done, second.done]);
    expect([one.status, two.status], two.stderr).toEqual([0, 0]);
    expect(two.stderr).toContain(`pid ${first.pid}`);
  });

  it('is quiet in a pipe', () => {
    const p = changed();
    expect(p.ok('checkpoint').stderr).toBe('');
  });
});
