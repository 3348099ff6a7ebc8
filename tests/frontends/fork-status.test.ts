/** In the folder of a fork, commands say which fork it is, also before its first checkpoint. */
import { project } from '@savepoint/testkit/command';
import { expect, it } from 'vitest';

it('status and other commands name the fork', () => {
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
