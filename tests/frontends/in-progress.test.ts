import { readdirSync, rmSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { project } from '@savepoint/testkit/command';
import { expect, it } from 'vitest';

/** What others see while an operation changes files. */

function hasJournal(store: string): boolean {
  return readdirSync(store, { recursive: true, encoding: 'utf8' }).some((name) => /\/journal\/./.test(name));
}

it('`status` says whether an operation is in progress or was interrupted', async () => {
  const p = project();
  for (let at = 0; at < 600; at++) p.write(`src/${at % 10}/${at}.txt`, `${at}\n`);
  p.checkpoint();
  rmSync(p.at('src'), { recursive: true });
  const restore = p.start(['restore', 'cp_1', '--yes'], { env: { SAVEPOINT_DAEMON: 'off' } });
  type Pending = readonly { readonly running: boolean }[];
  const pending = (): Pending => (JSON.parse(p.run(['status', '--json']).stdout) as { pending: Pending }).pending;
  while (!hasJournal(p.store)) await wait(1);
  // The journal is complete a moment later.
  do {
    process.kill(restore.pid, 'SIGCONT');
    await wait(1);
    process.kill(restore.pid, 'SIGSTOP');
  } while (pending().length === 0);
  const during = p.run(['status']).stdout;
  expect(pending()).toMatchObject([{ running: true }]);
  process.kill(restore.pid, 'SIGKILL');
  await restore.done;
  const after = p.run(['status']).stdout;
  expect(during).toMatch(/In progress: an operation is changing files \(cp_\d+, \d+ paths\)\.\n/);
  expect(during).not.toContain('interrupted');
  expect(after).toMatch(/Pending: an operation was interrupted \(cp_\d+, \d+ paths\)\. Run `savepoint recover`\./);
  p.ok('recover');
  expect(p.run(['status']).stdout).not.toMatch(/In progress|Pending/);
});
