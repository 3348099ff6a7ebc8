import type { Overview, Savepoint, Session } from '@savepoint/core';
import type { ListView, OverviewQuery } from '@savepoint/core/ports';
import { describe, expect, test } from 'vitest';
import { linesOf, TimelineWorld, tree } from './timeline-world.ts';

const ids = ({ rows }: Pick<Overview, 'rows'>): readonly string[] =>
  rows.map(({ checkpoint, folded }) => [checkpoint, ...folded].map(({ id }) => id.slice(3)).join('+'));

const seen = async (savepoint: Savepoint, query: Partial<OverviewQuery> = {}): Promise<readonly string[]> =>
  ids(await savepoint.overview({ view: 'main', limit: 50, ...query }));

class Hand {
  #count = 0;
  constructor(
    private readonly w: TimelineWorld,
    private readonly session: Session,
  ) {}

  async write(name: string, content: string): Promise<void> {
    this.#count += 1;
    const id = `${this.session.id}-${this.#count}`;
    await this.session.call({ tool: 'Edit', kind: 'edit', paths: tree(name), id }, () => this.w.write(name, content));
  }
}

describe('what a list shows', () => {
  test('important checkpoints, all, manual ones, and those that changed several files', async () => {
    const w = new TimelineWorld();
    const savepoint = w.open();
    w.write('a.ts', 'a\n');
    await savepoint.checkpoint({ message: 'mine' });
    const session = savepoint.session({ agent: 'one', id: 's-1' });
    await session.prompt('Do it.');
    w.write('outside.txt', 'outside\n');
    await session.call({ tool: 'Bash', kind: 'shell', id: 'c-1' }, () => {
      w.write('b.ts', 'b\n');
      w.write('c.ts', 'c\n');
    });
    expect(await seen(savepoint, { view: 'all' })).toEqual(['4', '3', '2', '1']);
    // The one before the call has what was changed from outside.
    expect(await seen(savepoint)).toEqual(['4', '3', '2', '1']);
    expect((await savepoint.overview({ view: 'main', limit: 50 })).hidden).toBe(0);
    expect(await seen(savepoint, { view: 'manual' })).toEqual(['1']);
    expect(await seen(savepoint, { view: 'multi-file' })).toEqual(['4']);
    const ofSession = (view: ListView): Promise<readonly string[]> => seen(savepoint, { view, session: 's-1' });
    expect(await ofSession('all')).toEqual(['4', '3', '2']);
    expect(await ofSession('main')).toEqual(['4', '3', '2']);
  });

  test('a page has the requested number of rows, whatever is folded or omitted', async () => {
    const w = new TimelineWorld();
    const savepoint = w.open();
    const hand = new Hand(w, savepoint.session({ agent: 'one', id: 's-1' }));
    w.write('a.ts', linesOf(9));
    await savepoint.checkpoint();
    for (const line of [1, 2, 3]) await hand.write('a.ts', linesOf(9, { [line]: 'x' }));
    await hand.write('b.ts', 'b\n');
    const first = await savepoint.overview({ view: 'main', limit: 2 });
    expect([ids(first), first.next]).toEqual([['5', '4+3+2'], 'cp_2']);
    const rest = await savepoint.overview({ view: 'main', limit: 2, before: 2 });
    expect([ids(rest), rest.next]).toEqual([['1'], null]);
  });
});

describe('small steps', () => {
  async function start(): Promise<{ w: TimelineWorld; savepoint: Savepoint; hand: Hand; other: Hand }> {
    const w = new TimelineWorld();
    const savepoint = w.open();
    w.write('a.ts', linesOf(20));
    w.write('b.ts', linesOf(20));
    await savepoint.checkpoint();
    const [hand, other] = ['s-1', 's-2'].map((id) => new Hand(w, savepoint.session({ agent: 'one', id }))) as [
      Hand,
      Hand,
    ];
    return { w, savepoint, hand, other };
  }

  test('of one session in one file are one row, up to ten lines in total', async () => {
    const { savepoint, hand } = await start();
    for (const step of [1, 2, 3, 4, 5]) await hand.write('a.ts', linesOf(20 + 3 * step));
    const { rows } = await savepoint.overview({ view: 'main', limit: 50 });
    // Each has three lines; a fourth would make twelve.
    expect(ids({ rows })).toEqual(['6+5+4', '3+2', '1']);
    expect(await seen(savepoint, { view: 'all' })).toEqual(['6', '5', '4', '3', '2', '1']);
  });

  test('of another session, in another file, or after more than a minute, are separate rows', async () => {
    const { w, savepoint, hand, other } = await start();
    await hand.write('a.ts', linesOf(20, { 1: 'x' }));
    await hand.write('b.ts', linesOf(20, { 1: 'x' }));
    await other.write('b.ts', linesOf(20, { 1: 'y' }));
    w.pass(61);
    await other.write('b.ts', linesOf(20, { 1: 'z' }));
    w.pass(60);
    await other.write('b.ts', linesOf(20, { 1: 'zz' }));
    expect(await seen(savepoint)).toEqual(['6+5', '4', '3', '2', '1']);
  });

  test('never hide a requested checkpoint or a call over two files', async () => {
    const { w, savepoint, hand } = await start();
    await hand.write('a.ts', linesOf(20, { 1: 'x' }));
    await savepoint.checkpoint();
    await hand.write('a.ts', linesOf(20, { 1: 'y' }));
    const session = savepoint.session({ agent: 'one', id: 's-1' });
    await session.call({ tool: 'Bash', kind: 'shell' }, () => {
      w.write('a.ts', linesOf(20, { 1: 'z' }));
      w.write('b.ts', linesOf(20, { 1: 'z' }));
    });
    expect(await seen(savepoint)).toEqual(['5', '4', '3', '2', '1']);
  });
});
