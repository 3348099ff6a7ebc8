/** Changes of paths that were not captured before: what was there is unknown, but not that it changed. */
import { rmSync } from 'node:fs';
import type { ChangeId, Savepoint } from '@savepoint/core';
import { VERBS } from '@savepoint/core/frontend';
import { describe, expect, it } from 'vitest';
import { Place } from '../../place.ts';

const RULES = { maxFileBytes: 1_000 };

async function truncated(): Promise<{ readonly p: Place; readonly savepoint: Savepoint }> {
  const p = new Place();
  p.write('big.bin', 'x'.repeat(5_000));
  const savepoint = p.open({ rules: RULES });
  await savepoint.checkpoint();
  await savepoint
    .session({ agent: 'one', id: 's-one' })
    .call({ tool: 'Bash', kind: 'shell' }, () => p.write('big.bin', 'x\n'));
  return { p, savepoint };
}

describe('a file over the size cap that becomes small', () => {
  it('is a change with an author; history, show, diff and JSON say that its content before was not captured', async () => {
    const { savepoint } = await truncated();
    const { entries } = await savepoint.history({ limit: 9 });
    expect(entries.map(({ change }) => change)).toMatchObject([
      {
        id: 'cp_2.1',
        path: 'big.bin',
        operation: 'write',
        before: null,
        uncapturedBefore: 'too-large',
        beforeSize: 5_000,
        afterSize: 2,
        by: { authors: [{ actor: { name: 'one' } }], grade: 'likely' },
      },
    ]);
    const shown = await VERBS.show.handle(savepoint, { checkpoint: 'cp_2' }, {});
    expect(shown.changes).toMatchObject([{ before: null, beforeUncaptured: 'too-large' }]);
    const diff = await VERBS.diff.handle(savepoint, { from: 'cp_1', patch: true }, {});
    expect(diff.changes).toMatchObject([{ path: 'big.bin', beforeUncaptured: 'too-large' }]);
    expect(diff.patch?.text).toBe('');
    const blame = await VERBS.blame.handle(savepoint, { file: 'big.bin' }, {});
    expect(blame.ranges).toMatchObject([{ origin: 'unknown', why: 'skipped' }]);
  });

  it('is left alone by rollback and restore, with the reason', async () => {
    const { p, savepoint } = await truncated();
    const { details } = await savepoint.rollback({ session: 's-one' }, { least: 'likely' });
    expect(details.skipped).toMatchObject([{ why: 'what was there before was not captured (too-large)' }]);
    const named = await savepoint.rollback({ changes: ['cp_2.1' as ChangeId] });
    expect(named.details.skipped).toMatchObject([{ why: 'what was there before was not captured (too-large)' }]);
    const { plan } = await savepoint.restore('cp_1', { mode: 'exact' });
    expect(plan.kept).toMatchObject([{ path: 'big.bin', why: 'cp_1 did not capture it (too-large)' }]);
    expect(p.read('big.bin')).toBe('x\n');
  });

  it('later changes of it are rolled back as usual', async () => {
    const { p, savepoint } = await truncated();
    await savepoint
      .session({ agent: 'one', id: 's-two' })
      .call({ tool: 'Bash', kind: 'shell' }, () => p.write('big.bin', 'y\n'));
    await savepoint.rollback({ session: 's-two' }, { least: 'likely' });
    expect(p.read('big.bin')).toBe('x\n');
    expect(
      (await savepoint.history({ limit: 9 })).entries.find(({ change: { id } }) => (id as string) === 'cp_2.1')
        ?.takenBack,
    ).toBeNull();
  });
});

it('a special file that a file replaces is a change', async () => {
  const p = new Place();
  p.shell('mkfifo pipe');
  await p.open().checkpoint();
  rmSync(p.at('pipe'));
  p.write('pipe', 'a file\n');
  const { checkpoint } = await p.open().checkpoint();
  expect(checkpoint.changes).toMatchObject([{ path: 'pipe', operation: 'write', uncapturedBefore: 'special' }]);
});

it('is not a change if only the rules changed', async () => {
  const p = new Place();
  p.write('big.bin', 'x'.repeat(5_000));
  await p.open({ rules: RULES }).checkpoint();
  expect((await p.open().checkpoint()).checkpoint.changes).toEqual([]);
});
