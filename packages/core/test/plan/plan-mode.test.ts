/** Plan mode in the library: who may turn it on, and what agents cannot do while it is on. */

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { failure } from '../failure.ts';
import { Place } from '../place.ts';

const AGENT = { actor: { kind: 'agent', name: 'helper' } } as const;
const EDITS = [{ path: 'a.txt', edits: [{ op: 'replace', old: 'one', new: 'ONE' }] }] as const;

function place(): Place {
  const p = new Place();
  p.write('a.txt', 'one\n');
  return p;
}

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
