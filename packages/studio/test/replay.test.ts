import { expect, it } from 'vitest';
import { placeOf, stepsOf } from '../web/replay/steps.ts';

/** The steps of a replay, from what the list of the timeline answers. */

type Page = Parameters<typeof stepsOf>[0][number];

const ACTOR = { kind: 'agent' as const, name: 'claude', id: null };
const COUNTS = { files: 1, added: 1, removed: 0 };

function turn(session: string, before: string | null, after: string): Page['turns'][number] {
  const about = {
    session,
    actor: ACTOR,
    prompt: session,
    ended: '',
    calls: 1,
    changes: 1,
    takenBack: 0,
    testResult: null,
  };
  return { ...about, ...COUNTS, before, after, place: after } as unknown as Page['turns'][number];
}

function checkpoint(id: string, previous: string, files: number): Page['checkpoints'][number] {
  const about = { actor: ACTOR, description: id, time: '', totals: { ...COUNTS, files }, testResult: null };
  return { id, previous, ...about } as unknown as Page['checkpoints'][number];
}

const PAGES = [
  { turns: [turn('b', 'cp_4', 'cp_9'), turn('a', 'cp_7', 'cp_9')], checkpoints: [checkpoint('cp_10', 'cp_9', 2)] },
  { turns: [turn('a', null, 'cp_2')], checkpoints: [checkpoint('cp_3', 'cp_2', 0), checkpoint('cp_4', 'cp_3', 1)] },
];

it('goes from the oldest to the newest, over pages, without checkpoints that changed nothing', () => {
  const steps = stepsOf(PAGES, {});
  expect(steps.map(({ id, from }) => [id, from])).toEqual([
    ['cp_2', null],
    ['cp_4', 'cp_3'],
    ['cp_9', 'cp_4'],
    ['cp_9~1', 'cp_7'],
    ['cp_10', 'cp_9'],
  ]);
  expect(stepsOf(PAGES, { from: 'cp_2', to: 'cp_9' }).map(({ id }) => id)).toEqual(['cp_4', 'cp_9', 'cp_9~1']);
});

it('finds each step by its address, and the nearest one for another checkpoint', () => {
  const steps = stepsOf(PAGES, {});
  expect(steps.map(({ id }) => placeOf(steps, id))).toEqual([0, 1, 2, 3, 4]);
  expect(['cp_3', 'cp_8', 'cp_99', 'garbage', undefined].map((at) => placeOf(steps, at))).toEqual([1, 2, 4, 4, 0]);
});
