/** `savepoint run` with a store on a file system that becomes full while the command runs. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { type Project, project } from '@savepoint/testkit/command';
import { expect, it, onTestFinished } from 'vitest';
import { HostedTerminal } from '../frontends/hosted-terminal.ts';

const canMount = process.platform === 'linux' && spawnSync('unshare', ['-m', 'true']).status === 0;

function shell(line: string): void {
  execFileSync('sh', ['-c', line]);
}

function withSmallStore(): Project {
  const p = project();
  mkdirSync(p.store, { mode: 0o700 });
  shell(`mount -t tmpfs -o size=3m,mode=700 none '${p.store}'`);
  onTestFinished(() => shell(`umount '${p.store}'`));
  p.write('program.sh', 'head -c 6000000 /dev/urandom > big.bin\necho "goes on"\nexit ${1:-0}\n');
  return p;
}

it.skipIf(!canMount)('says that the changes were not recorded, and records them once there is room', async () => {
  const p = withSmallStore();
  const terminal = new HostedTerminal(
    p,
    'stty -a > before; $SAVEPOINT_COMMAND run -- sh program.sh; echo "status $?"; stty -a > after',
  );
  await terminal.exited;
  const { screen } = await terminal.emulated();
  expect(screen).toMatch(
    /goes on\s+error: The disk is full[\s\S]*The changes of the command were not recorded\.\s+status 1/,
  );
  expect(p.read('after')).toBe(p.read('before'));
  expect(p.has('big.bin')).toBe(true);

  // Nothing is run without a checkpoint of what is there.
  const again = p.run(['run', '--', 'sh', '-c', 'echo > ran']);
  expect([again.status, p.has('ran')]).toEqual([1, false]);
  expect(again.stderr).toMatch(/The disk is full[\s\S]*The command was not run\./);

  shell(`mount -o remount,size=60m '${p.store}'`);
  p.ok('checkpoint');
  p.ok('verify', '--deep');
  expect(p.ok('history').stdout).toMatch(/\? {2}run {2}new {2}big\.bin/);
});
