/** Changes of paths that were not captured before or after: the content is unknown, but not that it changed. */
import { chmodSync, existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { bytesFromText, type ChangeId, type DiskPath, type Savepoint, type TreePath } from '@savepoint/core';
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

it('a pipe that appears or disappears is a change, and a restore leaves it', async () => {
  const { p, savepoint } = await changed('x', (at) => at.shell('mkfifo pipe'));
  await savepoint
    .session({ agent: 'one', id: 's-two' })
    .call({ tool: 'Bash', kind: 'shell' }, () => p.shell('mkfifo lib/other; rm pipe'));
  const { entries } = await savepoint.history({ limit: 9 });
  expect(entries.map(({ change }) => change)).toMatchObject([
    { path: 'pipe', operation: 'delete', before: null, uncapturedBefore: 'special', after: null, by: BY_ONE },
    { path: 'lib/other', operation: 'create', before: null, after: null, uncapturedAfter: 'special', by: BY_ONE },
    { path: 'pipe', operation: 'create', before: null, after: null, uncapturedAfter: 'special', by: BY_ONE },
  ]);
  await savepoint.restore('cp_1', { mode: 'exact' });
  expect(existsSync(p.at('lib/other'))).toBe(true);
});

it('is not a change if only the rules changed', async () => {
  const p = new Place();
  p.write('big.bin', 'x'.repeat(5_000));
  await p.open({ rules: RULES }).checkpoint();
  expect((await p.open().checkpoint()).checkpoint.changes).toEqual([]);
});

/** A checkpoint with `name` as `before`, then a call of an agent that changes it. */
async function changed(before: string, change: (p: Place) => void): Promise<{ p: Place; savepoint: Savepoint }> {
  const p = new Place();
  p.write('lib/data.bin', before);
  const savepoint = p.open({ rules: RULES });
  await savepoint.checkpoint();
  await savepoint.session({ agent: 'one', id: 's-one' }).call({ tool: 'Bash', kind: 'shell' }, () => change(p));
  return { p, savepoint };
}

const BY_ONE = { authors: [{ actor: { name: 'one' } }], grade: 'likely' };

describe('a file over the size cap', () => {
  it.each([
    ['alone', (p: Place) => rmSync(p.at('lib/data.bin'))],
    ['with its folder', (p: Place) => rmSync(p.at('lib'), { recursive: true })],
  ])('that is deleted %s is a change with an author', async (_, remove) => {
    const { p, savepoint } = await changed('x'.repeat(5_000), remove);
    const { entries } = await savepoint.history({ limit: 9, path: 'lib/data.bin' as TreePath });
    expect(entries.map(({ change }) => change)).toMatchObject([
      {
        operation: 'delete',
        before: null,
        uncapturedBefore: 'too-large',
        beforeSize: 5_000,
        after: null,
        by: BY_ONE,
      },
    ]);
    const { details } = await savepoint.rollback({ session: 's-one' }, { least: 'likely' });
    expect(details.skipped).toContainEqual(
      expect.objectContaining({ why: 'what was there before was not captured (too-large)' }),
    );
    expect(existsSync(p.at('lib/data.bin'))).toBe(false);
  });

  it('that another one replaces is a change, if the sizes differ', async () => {
    const { p, savepoint } = await changed('x'.repeat(5_000), (at) => at.write('lib/data.bin', 'y'.repeat(6_000)));
    const { entries } = await savepoint.history({ limit: 9 });
    expect(entries.map(({ change }) => change)).toMatchObject([
      {
        operation: 'write',
        before: null,
        uncapturedBefore: 'too-large',
        beforeSize: 5_000,
        after: null,
        uncapturedAfter: 'too-large',
        afterSize: 6_000,
        by: BY_ONE,
      },
    ]);
    const shown = await VERBS.show.handle(savepoint, { checkpoint: 'cp_2' }, {});
    expect(shown.changes).toMatchObject([{ beforeUncaptured: 'too-large', afterUncaptured: 'too-large' }]);
    await savepoint.rollback({ session: 's-one' }, { least: 'likely' });
    expect(p.read('lib/data.bin')).toBe('y'.repeat(6_000));
  });

  it('that gets new contents of the same size is a change, by its modification time', async () => {
    const { p, savepoint } = await changed('x'.repeat(5_000), (at) => at.write('lib/data.bin', 'y'.repeat(5_000)));
    const unknown = { before: null, uncapturedBefore: 'too-large', after: null, uncapturedAfter: 'too-large' };
    const { entries } = await savepoint.history({ limit: 9 });
    expect(entries.map(({ change }) => change)).toMatchObject([
      { path: 'lib/data.bin', operation: 'write', ...unknown, beforeSize: 5_000, afterSize: 5_000, by: BY_ONE },
    ]);
    const diff = await savepoint.diff({ from: 'cp_1' });
    expect(diff.changes).toMatchObject([{ path: 'lib/data.bin', operation: 'write', ...unknown }]);
    const { details } = await savepoint.rollback({ session: 's-one' }, { least: 'likely' });
    expect(details.skipped).toMatchObject([{ why: 'what was there before was not captured (too-large)' }]);
    p.write('lib/data.bin', 'z'.repeat(5_000));
    expect((await savepoint.diff()).changes).toMatchObject([{ path: 'lib/data.bin', ...unknown }]);
  });

  it.each([
    ['is only read', (p: Place) => void p.read('lib/data.bin')],
    ['gets other permissions', (p: Place) => chmodSync(p.at('lib/data.bin'), 0o600)],
    ['gets another name and back', (p: Place) => p.shell('mv lib/data.bin lib/b; mv lib/b lib/data.bin')],
    ['is copied with its times', (p: Place) => p.shell('cp -p lib/data.bin b; mv b lib/data.bin')],
  ])('that %s has not changed', async (_, touch) => {
    const { savepoint } = await changed('x'.repeat(5_000), touch);
    expect((await savepoint.history({ limit: 9 })).entries).toEqual([]);
    expect((await savepoint.diff()).changes).toEqual([]);
  });

  it('that is new is a change, and a rollback leaves it', async () => {
    const { p, savepoint } = await changed('x'.repeat(5_000), (at) => at.write('lib/new.bin', 'y'.repeat(2_000)));
    const { entries } = await savepoint.history({ limit: 9 });
    expect(entries.map(({ change }) => change)).toMatchObject([
      {
        path: 'lib/new.bin',
        operation: 'create',
        before: null,
        after: null,
        uncapturedAfter: 'too-large',
        beforeSize: null,
        afterSize: 2_000,
        by: BY_ONE,
      },
    ]);
    expect(entries[0]?.change.uncapturedBefore).toBeUndefined();
    const { details } = await savepoint.rollback({ session: 's-one' }, { least: 'likely' });
    expect(details.skipped).toMatchObject([{ why: 'what was written there was not captured (too-large)' }]);
    await savepoint.restore('cp_1', { mode: 'exact' });
    expect(p.read('lib/new.bin')).toBe('y'.repeat(2_000));
  });

  it('that was captured when it was smaller is a change, and not a deletion', async () => {
    const { p, savepoint } = await changed('small\n', (at) => at.write('lib/data.bin', 'y'.repeat(6_000)));
    const { entries } = await savepoint.history({ limit: 9 });
    expect(entries.map(({ change, takenBack }) => [change, takenBack])).toMatchObject([
      [{ operation: 'write', before: { kind: 'file' }, after: null, uncapturedAfter: 'too-large', by: BY_ONE }, null],
    ]);
    const { details } = await savepoint.rollback({ session: 's-one' }, { least: 'likely' });
    expect(details.skipped).toMatchObject([{ why: 'what was written there was not captured (too-large)' }]);
    expect((await VERBS.diff.handle(savepoint, { from: 'cp_1', patch: true }, {})).patch?.text).toBe('');
    await savepoint.restore('cp_1', { paths: ['lib/data.bin' as TreePath] });
    expect(p.read('lib/data.bin')).toBe('small\n');
    await savepoint.undo();
    expect(p.read('lib/data.bin')).toBe('y'.repeat(6_000));
  });

  it('is not deleted if it stayed on the machine that a bundle comes from', async () => {
    const { p, savepoint } = await changed('x'.repeat(5_000), () => {});
    p.write('small', 'a');
    await savepoint.checkpoint();
    const file = `${path.dirname(p.at('x'))}.bundle`;
    const at = (text: string): DiskPath => bytesFromText(text) as DiskPath;
    await savepoint.createBundle(at(file));
    const target = new Place();
    await target.open({ rules: RULES }).restoreBundle(at(file), at(target.at('')));
    target.write('small', 'b');
    const { checkpoint } = await target.open({ rules: RULES }).checkpoint();
    expect(checkpoint.changes?.map(({ path }) => path)).toEqual(['small']);
  });
});
