/** A reader of events that ends at any moment, and another one that continues from the last point that it has read. */

import { readFileSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Savepoint } from '@savepoint/core';
import { expect, test } from 'vitest';
import { EVENT_KINDS, type EventKind } from '../../src/engine/watch/kinds.ts';
import { watchEventToJson } from '../../src/verbs/shapes/watch-event.ts';
import { failure } from '../failure.ts';
import { Place } from '../place.ts';
import { tree } from '../timeline/query/timeline-world.ts';

interface Read {
  readonly names: readonly string[];
  readonly points: readonly string[];
  readonly point: string;
  readonly more: boolean;
}

/** A file that is a few milliseconds old counts as changed once more, so these may come twice. */
const WITHOUT_STATES: readonly EventKind[] = EVENT_KINDS.filter((kind) => kind !== 'states');

/** Each page with a library that knows nothing of earlier ones. */
async function read(p: Place, after: string | undefined, limit = 10_000, kinds = WITHOUT_STATES): Promise<Read> {
  const query = { kinds, limit, ...(after === undefined ? {} : { after }) };
  const { events, point, more } = await p.open().events(query);
  return { names: events.map(nameOf), points: events.map((one) => one.point), point: point ?? '', more };
}

function nameOf(event: Parameters<typeof watchEventToJson>[0]): string {
  const json = watchEventToJson(event);
  const about = ['plan', 'fork', 'call', 'session', 'state', 'checkpoint', 'change', 'outcome']
    .map((key) => json[key])
    .find((value) => value !== undefined);
  return `${json.event} ${about === undefined ? '' : typeof about === 'string' ? about : (about as { id: string }).id}`.trim();
}

/** The ref of a checkpoint, in a store that has not packed it. */
function refOf(store: string, number: number): string {
  return join(store, 'objects.git/refs/savepoint/cp', String(number));
}

const CHECKED = { checks: { own: { command: ['sh', '-c', 'test ! -s errors'], kind: 'lint' } } };

function checkedPlace(): { readonly p: Place; readonly open: () => Savepoint } {
  const p = Place.with({ 'a.ts': 'one\n', errors: '', '.savepoint.json': JSON.stringify(CHECKED) });
  const variables = (): Record<string, string> => ({ PATH: process.env['PATH'] ?? '' });
  const open = (): Savepoint => p.open({ places: { ...p.world.places, variables }, settings: { savepoint: null } });
  return { p, open };
}

test('a checkpoint that appears late, with a lower number than the newest, is reported once on return', async () => {
  const p = Place.with({ 'a.ts': 'one\n' });
  await p.open().checkpoint();
  const start = await read(p, undefined);
  for (const text of ['two\n', 'three\n']) {
    p.write('a.ts', text);
    await p.open().checkpoint();
  }
  // As it is while another process has composed it, and not published it yet.
  const ref = refOf(await p.store(), 2);
  const late = readFileSync(ref);
  unlinkSync(ref);
  const created = ({ names }: Read): readonly string[] => names.filter((one) => one.startsWith('checkpoint'));
  const first = await read(p, start.point);
  expect(created(first)).toEqual(['checkpoint:created cp_3']);
  const running = p.open().watch({ signal: AbortSignal.timeout(60_000), after: first.point });
  const next = running.next();
  writeFileSync(ref, late);
  expect((await next).value).toMatchObject({ event: 'checkpoint:created', checkpoint: { id: 'cp_2' } });
  const second = await read(p, first.point);
  expect(created(second)).toEqual(['checkpoint:created cp_2']);
  expect(created(await read(p, second.point))).toEqual([]);
});

test('a reader that ends between any two events continues with the next one', async () => {
  const { p, open } = checkedPlace();
  await open().checkpoint();
  await open().trustChecks((await open().listChecks()).digest);
  const start = await read(p, undefined);
  const session = open().session({ agent: 'mine', id: 's' });
  await session.prompt('Go.', 'm');
  await session.begin({ tool: 'Edit', kind: 'edit', paths: tree('a.ts'), id: 'short' });
  p.write('a.ts', 'two\n');
  await session.end('short');
  await session.begin({ tool: 'Bash', kind: 'shell', id: 'long' });
  const plan = await open().proposeEdits([{ path: 'new.ts', edits: [{ op: 'create', content: 'export {};\n' }] }], {
    intent: 'Add it',
  });
  await open().checkPlan(plan.plan.id, { rungs: ['copy'] });
  await open().approvePlan(plan.plan.id, plan.fingerprint);
  await open().applyPlan(plan.plan.id);
  await open().undo();
  await open().check({ rungs: ['copy'] });
  await open().createForks(['attempt'], { rungs: ['copy'] });
  await open().dropFork('attempt', { force: true });
  const all = await read(p, start.point);
  for (const name of [
    'turn:began s',
    'call:began short',
    'call:ended short',
    'call:began long',
    'calls:changed',
    `plan:proposed ${plan.plan.id}`,
    `plan:checked ${plan.plan.id}`,
    `plan:approved ${plan.plan.id}`,
    `plan:applied ${plan.plan.id}`,
    `plan:rolled-back ${plan.plan.id}`,
    'apply:completed cp_4',
    'check:ended cp_5',
    'fork:created attempt',
    'fork:dropped attempt',
  ])
    expect(all.names).toContain(name);
  expect(all.more).toBe(false);

  for (const [index, point] of all.points.entries()) {
    const rest = await read(p, point);
    // Only the events of one checkpoint may come again, all of them.
    const again = all.names.length - rest.names.length - index - 1;
    expect(again).toBeLessThanOrEqual(0);
    expect(rest.names).toEqual(all.names.slice(index + 1 + again));
    const isWithin = again < 0;
    expect(isWithin).toBe(isWithin && point === all.points[index + again + 1]);
  }
  // In pages of every size, nothing is missed and nothing comes twice.
  for (const limit of [1, 2, 5]) {
    const names: string[] = [];
    for (let page = await read(p, start.point, limit), more = true; more; ) {
      names.push(...page.names);
      more = page.more;
      page = await read(p, page.point, limit);
    }
    expect(names).toEqual(all.names);
  }
});

test('a point that the store no longer knows is answered with what may have changed, and says so', async () => {
  const p = Place.with({ 'a.ts': 'one\n' });
  await p.open().checkpoint();
  const { point } = await read(p, undefined);
  await p.open().checkpoint();
  rmSync(join(await p.store(), 'cache/watch'), { recursive: true });
  const { names, points } = await read(p, point, 100, EVENT_KINDS);
  expect(names.slice(0, 2)).toEqual(['events:missed', 'checkpoint:created cp_2']);
  expect(names).toContain('state:changed plans');
  // A reader that ends after the first of them gets the rest.
  expect((await read(p, points[0], 100, EVENT_KINDS)).names).toEqual(names.slice(1));
});

test('waits for the first event, and answers without one in the end', async () => {
  const p = Place.with({ 'a.ts': 'one\n' });
  expect(await p.open().events({ limit: 1 })).toEqual({ events: [], point: null, more: false });
  const first = p.open().events({ limit: 10, waitMs: 60_000 });
  await p.open().checkpoint();
  const { events, point } = await first;
  expect(events[0]).toMatchObject({ event: 'checkpoint:created', checkpoint: { id: 'cp_1' } });
  expect(await p.open().events({ after: point ?? '', limit: 1, waitMs: 1 })).toEqual({
    events: [],
    point,
    more: false,
  });
  const wrong = await failure(p.open().events({ after: 'yesterday', limit: 1 }));
  expect(wrong.code).toBe('USAGE');
});
