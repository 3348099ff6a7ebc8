import { type Project, project } from '@savepoint/testkit/command';
import { expect, it } from 'vitest';
import { type EventReader, readEvents } from './event-reader.ts';
import { endProcess, enter, post, startHere, startStudio, verb, withCheckpoint } from './started.ts';

function change(p: Project, text: string): string {
  p.write('a.txt', `${text}\n`);
  return p.checkpoint();
}

const created = ({ events }: EventReader): readonly string[] =>
  events
    .filter(({ name }) => name === 'checkpoint:created')
    .map(({ data }) => (data['checkpoint'] as { readonly id: string }).id);

const statesIn = ({ events }: EventReader): readonly unknown[] =>
  events.filter(({ name }) => name === 'state:changed').map(({ data }) => data['state']);

const lastIdOf = ({ events }: EventReader): string => events.findLast(({ id }) => id !== null)?.id ?? '';

it('reports what another process does, and nothing from before', async () => {
  const p = withCheckpoint();
  const studio = await startStudio(p);
  const reader = readEvents(studio, await enter(studio));
  await reader.until(() => reader.events.length === 1);
  expect(reader.events).toEqual([{ name: 'ready', id: null, data: { event: 'ready', continues: false } }]);
  change(p, '1');
  await reader.until(() => reader.events.some(({ name }) => name === 'change:recorded'));
  p.restore('cp_1');
  await reader.until(() => reader.events.some(({ name }) => name === 'restore:completed'));
  expect(created(reader)).toEqual(
    p
      .ok('list', '--all')
      .stdout.match(/cp_(?!1\b)\d+(?= {2})/g)
      ?.reverse(),
  );
});

it('misses no event while the server is killed and started again', async () => {
  const p = withCheckpoint();
  const first = await startStudio(p);
  const entered = await enter(first);
  const before = readEvents(first, entered);
  await before.until(() => before.events.length === 1);
  const ids = [change(p, '1'), change(p, '2')];
  await before.until(() => created(before).length === 2);
  await endProcess(first.child, 'SIGKILL');
  ids.push(change(p, '3'), change(p, '4'));

  const second = await startStudio(p);
  // As a page does it: the server proves that it is the same one before it gets the session.
  expect((await post(second, '/api/proof', { id: entered.id, nonce: 'n'.repeat(43) })).status).toBe(200);
  const after = readEvents(second, entered, lastIdOf(before));
  ids.push(change(p, '5'));
  await after.until(() => created(after).includes('cp_6'));
  expect([...new Set([...created(before), ...created(after)])]).toEqual(ids);
  // What was read is not sent again, except for a checkpoint whose events were not all there yet.
  expect(created(after).filter((id) => created(before).includes(id)).length).toBeLessThanOrEqual(1);
});

it('reports other states too, and on return those that changed meanwhile', async () => {
  const p = withCheckpoint();
  const studio = await startStudio(p);
  const entered = await enter(studio);
  const before = readEvents(studio, entered);
  await before.until(() => before.events.length === 1);
  p.ok('freeze', 'a.txt');
  await before.until(() => statesIn(before).includes('frozen'));
  // A file that changed a moment ago is reported again once it is older. A checkpoint takes longer than that.
  change(p, '1');
  await before.until(() => created(before).includes('cp_2'));
  before.close();
  p.ok('scope', 'add', 'a.txt');
  const after = readEvents(studio, entered, lastIdOf(before));
  await after.until(() => statesIn(after).includes('scopes'));
  expect(after.events[0]).toEqual({ name: 'ready', id: null, data: { event: 'ready', continues: true } });
  expect(statesIn(after)).not.toContain('frozen');
});

it.each(['cp_70', 'cp_70:00', 'cp_1x', 'x', '70.all'])(
  'begins again with the id %s, which is no point of this timeline',
  async (id) => {
    const p = withCheckpoint();
    const studio = await startStudio(p);
    const reader = readEvents(studio, await enter(studio), id);
    await reader.until(() => reader.events.length === 1);
    expect(reader.events[0]).toEqual({ name: 'ready', id: null, data: { event: 'ready', continues: false } });
    change(p, '1');
    await reader.until(() => created(reader).includes('cp_2'));
  },
);

it('serves several pages at once, each with all events, and what one does reaches the other', async () => {
  const p = withCheckpoint();
  const studio = await startStudio(p);
  const entered = await enter(studio);
  const readers = Array.from({ length: 4 }, () => readEvents(studio, entered));
  for (const reader of readers) await reader.until(() => reader.events.length === 1);
  p.write('a.txt', 'from a page\n');
  expect((await verb(studio, entered, 'checkpoint', {})).json.status).toBe(0);
  for (const reader of readers) await reader.until(() => created(reader).includes('cp_2'));
  // It ends although pages are open.
  await endProcess(studio.child);
  expect(await studio.ended).toBe(143);
});

it('waits for the first checkpoint of a folder', async () => {
  const p = project();
  p.write('a.txt', '0\n');
  const studio = await startStudio(p);
  const entered = { ...(await enter(studio)), workspace: 'here' };
  const reader = readEvents(studio, entered);
  await reader.until(() => reader.events.length === 1);
  p.checkpoint();
  await reader.until(() => created(reader).includes('cp_1'));
});

it('sends a sign of life, and is idle after a time without a page', async () => {
  const p = withCheckpoint();
  const studio = await startHere(p, { idleMs: 300, heartbeatMs: 50 });
  const started = {
    port: studio.port,
    origin: studio.address.slice(0, -1),
    token: studio.newAddress().split('=')[1] ?? '',
  };
  const { json } = await post(started, '/api/session', { token: started.token });
  const reader = readEvents(started, { session: json.session, workspace: 'here' });
  await reader.until(() => reader.beats() >= 2);
  reader.close();
  await studio.idle;
});
