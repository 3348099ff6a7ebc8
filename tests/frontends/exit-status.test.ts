import fs from 'node:fs';
import path from 'node:path';
import { ERROR_CODES } from '@savepoint/core';
import {
  type CommandOutcome,
  explain,
  type Project,
  project,
  sharedProject,
  watchCalls,
  workingFiles,
} from '@savepoint/testkit/command';
import { describe, expect, it } from 'vitest';

interface Failure {
  readonly code: keyof typeof ERROR_CODES;
  readonly message: string;
  readonly hint: string;
  readonly data: { readonly paths?: readonly { readonly path: string }[] } & Readonly<Record<string, unknown>>;
}

/** A failing command prints nothing on standard output, and with --json one line of JSON on standard error. */
function failure(p: Project, args: readonly string[]): Failure & { readonly status: number | null } {
  const text = p.run(args);
  const json = p.run([...args, '--json']);
  expect(json.status, explain(args, json)).toBe(text.status);
  expect([text.stdout, json.stdout]).toEqual(['', '']);
  expect(text.stderr).toMatch(/^error: \S/);
  expect(json.stderr.trim().split('\n')).toHaveLength(1);
  const { error, ...rest } = JSON.parse(json.stderr) as { error: Failure };
  expect(rest).toEqual({});
  expect(Object.keys(error).sort()).toEqual(['code', 'data', 'hint', 'message']);
  expect(ERROR_CODES[error.code].exit).toBe(json.status);
  expect(text.stderr).toContain(error.hint.split('\n')[0]);
  return { ...error, status: json.status };
}

it('purge takes its paths before or after --, and at least one', () => {
  const p = project();
  p.write('a.txt', 'a\n');
  p.write('b.txt', 'b\n');
  p.ok('checkpoint');
  expect(failure(p, ['purge', '--yes'])).toMatchObject({ code: 'USAGE', status: 2 });
  expect(p.ok('purge', '--yes', '--', 'a.txt').stdout).toMatch(/^Purged 1 version of a\.txt /);
  expect(p.ok('purge', 'b.txt', '--yes').stdout).toMatch(/^Purged 1 version of b\.txt /);
});

describe('0', () => {
  it('means success, nothing to do, or help', () => {
    const p = project();
    for (const args of [[], ['help'], ['--help'], ['restore', '--help'], ['help', 'undo'], ['--version'], ['status']]) {
      const outcome = p.run(args);
      expect(outcome.status, explain(args, outcome)).toBe(0);
      expect(outcome.stdout).not.toBe('');
      expect(outcome.stderr).toBe('');
    }
    p.write('a.txt', 'a\n');
    p.ok('checkpoint');
    p.ok('restore', 'last', '--yes');
    p.ok('recover');
  });
});

describe('1', () => {
  it('means refused', () => {
    const p = project();
    expect(failure(p, ['show', 'last'])).toMatchObject({ code: 'NO_WORKSPACE', status: 1 });
    p.write('a.txt', 'a\n');
    p.checkpoint();
    expect(failure(p, ['show', 'cp_7'])).toMatchObject({ code: 'UNKNOWN_CHECKPOINT', status: 1 });
    expect(failure(p, ['bundle', 'restore', 'no.bundle', 'to'])).toMatchObject({
      code: 'IO',
      status: 1,
      message: expect.stringContaining('no.bundle: there is no such file or folder'),
    });
    expect(failure(p, ['diff', 'a.txt']).hint).toContain('Paths go after --');
    expect(failure(p, ['undo'])).toMatchObject({ code: 'NOTHING_TO_UNDO', status: 1 });
    expect(failure(p, ['restore', 'cp_1', '--yes', '-n', '--here', '-C', p.base])).toMatchObject({ status: 1 });
    p.write('a.txt', 'b\n');
    const refused = failure(p, ['restore', 'cp_1']);
    expect(refused).toMatchObject({ code: 'NEEDS_CONFIRMATION', data: { verb: 'restore' } });
    expect(refused.hint).toContain('--yes');
  });

  it('means that verify found damage, with a report on standard output', () => {
    const p = project();
    p.write('a.txt', 'a\n'.repeat(1000));
    p.checkpoint();
    const packs = fs
      .readdirSync(p.store, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.pack'));
    expect(packs).toHaveLength(1);
    const pack = path.join(packs[0]?.parentPath ?? '', packs[0]?.name ?? '');
    const bytes = fs.readFileSync(pack);
    bytes[40] = (bytes[40] ?? 0) ^ 0xff;
    fs.chmodSync(pack, 0o600);
    fs.writeFileSync(pack, bytes);
    const text = p.run(['verify', '--deep']);
    expect(text.status, text.stderr).toBe(1);
    expect(text.stdout).toContain('cp_1');
    const json = p.run(['verify', '--deep', '--json']);
    expect(json.status).toBe(1);
    expect(JSON.parse(json.stdout)).toMatchObject({ sound: 0 });
  });
});

describe('2', () => {
  /** A command with invalid arguments must not change anything. */
  const untouched = sharedProject((p) => {
    p.write('a.txt', 'a\n');
    p.checkpoint();
  });

  it.each([
    ['stauts', 'status'],
    ['restor cp_1', 'restore'],
    ['workspace lnk x', 'link'],
    ['restore cp_1 --yess', '--yes'],
    ['workspace', 'needs a command'],
    ['help nothing', 'Unknown command'],
    ['show', 'checkpoint'],
    ['show cp_1 cp_2', 'argument'],
    ['list --limit 0', '--limit'],
    ['list --limit 1e3', '--limit'],
    ['list --before 3', '--before'],
    ['gc --max-age-days none', '--max-age-days'],
    ['diff --stat --patch', '--patch'],
    ['checkpoint -m', '--message'],
    ['restore cp_1 --all -- a.txt', 'paths'],
    ['status --', 'x'],
  ])('means wrong usage, for `savepoint %s`, with an explanation', (line, word) => {
    const p = untouched();
    if (line === 'status --') return expect(p.run(['status', '--', 'x']).status).toBe(2);
    const args = line.split(' ');
    const dashes = args.indexOf('--');
    const reported = dashes < 0 ? failure(p, args) : { status: p.run(args).status, ...errorText(p.run(args)) };
    expect(reported.status).toBe(2);
    expect(`${reported.message} ${reported.hint}`).toContain(word);
  });

  function errorText({ stderr }: CommandOutcome): { message: string; hint: string } {
    const [message = '', ...hint] = stderr.split('\n');
    return { message, hint: hint.join(' ') };
  }
});

describe('3', () => {
  it('means a conflict: it names the paths and changes nothing', () => {
    const p = project();
    p.write('a.txt', 'one\n');
    const cp = p.checkpoint();
    p.write('a.txt', 'two\n');
    p.restore(cp);
    p.write('a.txt', 'three\n');
    const before = workingFiles(p.dir);
    expect(failure(p, ['undo'])).toMatchObject({ code: 'CONFLICT', status: 3, data: { paths: [{ path: 'a.txt' }] } });
    expect(p.run(['undo']).stderr).toContain('a.txt');
    const preview = p.run(['undo', '--dry-run', '--json']);
    expect([preview.status, preview.stdout]).toEqual([3, expect.stringContaining('"outcome":"conflict"')]);
    expect(workingFiles(p.dir)).toEqual(before);
  });
});

describe('4', () => {
  it('means pending: reading works, and recover completes or rolls back', () => {
    for (const decision of ['--back', '--forward'] as const) {
      const p = project();
      const names = ['a.txt', 'b.txt', 'c.txt'];
      for (const name of names) p.write(name, 'one\n');
      const cp = p.checkpoint();
      for (const name of names) p.write(name, 'two\n');
      killHalfWay(p, cp);
      for (const name of names) p.write(name, `${name}, by somebody else\n`);
      const reported = failure(p, ['restore', cp, '--yes']);
      expect(reported).toMatchObject({ code: 'PENDING', status: 4 });
      expect(reported.hint).toContain('savepoint recover');
      expect(failure(p, ['recover']).status).toBe(4);
      expect(p.ok('status').stdout).toMatch(/pending/i);
      expect(p.ok('status', '--json').stdout).toContain('"transaction"');
      // It is taken, and may contain half of the operation.
      expect(p.run(['checkpoint'])).toMatchObject({ status: 4, stdout: expect.stringMatching(/^cp_\d+/) });
      for (const name of names) expect(p.read(name)).toBe(`${name}, by somebody else\n`);
      const decided = p.run(['recover', decision]);
      expect(decided.status, decided.stderr).toBe(0);
      expect(p.ok('status').stdout).not.toMatch(/pending/i);
      if (decision === '--back') for (const name of names) expect(p.read(name)).toBe(`${name}, by somebody else\n`);
      else for (const name of names) expect(p.read(name)).toBe('one\n');
      p.ok('verify', '--deep');
    }
  });

  /** Kills a restore after it has started to change files and before it has finished. */
  function killHalfWay(p: Project, cp: string): void {
    for (let nth = 1; nth < 60; nth++) {
      const calls = ['renameSync', 'linkSync'];
      p.run(['restore', cp, '--yes'], watchCalls({ below: p.dir, calls, nth, action: { kill: true } }));
      if (JSON.parse(p.ok('status', '--json').stdout).pending.length > 0) return;
      p.run(['recover']);
      for (const name of ['a.txt', 'b.txt', 'c.txt']) p.write(name, 'two\n');
    }
    throw new Error('no moment was half way');
  }
});
