import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Actor, type FileRequest, type Savepoint, SavepointError, type TreePath } from '@savepoint/core';
import { describe, expect, test } from 'vitest';
import { Place } from '../place.ts';

/** Frozen paths: a write that an agent announces is refused, a change made through a shell is reverted. */
class Frozen extends Place {
  constructor() {
    super();
    for (const name of ['frozen/a', 'frozen/b', 'free']) this.write(name, 'first\n');
  }

  async frozen(): Promise<Savepoint> {
    const savepoint = this.open();
    await savepoint.freeze(['frozen' as TreePath]);
    return savepoint;
  }
}

const AGENT: Actor = { kind: 'agent', name: 'mine' };

async function refusal(work: Promise<unknown>): Promise<SavepointError> {
  const failed = await work.catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(SavepointError);
  expect((failed as SavepointError).code).toBe('FROZEN');
  return failed as SavepointError;
}

function write(file: string, force = false): FileRequest {
  const edits = [{ op: 'write', content: 'edited\n', exact: true }] as const;
  return { given: file, path: file as TreePath, edits, expectedHash: null, force };
}

test('frozen paths are listed, with paths above and below them', async () => {
  const p = new Frozen();
  expect(await p.open().isFrozen('frozen/a' as TreePath)).toBe(false);
  const savepoint = await p.frozen();
  expect(await savepoint.isFrozen('frozen/deep/x' as TreePath)).toBe(true);
  expect(await savepoint.isFrozen('frozen-not' as TreePath)).toBe(false);
  const by = await savepoint.frozenBy(['free' as TreePath, 'frozen' as TreePath, '' as TreePath]);
  expect(by).toEqual([
    { path: 'frozen', frozen: 'frozen' },
    { path: '', frozen: 'frozen' },
  ]);
  await savepoint.unfreeze(['' as TreePath]);
  expect(await savepoint.frozen()).toEqual([]);
});

test('a call that declares a frozen path is refused before it begins', async () => {
  const p = new Frozen();
  const session = (await p.frozen()).session({ agent: AGENT });
  const ran: string[] = [];
  const call = { tool: 'Write', kind: 'write', paths: ['frozen/a' as TreePath] } as const;
  const { message } = await refusal(session.call(call, () => ran.push('x')));
  expect(message).toBe('frozen/a cannot be changed: frozen is frozen.');
  await refusal(session.beginLate(call));
  expect(ran).toEqual([]);
  await session.call({ ...call, paths: ['free' as TreePath] }, () => p.write('free', 'second\n'));
});

describe('a shell', () => {
  test('of each of two agents is open: what changed is reverted, although a person may have saved it', async () => {
    const p = new Frozen();
    const savepoint = await p.frozen();
    const [one, two] = ['one', 'two'].map((agent) => savepoint.session({ agent }));
    await one!.begin({ tool: 'Bash', kind: 'shell' });
    const { id } = await two!.begin({ tool: 'Bash', kind: 'shell' });
    p.write('frozen/a', 'second\n');
    const { changes } = await two!.end(id);
    expect(changes[0]?.by.authors.map(({ actor }) => actor.name).sort()).toEqual(['one', 'outside', 'two']);
    expect(p.read('frozen/a')).toBe('first\n');
  });

  test('that may wait for a permission is treated like one that runs', async () => {
    const p = new Frozen();
    const savepoint = await p.frozen();
    const session = savepoint.session({ agent: AGENT });
    const { id } = await session.begin({ tool: 'Bash', kind: 'shell' });
    await session.notePermission({ kind: 'asked', call: { id }, isGrantReported: false });
    p.write('frozen/a', 'second\n');
    await session.begin({ tool: 'Bash', kind: 'shell' });
    expect(p.read('frozen/a')).toBe('first\n');
  });

  test('that runs in the background may not have made a change, which stays', async () => {
    const p = new Frozen();
    const savepoint = await p.frozen();
    const session = savepoint.session({ agent: AGENT });
    const { id } = await session.begin({ tool: 'Bash', kind: 'shell' });
    await session.end(id, { background: true });
    p.write('frozen/a', 'second\n');
    await savepoint.checkpoint();
    expect(p.read('frozen/a')).toBe('second\n');
  });

  test.each([
    ['writes', 'echo x > frozen/a; echo x > free'],
    ['removes', 'rm -r frozen; echo x > free'],
    ['moves away', 'mv frozen/a elsewhere; echo x > free'],
    ['makes folders', 'mkdir -p frozen/new/deep; touch frozen/new/deep/file; echo x > free'],
    ['changes permissions', 'chmod 600 frozen/a; echo x > free'],
  ])('%s: frozen paths are reverted, other changes stay', async (_, command) => {
    const p = new Frozen();
    const savepoint = await p.frozen();
    const session = savepoint.session({ agent: AGENT, id: 's' });
    await session.start();
    const open = await session.begin({ tool: 'Bash', kind: 'shell', args: { command } });
    p.shell(command);
    const ended = await session.end(open.id);
    expect(ended.putBack?.problem).toBeNull();
    expect(ended.putBack?.paths.length).toBeGreaterThan(0);
    expect([p.read('frozen/a'), p.read('frozen/b'), p.read('free')]).toEqual(['first\n', 'first\n', 'x\n']);
    expect(existsSync(p.at('frozen/new'))).toBe(false);
    const { checkpoints } = await savepoint.list();
    expect(checkpoints.map(({ trigger }) => trigger)).toEqual(['freeze', 'call', 'session']);
    // Reverting a frozen path is not an operation that undo could revert.
    await expect(savepoint.undo()).rejects.toMatchObject({ code: 'NOTHING_TO_UNDO' });
    // Nothing is lost: a person can restore what the agent wrote there.
    await savepoint.restore('cp_2', { force: true });
    expect(p.read('free')).toBe('x\n');
  });

  test('changes other files next to a frozen one: they stay', async () => {
    const p = new Frozen();
    const savepoint = p.open();
    await savepoint.freeze(['frozen/a' as TreePath]);
    const session = savepoint.session({ agent: AGENT });
    await session.start();
    await session.call({ tool: 'Bash', kind: 'shell' }, () => p.shell('echo x > frozen/a; echo x > frozen/b'));
    expect([p.read('frozen/a'), p.read('frozen/b')]).toEqual(['first\n', 'x\n']);
  });

  test('changes by a person between the calls stay, and so do changes by an unknown author', async () => {
    const p = new Frozen();
    const savepoint = await p.frozen();
    const session = savepoint.session({ agent: AGENT });
    await session.start();
    p.write('frozen/b', 'by hand\n');
    const open = await session.begin({ tool: 'Bash', kind: 'shell', id: 'x' });
    p.write('frozen/a', 'by the shell\n');
    expect((await session.end(open.id)).putBack?.paths).toEqual(['frozen/a']);
    expect([p.read('frozen/a'), p.read('frozen/b')]).toEqual(['first\n', 'by hand\n']);
    const late = await session.beginLate({ tool: 'Bash', kind: 'shell', id: 'y' });
    p.write('frozen/a', 'whose?\n');
    expect((await session.end(late.id)).putBack).toBeNull();
    expect(p.read('frozen/a')).toBe('whose?\n');
  });
});

describe('acts', () => {
  test('of agents are refused, even if forced; a person has to force them', async () => {
    const p = new Frozen();
    const savepoint = await p.frozen();
    await savepoint.checkpoint();
    const agent = p.open({ actor: AGENT });
    for (const force of [false, true]) {
      await refusal(agent.edit([write('free'), write('frozen/a', force)]));
      await refusal(agent.previewEdit([write('frozen/a', force)]));
    }
    expect(p.read('free')).toBe('first\n');
    await refusal(savepoint.edit([write('frozen/a')]));
    await savepoint.edit([write('frozen/a', true)]);
    expect(p.read('frozen/a')).toBe('edited\n');
    await refusal(agent.undo({ force: true }));
    await refusal(savepoint.undo());
    const { plan } = await savepoint.previewUndo();
    expect(plan.refused).toEqual([{ path: 'frozen/a', why: 'it is frozen' }]);
    await refusal(agent.restore('cp_1', { force: true }));
    await savepoint.undo({ force: true });
    expect(p.read('frozen/a')).toBe('first\n');
    // A restore that touches no frozen path needs no permission.
    p.write('free', 'second\n');
    await agent.restore('cp_1');
    expect(p.read('free')).toBe('first\n');
  });

  test('a damaged list is an error, and never "nothing is frozen"', async () => {
    const p = new Frozen();
    const savepoint = await p.frozen();
    await savepoint.checkpoint();
    const { workspace } = await savepoint.status();
    writeFileSync(path.join(Buffer.from(workspace.store, 'latin1').toString(), 'frozen.json'), '{');
    await expect(savepoint.frozen()).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
    await expect(p.open({ actor: AGENT }).edit([write('free')])).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
    const file = path.join(Buffer.from(workspace.store, 'latin1').toString(), 'frozen.json');
    rmSync(file);
    mkdirSync(file);
    await expect(savepoint.frozen()).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
  });
});
