/** A watch of everything: what changes in a workspace, from any process, and going on from a point. */

import type { Savepoint, WatchEvent } from '@savepoint/core';
import { expect, onTestFinished, test } from 'vitest';
import { Place } from '../place.ts';
import { tree } from '../timeline/query/timeline-world.ts';

interface Watching {
  readonly events: (WatchEvent & { readonly point: string })[];
  /** Waits for this event. */
  until(told: string): Promise<void>;
  end(): void;
}

/** Short names of events. */
function name(event: WatchEvent): string {
  switch (event.event) {
    case 'calls:changed':
      return `calls ${event.calls.map(({ id }) => id).join(' ')}`.trim();
    case 'state:changed':
      return event.state;
    case 'checkpoint:created':
      return event.checkpoint.id;
    case 'change:recorded':
      return event.change.id;
    default:
      return event.event;
  }
}

const names = ({ events }: Watching): readonly string[] => events.map(name);

function watching(savepoint: Savepoint, after?: string): Watching {
  const controller = new AbortController();
  const end = (): void => controller.abort();
  onTestFinished(end);
  const events: Watching['events'] = [];
  const following = (async () => {
    const from = after === undefined ? {} : { after };
    for await (const event of savepoint.watch({ signal: controller.signal, all: true, ...from })) events.push(event);
  })();
  following.catch(() => {});
  const until = async (told: string): Promise<void> => {
    for (let tries = 0; tries < 500 && !events.some((event) => name(event) === told); tries++)
      await new Promise((resolve) => setTimeout(resolve, 20));
    expect(events.map(name)).toContain(told);
  };
  return { events, until, end };
}

const place = (): Place => Place.with({ 'a.ts': 'one\n' });

test('tells of calls that begin and end, and of states that change', async () => {
  const p = place();
  const watch = watching(p.open());
  const session = p.open().session({ agent: 'mine', id: 's' });
  await session.prompt('Go.', 'm');
  await session.begin({ tool: 'Edit', kind: 'edit', paths: tree('a.ts'), id: 'first' });
  await watch.until('calls first');
  p.write('a.ts', 'two\n');
  await session.end('first');
  await watch.until('cp_2.1');
  await watch.until('calls');
  await p.open().freeze(['other.ts']);
  await watch.until('frozen');
  await p.open().proposeEdits([{ path: 'a.ts', edits: [{ op: 'delete' }] }], {
    intent: 'Remove it',
  });
  await watch.until('plans');
});

test('plan mode and the policy are part of the plans', async () => {
  const p = place();
  p.write('package.json', JSON.stringify({ scripts: { test: 'node a.ts' } }));
  await p.open().checkpoint();
  await p.open().trustChecks((await p.open().listChecks()).digest);
  const plans = async (begun: string, change: () => Promise<unknown>): Promise<void> => {
    const watch = watching(p.open());
    await p.open().freeze([begun]);
    await watch.until('frozen');
    await change();
    await watch.until('plans');
    watch.end();
  };
  await plans('b.ts', () => p.open().setPlanMode('on'));
  await plans('c.ts', () => p.open().setPlanPolicy({ apply: 'checked' }));
});

test('goes on from the point of any event, and misses nothing', async () => {
  const p = place();
  const savepoint = p.open();
  await savepoint.checkpoint();
  const first = watching(savepoint);
  await savepoint.freeze(['a.ts']);
  p.write('b.ts', 'one\n');
  p.write('c.ts', 'one\n');
  await savepoint.checkpoint();
  await first.until('cp_2.2');
  await first.until('frozen');
  first.end();
  const points = new Map(first.events.map((event) => [name(event), event.point]));

  await savepoint.unfreeze(['a.ts']);
  const session = p.open().session({ agent: 'mine', id: 's' });
  await session.begin({ tool: 'Bash', kind: 'shell', id: 'late' });
  const last = first.events.at(-1)?.point;
  const second = watching(p.open(), last);
  await second.until('calls late');
  await second.until('frozen');
  expect(names(second).filter((one) => one.startsWith('cp_2'))).toEqual([]);

  // Within the events of a checkpoint: the whole checkpoint again.
  const third = watching(p.open(), points.get('cp_2.1'));
  await third.until('cp_2.2');
  expect(names(third).slice(0, 3)).toEqual(['cp_2', 'cp_2.1', 'cp_2.2']);
});

test('after a checkpoint, or a point of another version, every state counts as changed or none is known', async () => {
  const p = place();
  const savepoint = p.open();
  await savepoint.checkpoint();
  await savepoint.checkpoint();
  const session = p.open().session({ agent: 'mine', id: 's' });
  await session.begin({ tool: 'Bash', kind: 'shell', id: 'open' });
  const plain = watching(p.open(), 'cp_1');
  await plain.until('calls open');
  const other = watching(p.open(), 'cp_1:00');
  await other.until('frozen');
  await other.until('plans');
  const wrong = p.open().watch({ signal: new AbortController().signal, after: 'yesterday' });
  await expect(wrong.next()).rejects.toMatchObject({ code: 'USAGE' });
});
