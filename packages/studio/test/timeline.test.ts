import { expect, it } from 'vitest';
import { isNewWork, newestPage } from '../web/data/newest-page.ts';
import { refresher } from '../web/data/refresher.ts';
import { type LaneCell, lanesOf, type Sessions } from '../web/timeline/lanes.ts';
import { type Fork, type Page, type Row, rowsOf, type Turn } from '../web/timeline/rows.ts';
import { type TimelineSearch, timelineSearch } from '../web/timeline/search.ts';

/** The rows of the timeline, what its filters let through, and the lanes beside the rows. */

const NOW = Date.parse('2026-05-12T12:00:00Z');
const HOUR = 3_600_000;

it('shows sessions of the same time in lanes of their own, and reuses a lane that is free again', () => {
  const pages = [page([turn(9, 'c'), turn(7, 'a'), turn(5, 'b'), turn(3, 'a')])];
  const sessions = [session('c', 9, 9), session('b', 4, 5), session('a', 2, 7)];
  expect(drawn(pages, { sessions })).toEqual(['c0', 'a0v', 'a0| b1', 'a0^']);
});

it('lets a lane go on below the loaded rows, and keeps its column when a newer session begins', () => {
  const pages = [page([turn(9, 'c'), turn(7, 'a'), turn(5, 'b')])];
  const sessions = [session('c', 6, 9), session('b', 5, 5), session('a', 2, 7)];
  expect(drawn(pages, { sessions, isCut: true })).toEqual(['c1', 'a0v', 'a0| b1']);
});

it('shows where a fork left; its lane ends where all of it was merged', () => {
  const merge = checkpoint(8, { trigger: 'merge', description: 'Merged fork done' });
  const pages = [{ ...page([turn(9, 'a'), turn(5, 'a')]), checkpoints: [merge] } as unknown as Page];
  const forks = [fork('open', 'cp_9', 'changed'), fork('done', 'cp_5', 'merged')];
  const sessions = [session('a', 5, 9)];
  const rows = rowsOf({ pages, forks, search: {}, matching: null, now: NOW });
  expect(rows.map(({ key }) => key)).toEqual(['day Today', 'fork open', 'a:cp_9:', 'cp_8', 'fork done', 'a:cp_5:']);
  expect(drawn(pages, { sessions, forks })).toEqual([
    'fork open2^',
    'a0v',
    'a0| fork done1v',
    'a0| fork done1^',
    'a0^',
  ]);
});

it('has one current row, although older pages were loaded before there was a newer state', () => {
  const newest = {
    ...page([turn(9, 'a', { isCurrent: true }), turn(7, 'a')]),
    current: 'cp_9',
    sameFiles: ['cp_7', 'cp_3'],
  };
  const older = { ...page([turn(5, 'a', { isCurrent: true }), turn(3, 'a')]), current: 'cp_5', sameFiles: ['cp_5'] };
  const rows = rowsOf({ pages: [newest, older] as Page[], forks: [], search: {}, matching: null, now: NOW });
  const marked = (name: 'isCurrent' | 'hasSameFiles') =>
    rows.flatMap((row) => (row.kind === 'turn' && row[name] ? [row.place] : []));
  expect([marked('isCurrent'), marked('hasSameFiles')]).toEqual([[9], [7, 3]]);
});

it.each<readonly [filters: Record<string, string>, places: readonly number[]]>([
  [{}, [9, 7, 5, 3]],
  [{ agent: 'codex' }, [5]],
  [{ session: 'a' }, [7, 3]],
  [{ text: 'TAX cart' }, [7]],
  [{ effect: 'back' }, [5]],
  [{ effect: 'in' }, [9, 7, 3]],
  [{ time: 'hour' }, [9]],
  [{ time: 'day' }, [9, 7, 5]],
  [{ time: 'ever', effect: 'x', grade: 'y' }, [9, 7, 5, 3]],
])('filters by the address: %j', (filters, places) => {
  const turns = [
    turn(9, 'c', { ended: at(0.5) }),
    turn(7, 'a', { prompt: 'The tax in the cart', ended: at(2) }),
    turn(5, 'b', { takenBack: 2, ended: at(20), actor: codex }),
    turn(3, 'a', { ended: at(50) }),
  ];
  expect(placesIn([page(turns)], timelineSearch(filters))).toEqual(places);
});

it('shows the turns that have one of the changes that a filter found', () => {
  const turns = [turn(9, 'a', { before: 'cp_6' }), turn(6, 'b', { before: 'cp_3' }), turn(3, 'a', { before: null })];
  const search = timelineSearch({ file: 'a.txt' });
  expect(placesIn([page(turns)], search, [5, 7])).toEqual([9, 6]);
  expect(placesIn([page(turns)], search, [6])).toEqual([6]);
  expect(placesIn([page(turns)], search, [])).toEqual([]);
});

it('asks only for the newest page again while an agent works', async () => {
  const all = [...Array(30).keys()].map((at) => turn(at + 1, 'a', { began: `began ${at}` })).toReversed();
  const known = { pages: [page(all.slice(0, 10)), page(all.slice(10, 20))], pageParams: [null, 'cp_21'] };
  const now = [...Array(95).keys()].map((at) => turn(125 - at, 'b', { began: `new ${at}` })).concat(all);
  const asked: (string | null)[] = [];
  const load = async (limit: number, before: string | null): Promise<Page> => {
    asked.push(before);
    const from = now.findIndex(({ place }) => before === null || Number(place.slice(3)) < Number(before.slice(3)));
    const rows = now.slice(from, from + limit);
    return { ...page(rows), next: rows.at(-1)?.place ?? null };
  };
  const newest = await newestPage(known, load);
  expect(newest?.turns.map(({ place }) => place)).toEqual(now.slice(0, 105).map(({ place }) => place));
  expect(newest?.next).toBe('cp_21');
  expect(asked).toEqual([null, 'cp_76', 'cp_26']);
  // A turn of the second page goes on: it is not shown twice.
  now.unshift(turn(126, 'a', { began: 'began 15' }));
  expect(await newestPage(known, load)).toBeNull();
});

it.each([
  [{ event: 'calls:changed' }, true],
  [{ event: 'checkpoint:created', checkpoint: { trigger: 'call' } }, true],
  [{ event: 'checkpoint:created', checkpoint: { trigger: 'rollback' } }, false],
  [{ event: 'checkpoint:created' }, false],
  [{ event: 'ready' }, false],
])('knows whether older work may have changed: %j', (event, isNew) => {
  expect(isNewWork(event)).toBe(isNew);
});

it('loads again once for all events that come meanwhile, and never twice at a time', async () => {
  const began: boolean[] = [];
  const ends: (() => void)[] = [];
  const { note, end } = refresher((onlyNewWork) => {
    began.push(onlyNewWork);
    return new Promise((_resolve, reject) => ends.push(() => reject(new Error('it is away'))));
  }, 0);
  note(true);
  note(true);
  await expect.poll(() => began).toEqual([true]);
  for (const onlyNewWork of [true, false, true]) note(onlyNewWork);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(began).toEqual([true]);
  ends[0]?.();
  await expect.poll(() => began).toEqual([true, false]);
  note(true);
  end();
  ends[1]?.();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(began).toEqual([true, false]);
});

function placesIn(pages: readonly Page[], search: TimelineSearch, matching: readonly number[] | null = null) {
  const rows = rowsOf({ pages, forks: [], search, matching, now: NOW });
  return rows.flatMap((row) => ('place' in row ? [row.place] : []));
}

interface Drawn {
  readonly sessions: Sessions;
  readonly forks?: readonly Fork[];
  readonly isCut?: boolean;
}

/** For each row, its lanes as they are drawn: `v` goes down, `^` goes up, `|` both. */
function drawn(pages: readonly Page[], { sessions, forks = [], isCut = false }: Drawn): readonly string[] {
  const rows = rowsOf({ pages, forks, search: {}, matching: null, now: NOW });
  const { cells } = lanesOf({ rows, sessions, forks, isCut });
  return rows
    .filter(({ kind }) => kind !== 'day')
    .map((row: Row) =>
      (cells.get(row.key) ?? [])
        .toSorted((one, other) => one.column - other.column)
        .map(shape)
        .join(' '),
    );
}

function shape({ key, column, goesUp, goesDown }: LaneCell): string {
  const line = goesUp ? (goesDown ? '|' : '^') : goesDown ? 'v' : '';
  return `${key.replace('session ', '')}${column}${line}`;
}

const claude = { kind: 'agent', name: 'claude', version: null, id: null } as const;
const codex = { kind: 'agent', name: 'codex', version: null, id: null } as const;

function at(hoursAgo: number): string {
  return new Date(NOW - hoursAgo * HOUR).toISOString();
}

function turn(place: number, session: string, fields: Partial<Turn> = {}): Turn {
  const id = `cp_${place}`;
  const some = { place: id, after: id, before: null, session, actor: claude, prompt: 'Words', ended: at(1) };
  return { ...some, changes: 2, takenBack: 0, ...fields } as Turn;
}

function checkpoint(number: number, fields: object): Page['checkpoints'][number] {
  return { id: `cp_${number}`, number, session: null, time: at(1), actor: claude, ...fields } as never;
}

function page(turns: readonly Turn[]): Page {
  return {
    turns,
    checkpoints: [],
    damaged: [],
    pinned: [],
    checks: [],
    current: null,
    sameFiles: [],
  } as unknown as Page;
}

function session(id: string, first: number, last: number): Sessions[number] {
  return { id, actor: claude, checkpoints: [`cp_${last}`, `cp_${first}`] } as unknown as Sessions[number];
}

function fork(name: string, checkpoint: string, state: Fork['state']): Fork {
  return { name, id: name, checkpoint, state, created: at(1) } as unknown as Fork;
}
