import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type CallRequest, open, type Savepoint, SavepointError, type TreePath } from '@savepoint/core';
import { realPorts, type World, world } from '@savepoint/testkit';
import { expect, onTestFinished, test } from 'vitest';

/** Which calls of a session get checkpoints, depending on settings on disk. */
class Place {
  readonly world: World = world(onTestFinished);

  open(savepoint: string | null = null): Savepoint {
    return open({
      dir: this.world.workspace,
      ports: realPorts(),
      places: this.world.places,
      settings: { savepoint },
    });
  }

  at(name: string): string {
    return path.join(Buffer.from(this.world.workspace, 'latin1').toString(), name);
  }

  set(settings: unknown): void {
    const home = Buffer.from(this.world.places.home, 'latin1').toString();
    writeFileSync(path.join(home, 'config.json'), JSON.stringify(settings));
  }

  hasStore(): boolean {
    const stores = path.join(Buffer.from(this.world.places.home, 'latin1').toString(), 'workspaces');
    return existsSync(stores) && readdirSync(stores).length > 0;
  }
}

/** Names of the tools whose calls made a checkpoint. */
async function bracketed(p: Place, calls: readonly CallRequest[]): Promise<readonly string[]> {
  const savepoint = p.open();
  const session = savepoint.session({ agent: 'mine' });
  await session.start();
  for (const [index, call] of calls.entries()) {
    await session.call(call, () => writeFileSync(p.at(`f${index}`), `${index}\n`));
  }
  const { checkpoints } = await savepoint.list();
  return checkpoints
    .flatMap(({ trigger, tool }) =>
      trigger === 'call' && tool !== null ? [`${tool.name} ${tool.summary}`.trim()] : [],
    )
    .reverse();
}

const CALLS: readonly CallRequest[] = [
  { tool: 'Write', kind: 'write', paths: ['f0' as TreePath] },
  { tool: 'Edit', kind: 'edit', paths: ['f1' as TreePath] },
  { tool: 'Bash', kind: 'shell', args: { command: 'ls' } },
  { tool: 'Bash', kind: 'shell', args: { command: 'cd a && rm b' } },
  { tool: 'Other' },
];

test.each([
  [{}, ['Write', 'Edit', 'Bash ls', 'Bash cd a && rm b', 'Other']],
  [{ triggers: { before_write: false } }, ['Edit', 'Bash ls', 'Bash cd a && rm b', 'Other']],
  [{ triggers: { before_edit: false } }, ['Write', 'Bash ls', 'Bash cd a && rm b', 'Other']],
  [{ triggers: { before_bash: false } }, ['Write', 'Edit', 'Other']],
  [{ bash_patterns: ['rm *'] }, ['Write', 'Edit', 'Bash cd a && rm b', 'Other']],
  [{ triggers: ['before_bash', 'on_request'], bash_patterns: ['rm *'] }, ['Bash cd a && rm b', 'Other']],
  [{ triggers: [] }, []],
])('%j', async (settings, expected) => {
  const p = new Place();
  p.set(settings);
  expect(await bracketed(p, CALLS)).toEqual(expected);
});

test('a command is given as text or as a list of words', async () => {
  const p = new Place();
  p.set({ bash_patterns: ['rm *'] });
  const shell = (args: unknown): CallRequest => ({ tool: 'Bash', kind: 'shell', args });
  const calls = [shell('ls'), shell('rm a'), shell({ command: ['ls', '-l'] }), shell({ command: ['rm', 'b'] })];
  expect(await bracketed(p, calls)).toEqual(['Bash rm a', 'Bash']);
});

test('a call that began late is not captured if recording is off, but known', async () => {
  const p = new Place();
  const session = p.open().session({ agent: 'mine' });
  await session.start();
  p.set({ enabled: false });
  const { id } = await session.beginLate({ tool: 'Bash', kind: 'shell' });
  expect(await session.openCalls()).toMatchObject([{ id, uncaptured: true }]);
  await session.end(id);
  expect(await session.openCalls()).toEqual([]);
  expect((await p.open().list()).checkpoints).toHaveLength(1);
});

test('no checkpoint at prompts', async () => {
  const p = new Place();
  p.set({ triggers: { on_prompt: false } });
  const savepoint = p.open();
  const session = savepoint.session({ agent: 'mine' });
  await session.start();
  expect(await session.prompt('Do it.', 'm-1')).toBeNull();
  await session.call({ tool: 'Write', kind: 'write', paths: ['a' as TreePath] }, () => writeFileSync(p.at('a'), 'a\n'));
  const { checkpoints } = await savepoint.list();
  expect(checkpoints.map(({ trigger }) => trigger)).toEqual(['call', 'session']);
  // The position in the conversation is still known.
  expect(checkpoints[0]?.conversation?.messageId).toBe('m-1');
});

test.each(['file', 'environment'])('off by the %s: a session does nothing, and creates no store', async (by) => {
  const p = new Place();
  if (by === 'file') p.set({ enabled: false });
  const savepoint = p.open(by === 'file' ? null : 'off');
  const session = savepoint.session({ agent: 'mine' });
  await session.start();
  await session.prompt('Do it.');
  let ran = 0;
  for (const call of CALLS) await session.call(call, () => ran++);
  const late = await session.beginLate(CALLS[2] as CallRequest);
  await session.end(late.id);
  await session.close();
  expect(ran).toBe(CALLS.length);
  expect(p.hasStore()).toBe(false);
  // An explicit checkpoint still works.
  await savepoint.checkpoint();
  expect(p.hasStore()).toBe(true);
});

test('a call that began is recorded, even if it turns recording off', async () => {
  const p = new Place();
  const savepoint = p.open();
  const session = savepoint.session({ agent: 'mine' });
  await session.start();
  await session.call({ tool: 'Bash', kind: 'shell', id: 'c-1' }, () =>
    writeFileSync(p.at('.savepoint.json'), '{"enabled":false}'),
  );
  const { checkpoints } = await savepoint.list();
  expect(checkpoints[0]?.changes?.map((change) => change.path)).toEqual(['.savepoint.json']);
  await session.call({ tool: 'Bash', kind: 'shell', id: 'c-2' }, () => writeFileSync(p.at('a'), 'a\n'));
  expect((await savepoint.list()).checkpoints).toHaveLength(2);
});

test('an unusable settings file is reported to the caller', async () => {
  const p = new Place();
  p.set({ nonsense: 1 });
  const session = p.open().session({ agent: 'mine' });
  const failed = await session.begin({ tool: 'Bash', kind: 'shell' }).catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(SavepointError);
  expect((failed as SavepointError).code).toBe('BAD_CONFIG');
});
