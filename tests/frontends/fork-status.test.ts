/** What commands say about forks. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { project } from '@savepoint/testkit/command';
import { expect, it } from 'vitest';

it('in the folder of a fork, commands name it, also before its first checkpoint', () => {
  const p = project();
  p.write('a.txt', 'a\n');
  p.ok('fork', 'create', 'c2');
  const cwd = p.ok('fork', 'open', 'c2').stdout.trim();
  const named = /^Fork c2 of .*, which it left at cp_1\.$/m;
  expect(p.run(['status'], { cwd }).stdout).toMatch(named);
  expect(p.run(['diff'], { cwd }).stderr).toContain('This is fork c2 of ');
  expect(p.run(['checkpoint'], { cwd }).status).toBe(0);
  expect(p.run(['status'], { cwd }).stdout).toMatch(named);
});

it('create and show name the ports, and compare takes all forks', () => {
  const p = project();
  p.write('a.txt', 'a\n');
  p.write('b.txt', 'b\n');
  p.ok('checkpoint');
  const one = p.run(['fork', 'compare']);
  expect([one.status, one.stderr]).toEqual([
    2,
    expect.stringContaining('two or more different forks. This workspace has none.'),
  ]);
  const created = p.ok('fork', 'create', 'try', '--count', '3').stdout;
  const ports = created.split('\n').filter((line) => line.includes('ports'));
  expect(ports).toHaveLength(3);
  const [, first, last] = /ports for its servers: (\d+) to (\d+) \(SAVEPOINT_FORK_PORT /.exec(ports[0] ?? '') ?? [];
  expect(Number(last) - Number(first)).toBe(9);
  for (const [name, file] of [
    ['try-1', 'a.txt'],
    ['try-2', 'a.txt'],
    ['try-3', 'b.txt'],
  ] as const) {
    writeFileSync(join(p.ok('fork', 'open', name).stdout.trim(), file), `${name}\n`);
  }
  const shown = p.ok('fork', 'show', 'try-1').stdout;
  expect(shown).toMatch(new RegExp(`ports for its servers: ${first} to ${last}; made as a folder`));
  expect(shown.match(/\d bytes/g)).toHaveLength(1);
  const { stdout } = p.ok('fork', 'compare');
  expect(stdout).toContain(
    'try-1 and try-2 both change a.txt, and conflict with each other\n' +
      '  a.txt of try-2 conflicts if try-1 is merged first: the same lines were changed since\n' +
      'try-1 and try-3 change no file in common, and do not conflict with each other\n',
  );
});

it('status says what to do about copies that nobody uses', () => {
  const p = project();
  p.write('a.txt', 'a\n');
  // In a process of its own, which ends.
  p.run(['try', '--keep', '--', 'sh', '-c', 'echo b >b.txt'], { input: '\n' });
  expect(p.ok('status').stdout).toMatch(
    /^1 copy that no process uses takes space: `savepoint copies` lists it, `savepoint copies --clean` removes it unless it may hold work\.$/m,
  );
});

it('show prints the end of what a command in the fork has printed, escaped', async () => {
  const p = project();
  p.write('a.txt', 'a\n');
  p.ok('fork', 'create', 'f');
  p.ok('fork', 'run', 'f', '--', 'sh', '-c', 'head -c 70000 /dev/zero | tr "\\0" x; echo; echo "the \u001b[31mend"');
  await expect.poll(() => p.ok('fork', 'show', 'f').stdout, { timeout: 30_000 }).toContain('exit status 0');
  const { stdout } = p.ok('fork', 'show', 'f', '--output', '1');
  expect(stdout.endsWith('x\nthe \\x1b[31mend\n')).toBe(true);
  const json = JSON.parse(p.ok('fork', 'show', 'f', '--output', '1', '--json').stdout);
  expect(json.printed).toMatchObject({ number: 1, isCut: true });
  expect(json.printed.text).toHaveLength(64 * 1024);
  const none = p.run(['fork', 'show', 'f', '--output', '2']);
  expect([none.status, none.stderr]).toEqual([2, expect.stringContaining('has no command with the number 2')]);
});
