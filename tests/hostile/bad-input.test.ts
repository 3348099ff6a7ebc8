import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { type CommandOutcome, type Project, project, sharedProject, workingFiles } from '@savepoint/testkit/command';
import { describe, expect, it } from 'vitest';

/** Two checkpoints, and a later change. */
function prepare(p: Project): Project {
  p.write('a.txt', 'a\n');
  p.write('src/b.txt', 'b\n');
  p.checkpoint();
  p.write('a.txt', 'changed\n');
  p.checkpoint();
  p.write('a.txt', 'changed again\n');
  return p;
}

const prepared = (): Project => prepare(project());

/** For all tests that change nothing, which each of them verifies. */
const untouched = sharedProject(prepare);

/** Names and bytes of everything in the store except caches and locks. */
function storeState(p: Project): string[] {
  return fs
    .readdirSync(p.store, { recursive: true, withFileTypes: true })
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => fs.lstatSync(file).isFile() && !/[/\\](cache|lock)/.test(path.relative(p.store, file)))
    .map((file) => `${file} ${createHash('sha256').update(fs.readFileSync(file)).digest('hex')}`)
    .sort();
}

/** The error as JSON, which `--json` prints on one of the two streams. */
function errorOf(outcome: CommandOutcome): { code: string; message: string; hint: string } {
  for (const text of [outcome.stdout, outcome.stderr]) {
    if (!text.trim().startsWith('{')) continue;
    const parsed = JSON.parse(text) as { error?: { code: string; message: string; hint: string } };
    if (parsed.error !== undefined) return parsed.error;
  }
  throw new Error(`no error in ${JSON.stringify(outcome)}`);
}

function refused(p: Project, args: readonly string[], status: number, codes: readonly string[], cwd?: string): void {
  const before = { files: workingFiles(p.dir), store: storeState(p) };
  const options = cwd === undefined ? {} : { cwd };
  const json = p.run([...args.slice(0, 1), '--json', ...args.slice(1)], options);
  expect(json.status, `${args.join(' ')}\n${json.stdout}${json.stderr}`).toBe(status);
  const error = errorOf(json);
  expect(codes, args.join(' ')).toContain(error.code);
  expect(error.message.length).toBeGreaterThan(10);
  expect(error.hint.length).toBeGreaterThan(10);
  const text = p.run(args, options);
  expect(text.status, args.join(' ')).toBe(status);
  expect(text.stderr).toContain(error.message.slice(0, 20));
  expect(text.stderr).not.toMatch(/^\s+at .*:\d+:\d+/m);
  expect({ files: workingFiles(p.dir), store: storeState(p) }, args.join(' ')).toEqual(before);
}

describe('names of checkpoints', () => {
  it.each([
    ['cp_99', ['UNKNOWN_CHECKPOINT']],
    ['cp_0', ['UNKNOWN_CHECKPOINT', 'BAD_ID']],
    ['last~99', ['UNKNOWN_CHECKPOINT']],
    ['ffffffffffffffffffffffffffffffffffffffff', ['UNKNOWN_CHECKPOINT']],
    ['abcdef12', ['UNKNOWN_CHECKPOINT']],
    ['@{99 years ago}', ['UNKNOWN_CHECKPOINT', 'BAD_ID']],
    ['abc', ['BAD_ID', 'UNKNOWN_CHECKPOINT']],
    ['', ['BAD_ID', 'USAGE']],
    ['cp_', ['BAD_ID']],
    ['cp_-1', ['BAD_ID']],
    ['cp_1.5', ['BAD_ID']],
    ['cp_1e3', ['BAD_ID']],
    ['cp_01', ['BAD_ID', 'UNKNOWN_CHECKPOINT']],
    ['cp_99999999999999999999999999', ['BAD_ID', 'UNKNOWN_CHECKPOINT']],
    ['cp_1\n', ['BAD_ID']],
    ['last~', ['BAD_ID']],
    ['last~-1', ['BAD_ID']],
    ['last~99999999999999999999', ['BAD_ID', 'UNKNOWN_CHECKPOINT']],
    ['@{', ['BAD_ID']],
    ['@{soon}', ['BAD_ID']],
    ['@{10 minutes ago', ['BAD_ID']],
    ['HEAD', ['BAD_ID']],
    ['refs/heads/main', ['BAD_ID']],
    ['../../etc/passwd', ['BAD_ID']],
    ['cp_1/../cp_2', ['BAD_ID']],
    ['__proto__', ['BAD_ID']],
    ['constructor', ['BAD_ID']],
    ['x'.repeat(100_000), ['BAD_ID']],
  ])('%j is refused, and nothing changes', (id, codes) => {
    const p = untouched();
    refused(
      p,
      ['restore', id, '--yes'],
      codes.includes('USAGE') ? (p.run(['restore', id, '--yes']).status ?? 0) : 1,
      codes,
    );
  });

  it.each(['-rf', '--upload-pack=x', '--exec=/bin/sh', '-'])(
    '%s is not taken for a checkpoint, with and without --',
    (id) => {
      const p = untouched();
      for (const args of [
        ['show', id],
        ['restore', '--yes', id],
      ]) {
        const before = workingFiles(p.dir);
        expect([1, 2]).toContain(p.run(args).status);
        expect(workingFiles(p.dir)).toEqual(before);
      }
    },
  );

  it('a commit id prefix of four digits names its checkpoint', () => {
    const p = untouched();
    const commit = /\b[0-9a-f]{40}\b/.exec(p.ok('show', 'cp_1', '--json').stdout)?.[0] ?? '';
    expect(p.ok('show', commit.slice(0, 12), '--json').stdout).toBe(p.ok('show', 'cp_1', '--json').stdout);
  });
});

describe('arguments', () => {
  it.each([
    [['no-such-verb']],
    [['restore']],
    [['checkpoint', '--no-such-option']],
    [['checkpoint', '--test-result', 'maybe']],
    [['recover', '--forward', '--back']],
    [['restore', 'cp_1', '--exact', '--keep-outside', '--yes']],
    [['diff', 'cp_1', 'cp_2', 'cp_1']],
    [['workspace', 'link']],
  ])('%j is a usage error', (args) => {
    const p = untouched();
    const before = { files: workingFiles(p.dir), store: storeState(p) };
    const outcome = p.run(args);
    expect(outcome.status, outcome.stdout + outcome.stderr).toBe(2);
    expect(outcome.stderr).not.toMatch(/^\s+at .*:\d+:\d+/m);
    expect({ files: workingFiles(p.dir), store: storeState(p) }).toEqual(before);
  });

  it.each(['../x', '/etc/passwd', 'a/../../x', '.git/config', '.GIT/hooks/x', 'src/../.git/x'])(
    'the path %s is refused',
    (file) => {
      const p = untouched();
      const before = workingFiles(p.dir);
      const outcome = p.run(['restore', 'cp_1', '--yes', '--', file]);
      expect([1, 2]).toContain(outcome.status);
      expect(workingFiles(p.dir)).toEqual(before);
    },
  );

  it('a parent of a path that has become a link is refused, and what it points to stays', () => {
    const p = prepared();
    const outside = path.join(p.base, 'outside');
    fs.mkdirSync(outside);
    fs.writeFileSync(path.join(outside, 'b.txt'), 'precious\n');
    p.delete('src');
    fs.symlinkSync('../outside', p.at('src'));
    const before = workingFiles(p.dir);
    const outcome = p.run(['restore', 'cp_1', '--yes', '--', 'src/b.txt']);
    expect(fs.readFileSync(path.join(outside, 'b.txt'), 'utf8')).toBe('precious\n');
    if (outcome.status !== 0) expect(workingFiles(p.dir)).toEqual(before);
    p.restore('cp_1');
    expect(p.read('src/b.txt')).toBe('b\n');
    expect(fs.readFileSync(path.join(outside, 'b.txt'), 'utf8')).toBe('precious\n');
  });
});

describe('folders that cannot be a workspace', () => {
  it.each([
    ['/', () => '/'],
    ['a home folder', (p: Project) => p.home],
    ['the store', (p: Project) => p.store],
    ['a folder in the store', (p: Project) => path.join(p.store, 'workspaces')],
    ['a folder that holds the store', (p: Project) => p.base],
    ['a file', (p: Project) => p.at('a.txt')],
    ['nothing', (p: Project) => path.join(p.base, 'no-such-folder')],
  ])('%s is refused', (_what, folder) => {
    const p = untouched();
    const where = folder(p);
    const before = { files: workingFiles(p.dir), store: storeState(p) };
    for (const extra of [[], ['--here']]) {
      const outcome = p.run(['-C', where, 'checkpoint', '--json', ...extra]);
      expect(outcome.status, outcome.stdout + outcome.stderr).toBe(1);
      expect(['ROOT_REFUSED', 'NO_WORKSPACE']).toContain(errorOf(outcome).code);
    }
    expect({ files: workingFiles(p.dir), store: storeState(p) }).toEqual(before);
  });
});

describe('a store that cannot be trusted', () => {
  it.each([0o755, 0o750, 0o701, 0o777])('mode %o is refused', (mode) => {
    const p = prepared();
    fs.chmodSync(p.store, mode);
    for (const verb of [['list'], ['checkpoint'], ['restore', 'cp_1', '--yes']]) {
      refused(p, verb, 1, ['STORE_UNSAFE']);
    }
    fs.chmodSync(p.store, 0o700);
    p.restore('cp_1');
  });

  it('a link in its place is refused', () => {
    const p = prepared();
    fs.renameSync(p.store, `${p.store}-moved`);
    fs.symlinkSync(`${p.store}-moved`, p.store);
    const outcome = p.run(['restore', 'cp_1', '--yes', '--json']);
    expect(outcome.status).toBe(1);
    expect(errorOf(outcome).code).toBe('STORE_UNSAFE');
    expect(p.read('a.txt')).toBe('changed again\n');
  });

  it('a newer format is refused, not misread', () => {
    const p = prepared();
    const records = fs
      .readdirSync(p.store, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.name === 'workspace.json')
      .map((entry) => path.join(entry.parentPath, entry.name));
    expect(records).toHaveLength(1);
    const record = records[0] ?? '';
    const reported = JSON.parse(fs.readFileSync(record, 'utf8')) as { format?: number; version?: number };
    const key = reported.format === undefined ? 'version' : 'format';
    fs.writeFileSync(record, JSON.stringify({ ...reported, [key]: 999 }));
    for (const verb of [['list'], ['checkpoint'], ['restore', 'cp_1', '--yes'], ['gc']]) {
      refused(p, verb, 1, ['STORE_TOO_NEW']);
    }
  });
});
