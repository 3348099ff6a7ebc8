import fs from 'node:fs';
import { open } from '@savepoint/core/node';
import { world } from '@savepoint/testkit';
import { expect, it, onTestFinished, vi } from 'vitest';

// An ignored file that was created since is never removed by a restore.
it.each([
  ['by the user’s git ignore file, by default', undefined, true],
  ['by no file, with null', null, false],
  ['by a file of the caller', 'own', true],
  ['by a file of the caller, which does not name it', 'other', false],
])('files of a repository are ignored %s', async (_, given, isIgnored) => {
  const w = world(onTestFinished);
  const base = Buffer.from(w.folder, 'latin1').toString();
  const dir = Buffer.from(w.workspace, 'latin1').toString();
  fs.mkdirSync(`${base}/config/git`, { recursive: true });
  fs.writeFileSync(`${base}/config/git/ignore`, '*.out\n');
  fs.writeFileSync(`${base}/own`, 'made.*\n');
  fs.writeFileSync(`${base}/other`, '*.tmp\n');
  vi.stubEnv('XDG_CONFIG_HOME', `${base}/config`);
  onTestFinished(() => void vi.unstubAllEnvs());
  const globalIgnore = typeof given === 'string' ? `${base}/${given}` : given;
  const savepoint = open({ dir, home: `${base}/stores`, ...(globalIgnore === undefined ? {} : { globalIgnore }) });
  fs.writeFileSync(`${dir}/a.txt`, 'one\n');
  await savepoint.checkpoint();
  fs.writeFileSync(`${dir}/made.out`, 'made\n');
  await savepoint.checkpoint();
  await savepoint.restore('cp_1', { mode: 'exact' });
  expect(fs.existsSync(`${dir}/made.out`)).toBe(isIgnored);
  await savepoint.idle();
});

it('a file of ignore rules that does not exist is refused', () => {
  expect(() => open({ dir: '.', globalIgnore: '/does/not/exist' })).toThrow(
    expect.objectContaining({ code: 'USAGE', data: { argument: 'globalIgnore' } }),
  );
});
