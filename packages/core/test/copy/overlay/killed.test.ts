/** The owner of an overlay dies at any moment: no process and no mount stays. */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { testEffort, whyNoOverlays } from '@savepoint/testkit';
import { test as always, describe, expect } from 'vitest';
import { scene, USERS } from './scene.ts';
import { treeState } from './tree-state.ts';

const test = always.skipIf(whyNoOverlays() !== null);

const OWNER = fileURLToPath(new URL('owner.mjs', import.meta.url));
const MOMENTS = testEffort({ quick: 3, ci: 6, long: 60 });
/** The owner has mounted its overlay within about this time. */
const SPAN_MS = 250;

/** Processes that see a mount of this copy, or of its trial. */
function inside(top: string): readonly string[] {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/mountinfo`, 'latin1')
        .split('\n')
        .some((line) => line.includes(' overlay savepoint:') && line.includes(top));
    } catch {
      return false;
    }
  });
}

describe.each(USERS)('as $user', ({ uid }) => {
  const moments = [...Array.from({ length: MOMENTS }, (_, at) => (at * SPAN_MS) / MOMENTS), 'mounted', 'running'];

  test.each(moments)('killed at %s', async (moment) => {
    const s = scene(uid, { file: 'old' });
    const before = treeState(s.root);
    const owner = spawn(process.execPath, [OWNER, s.root, s.place, s.home], {
      stdio: ['ignore', 'pipe', 'inherit'],
      cwd: '/',
      ...(uid === process.getuid?.() ? {} : { uid, gid: uid }),
    });
    const exited = new Promise((resolve) => owner.on('exit', resolve));
    let said = '';
    await new Promise<void>((resolve) => {
      owner.stdout.setEncoding('utf8').on('data', (part: string) => {
        said += part;
        if (typeof moment === 'string' && said.includes(moment)) resolve();
      });
      if (typeof moment === 'number') setTimeout(resolve, moment);
      owner.on('exit', () => resolve());
    });
    expect(owner.exitCode).toBeNull();
    owner.kill('SIGKILL');
    await exited;
    await expect.poll(() => inside(s.top), { timeout: 30_000 }).toEqual([]);
    expect(treeState(s.root)).toEqual(before);
  });

  test('killing the holder leaves the real folder alone, and close ends what is left', async () => {
    const s = scene(uid, { file: 'old' });
    const overlay = await s.opened();
    await s.run(overlay, '(setsid sleep 1000 >/dev/null 2>&1 &)');
    s.ports.processes.signal(overlay.holder, 'SIGKILL');
    await expect.poll(() => s.ports.processes.state(overlay.holder)).toBe('dead');
    expect(overlay.processes()).toHaveLength(1);
    await overlay.close();
    expect(inside(s.top)).toEqual([]);
  });
});
