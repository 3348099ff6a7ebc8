/** Plan mode in the library: who may turn it on, and what agents cannot do while it is on. */

import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { DiskPath } from '@savepoint/core';
import { expect, test } from 'vitest';
import { failure } from '../failure.ts';
import { Place } from '../place.ts';

const AGENT = { actor: { kind: 'agent', name: 'helper' } } as const;
const EDITS = [{ path: 'a.txt', edits: [{ op: 'replace', old: 'one', new: 'ONE' }] }] as const;

const place = (): Place => Place.with({ 'a.txt': 'one\n' });

test('an agent changes nothing but what a person approved', async () => {
  const p = place();
  const [person, agent] = [p.open(), p.open(AGENT)];
  await person.checkpoint();
  p.write('a.txt', 'one\ntwo\n');
  await person.setPlanMode('on');
  const refusals = [
    () => agent.edit(EDITS),
    () => agent.restore('cp_1'),
    () => agent.rollback({ agent: 'outside' }),
    () => agent.setPlanMode('off'),
  ];
  for (const one of refusals) expect((await failure(one())).code).toBe('NEEDS_CONFIRMATION');
  expect(p.read('a.txt')).toBe('one\ntwo\n');
  const { plan, fingerprint } = await agent.proposeEdits(EDITS, { intent: 'Shout' });
  expect((await failure(agent.applyPlan(plan.id))).code).toBe('NEEDS_CONFIRMATION');
  await person.approvePlan(plan.id, fingerprint);
  await agent.applyPlan(plan.id);
  expect(p.read('a.txt')).toBe('ONE\ntwo\n');
  // A person may do everything.
  await person.undo();
  expect(p.read('a.txt')).toBe('one\ntwo\n');
  await person.setPlanMode('off');
  await agent.edit(EDITS);
  expect(p.read('a.txt')).toBe('ONE\ntwo\n');
});

test('a plan that a person applies is not of the turn of its session', async () => {
  const p = place();
  const person = p.open();
  await person.checkpoint();
  const session = person.session({ agent: 'helper', id: 'first' });
  await session.start();
  await session.prompt('Shout.', 'm-1');
  const call = { tool: 'mcp__savepoint__plan', id: 'call', args: {}, own: true };
  await session.begin(call);
  const { plan, fingerprint } = await p
    .open(AGENT)
    .proposeEdits(EDITS, { intent: 'Shout', toolCall: { tool: 'plan', args: {} } });
  await session.end('call');
  expect(plan.session).toBe('first');
  p.write('b.txt', 'by a person\n');
  await person.approvePlan(plan.id, fingerprint);
  await person.applyPlan(plan.id);
  const { rows, turns } = await person.overview({ view: 'turns', limit: 3 });
  expect(rows.map(({ checkpoint }) => checkpoint.trigger)).toEqual(['apply', 'before']);
  expect(turns[0]).toMatchObject({ prompt: 'Shout.', files: 0, calls: 0, changes: 0 });
});

test('it is on for all sessions, or for some', async () => {
  const p = place();
  const savepoint = p.open();
  const [first, second] = ['first', 'second'].map((id) => savepoint.session({ agent: 'helper', id }));
  expect(await first?.isPlanned()).toBe(false);
  await first?.start();
  await second?.start();
  await savepoint.setPlanMode('on', { session: 'fir' });
  expect([await first?.isPlanned(), await second?.isPlanned()]).toEqual([true, false]);
  await savepoint.setPlanMode('on');
  expect([await first?.isPlanned(), await second?.isPlanned()]).toEqual([true, true]);
  expect((await failure(savepoint.setPlanMode('off', { session: 'first' }))).code).toBe('USAGE');
  expect((await savepoint.planMode()).sessions.map(({ session }) => session)).toEqual(['first']);
  await savepoint.setPlanMode('off');
  expect(await savepoint.planMode()).toEqual({ workspace: null, sessions: [] });
  expect((await failure(savepoint.setPlanMode('on', { session: 'third' }))).code).toBe('UNKNOWN_SESSION');
});

test('for one session, it holds for calls of which the session is not known', async () => {
  const p = place();
  const savepoint = p.open();
  const session = savepoint.session({ agent: 'claude', id: 's-1' });
  await session.start();
  const edit = (toolCall: { readonly tool: string; readonly args: unknown }) =>
    p.open({ actor: { kind: 'agent', name: 'claude-code' } }).edit(EDITS, { toolCall });
  await savepoint.setPlanMode('on', { session: 's-1' });
  // Two of our tools run at once, one in a sub-agent.
  const actors = [
    { kind: 'agent', name: 'claude' },
    { kind: 'agent', name: 'claude', id: 'sub' },
  ] as const;
  for (const [index, actor] of actors.entries())
    await session.begin({ tool: 'mcp__savepoint__edit', id: `call-${index}`, args: {}, own: true, actor });
  expect((await failure(edit({ tool: 'edit', args: {} }))).code).toBe('NEEDS_CONFIRMATION');
  await savepoint
    .session({ agent: 'claude', id: 's-2' })
    .begin({ tool: 'mcp__savepoint__edit', id: 'call-3', own: true });
  expect((await failure(edit({ tool: 'edit', args: {} }))).code).toBe('NEEDS_CONFIRMATION');
  expect(p.read('a.txt')).toBe('one\n');
  for (const index of [0, 1]) await session.end(`call-${index}`);
  await edit({ tool: 'edit', args: null });
  expect(p.read('a.txt')).toBe('ONE\n');
});

test('it holds in a workspace inside', async () => {
  const p = place();
  mkdirSync(p.at('nest'));
  writeFileSync(p.at('nest/b.txt'), 'one\n');
  const dir = `${p.world.workspace}/nest` as DiskPath;
  await p.open({ dir, here: true }).checkpoint();
  await p.open().setPlanMode('on');
  const inside = p.open({ dir, here: true, ...AGENT });
  const session = inside.session({ agent: 'helper', id: 's' });
  expect(await session.isPlanned()).toBe(true);
  expect(await session.hold({ tool: 'Write', kind: 'write', paths: [p.at('a.txt')] })).toMatchObject({
    kind: 'outside',
  });
  const edits = [{ path: 'b.txt', edits: [{ op: 'replace', old: 'one', new: 'ONE' }] }] as const;
  expect((await failure(inside.edit(edits))).code).toBe('NEEDS_CONFIRMATION');
  await p.open().setPlanMode('off');
  await p.open({ dir, here: true }).setPlanMode('on');
  expect(await p.open().session({ agent: 'helper', id: 's' }).isPlanned()).toBe(false);
});

test('if it is unknown, it counts as on, and can be turned off', async () => {
  const p = place();
  const savepoint = p.open();
  await savepoint.checkpoint();
  writeFileSync(path.join(await p.store(), 'plan-mode.json'), '{"format":1,"workspace":7}');
  expect((await failure(savepoint.planMode())).code).toBe('STORE_DAMAGED');
  expect((await failure(p.open(AGENT).edit(EDITS))).code).toBe('STORE_DAMAGED');
  await savepoint.setPlanMode('off');
  await p.open(AGENT).edit(EDITS);
  expect(p.read('a.txt')).toBe('ONE\n');
});
