import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Project, project, sharedProject, workingFiles } from '@savepoint/testkit/command';
import { describe, expect, it } from 'vitest';

const main = fileURLToPath(new URL('../../packages/cli/bundle/savepoint.js', import.meta.url));

/** Runs a shell line that uses `savepoint`. */
function sh(p: Project, line: string, cwd = p.dir, env: Record<string, string | undefined> = {}) {
  const script = `savepoint() { '${process.execPath}' '${main}' "$@"; }\n${line}`;
  const done = spawnSync('bash', ['-c', script], { cwd, env: p.environment({ env }), encoding: 'utf8' });
  return { status: done.status, stdout: done.stdout, stderr: done.stderr };
}

const filled = (): Project => fill(project());

/** For all tests that only read. */
const lookedAt = sharedProject(fill);

function fill(p: Project): Project {
  for (let i = 0; i < 300; i++) p.write(`folder/with/a/rather/long/name/file-${i}.txt`, `${i}\n`);
  p.checkpoint();
  for (let i = 0; i < 300; i++) p.write(`folder/with/a/rather/long/name/file-${i}.txt`, `${i + 1}\n`);
  return p;
}

const TRACE = /^\s+at .*:\d+:\d+|ERR_|node:internal/m;

describe('output that cannot be written', () => {
  // Node opens a stream that is closed at startup as /dev/null, so only a failing write can be detected.
  it.each(['> /dev/full', '--json > /dev/full', '> /dev/full 2>&1', '> /dev/full 2>&-'])(
    'diff %s fails without a stack trace',
    (how) => {
      const p = lookedAt();
      const { status, stderr } = sh(p, `savepoint diff ${how}`);
      expect(status).toBe(1);
      expect(stderr).not.toMatch(TRACE);
    },
  );

  it('a full disk is reported, together with the fact that the operation was carried out', () => {
    const p = filled();
    const { status, stderr } = sh(p, 'savepoint restore cp_1 --yes > /dev/full');
    expect(status).toBe(1);
    expect(stderr).toContain('ENOSPC');
    expect(stderr).toMatch(/command itself succeeded/);
    expect(p.read('folder/with/a/rather/long/name/file-7.txt')).toBe('7\n');
  });

  it('a reader that closes the pipe ends it quietly, without success', () => {
    const p = lookedAt();
    for (const verb of ['diff --json', 'diff --patch', 'help']) {
      const { stdout, stderr } = sh(p, `{ savepoint ${verb}; echo "status $?" >&2; } | true`);
      expect(stdout).toBe('');
      expect(stderr, verb).toMatch(/^status [01]\n$/);
    }
    const { stderr } = sh(p, `{ sleep 0.2; savepoint diff --patch; echo "status $?" >&2; } | true`);
    expect(stderr).toBe('status 1\n');
  });

  it('a slow reader gets all of it', () => {
    const p = lookedAt();
    const whole = p.ok('diff', '--patch').stdout;
    expect(whole.length).toBeGreaterThan(65536);
    expect(sh(p, 'savepoint diff --patch | { sleep 0.5; cat; }').stdout).toBe(whole);
  });

  it('standard error that is closed changes nothing', () => {
    const p = filled();
    expect(sh(p, 'savepoint bogus 2>&-').status).toBe(2);
    expect(sh(p, 'savepoint restore cp_1 --yes 2>&-').status).toBe(0);
  });
});

describe('the current folder', () => {
  it('that was deleted still finds its checkpoints, by its path in the shell', () => {
    const p = project();
    p.write('sub/a.txt', 'a\n');
    p.write('b.txt', 'b\n');
    const before = workingFiles(p.dir);
    p.checkpoint();
    const { status, stdout, stderr } = sh(
      p,
      `cd sub && rm -rf '${p.dir}' && savepoint status && savepoint restore last --all --yes`,
    );
    expect(status, stderr).toBe(0);
    expect(stdout).toContain('Restored cp_1');
    expect(workingFiles(p.dir)).toEqual(before);
  });

  it('that was deleted and has no known path: the error says what to do', () => {
    const p = project();
    p.write('sub/a.txt', 'a\n');
    p.checkpoint();
    const { status, stderr } = sh(
      p,
      `cd sub && rm -rf '${p.at('sub')}' && env -u PWD '${process.execPath}' '${main}' status`,
    );
    expect(status).toBe(2);
    expect(stderr).toContain('-C');
    expect(stderr).not.toMatch(TRACE);
    expect(sh(p, `cd sub 2>/dev/null; savepoint -C '${p.dir}' list`).status).toBe(0);
  });

  it('whose name is not UTF-8 works', () => {
    const p = project();
    const folder = Buffer.concat([Buffer.from(`${p.base}/`), Buffer.from('caf\xe9', 'latin1')]);
    fs.mkdirSync(folder);
    const { status, stdout, stderr } = sh(
      p,
      `cd ../$'caf\\xe9' && echo one > a.txt && savepoint checkpoint && echo two > a.txt && savepoint restore last --yes && cat a.txt && savepoint workspaces && savepoint status`,
    );
    expect(status, stderr).toBe(0);
    expect(stdout).toContain('\none\n');
    expect(stdout).toContain('caf\\351');
    expect(sh(p, `savepoint -C '"${p.base}/caf\\351"' list`).stdout).toContain('cp_1');
  });

  it('reached through a link accepts absolute paths through the link', () => {
    const p = project();
    p.write('sub/a.txt', 'a\n');
    p.checkpoint();
    p.write('sub/a.txt', 'b\n');
    fs.symlinkSync(p.dir, path.join(p.base, 'link'));
    const { status, stderr } = sh(p, 'cd ../link/sub && savepoint restore last --yes -- "$PWD/a.txt"');
    expect(status, stderr).toBe(0);
    expect(p.read('sub/a.txt')).toBe('a\n');
  });
});

describe('paths on the command line', () => {
  it('in quotes as printed, from a subfolder upwards, and with a leading dash', () => {
    const p = project();
    const odd = [
      Buffer.from('caf\xe9.txt', 'latin1'),
      Buffer.from('new\nline.txt'),
      Buffer.from('"q".txt'),
      Buffer.from('-rf'),
    ];
    const at = (name: Buffer): Buffer => Buffer.concat([Buffer.from(`${p.dir}/`), name]);
    for (const name of odd) fs.writeFileSync(at(name), 'one\n');
    p.write('sub/x.txt', 'one\n');
    p.checkpoint();
    for (const name of odd) fs.writeFileSync(at(name), 'two\n');
    p.write('sub/x.txt', 'two\n');
    const restored = (...paths: string[]): string[] => {
      const args = ['restore', 'cp_1', '--dry-run', '--', ...paths];
      const outcome = p.run(args, { cwd: p.at('sub') });
      expect(outcome.status, outcome.stderr).toBe(0);
      return [...outcome.stdout.matchAll(/^ {2}changed {2}(.*)$/gm)].map(([, name = '']) => name);
    };
    expect(restored('"../caf\\351.txt"')).toEqual(['"caf\\351.txt"']);
    expect(restored('"../new\\nline.txt"', '../-rf')).toEqual(['-rf', '"new\\nline.txt"']);
    expect(restored('../"q".txt')).toEqual(['"\\"q\\".txt"']);
    expect(restored('.')).toEqual(['sub/x.txt']);
    expect(restored('..')).toHaveLength(5);
  });

  it('bytes that are not UTF-8 are not guessed', () => {
    const p = project();
    p.write('a.txt', 'a\n');
    p.checkpoint();
    const { status, stderr } = sh(p, `savepoint restore last --yes -- $'caf\\xe9.txt'`);
    expect(status).toBe(2);
    expect(stderr).toContain('\\351');
  });
});

describe('a patch', () => {
  it('is written to a pipe as bytes that git apply accepts', () => {
    const p = project();
    p.write('src/a.txt', 'one\r\ntwo\r\n');
    p.write('latin.txt', Buffer.from('caf\xe9\n', 'latin1'));
    p.git('init', '-q');
    p.git('add', '-A');
    p.checkpoint();
    p.write('src/a.txt', 'one\r\nTWO\r\n');
    p.write('latin.txt', Buffer.from('th\xe9\n', 'latin1'));
    p.write('new file.txt', 'n\n');
    const after = workingFiles(p.dir);
    const applied = sh(
      p,
      `savepoint diff --patch > ../p && git apply -R --whitespace=nowarn ../p && savepoint diff && git apply --whitespace=nowarn ../p`,
    );
    expect(applied.status, applied.stderr).toBe(0);
    expect(applied.stdout).toContain('no changes');
    expect(workingFiles(p.dir)).toEqual(after);
  });
});

it.skipIf(process.platform === 'win32').each([
  ['077', 0o600, 0o700],
  ['002', 0o664, 0o775],
])('edit creates files with what umask %s leaves', (umask, file, folder) => {
  const p = project();
  fs.chmodSync(p.dir, 0o755);
  const request = JSON.stringify({ files: [{ file_path: 'new/a.txt', edits: [{ op: 'create', content: 'a' }] }] });
  expect(sh(p, `umask ${umask}; echo '${request}' | savepoint edit`)).toMatchObject({ status: 0, stderr: '' });
  const modeOf = (name: string): number => fs.statSync(p.at(name)).mode & 0o777;
  expect([modeOf('new/a.txt'), modeOf('new')]).toEqual([file, folder]);
});
