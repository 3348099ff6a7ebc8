import type { Checkpoint, RecordedChange, RootState, TreePath } from '@savepoint/core';
import { expect, test } from 'vitest';
import type { FileEntry } from '../../../src/model/entries.ts';
import { changeId, checkpointId } from '../../../src/model/ids.ts';
import { type CheckedOut, Checkouts } from '../../../src/timeline/activity/checkouts.ts';
import type { CheckpointReader } from '../../../src/timeline/activity/reader.ts';

/** How many records the search for what git brought back reads. */

const MANY = 2_000;

/** One version of many files. */
interface Version {
  readonly commit: number;
  readonly text: number;
}

class Timeline {
  readonly checkpoints: Checkpoint[] = [];
  /** The number of times that each record was yielded. */
  readonly reads = new Map<number, number>();
  #text = 0;

  add({ commit, text }: Version, paths = 1): void {
    const number = this.checkpoints.length + 1;
    const before = this.#text;
    const changes = text === before ? [] : Array.from({ length: paths }, (_, at) => written(number, at, before, text));
    this.#text = text;
    this.checkpoints.push({
      id: checkpointId(number),
      number,
      previous: number === 1 ? null : checkpointId(number - 1),
      trigger: 'manual',
      roots: [rootAt(commit)],
      changes,
    } as unknown as Checkpoint);
  }

  checkouts(mostStates?: number): Checkouts {
    const { checkpoints, reads } = this;
    const reader: CheckpointReader = {
      find: (id) => checkpoints.find((one) => one.id === id),
      *upTo(number) {
        for (const one of [...checkpoints].reverse()) {
          if (one.number > number) continue;
          reads.set(one.number, (reads.get(one.number) ?? 0) + 1);
          yield one;
        }
      },
    };
    return new Checkouts(reader, () => undefined, mostStates);
  }
}

function numbers(found: CheckedOut): ReadonlyMap<string, number> {
  return new Map([...found].map(([path, { number }]) => [path, number]));
}

function rootAt(commit: number): RootState {
  const id = commit.toString(16).padStart(40, '0');
  return { path: '' as TreePath, kind: 'repository', branch: null, commit: id, operation: null };
}

function written(checkpoint: number, at: number, before: number, after: number): RecordedChange {
  const entry = (text: number): FileEntry => ({ kind: 'file', mode: 0o644, id: `${text}`.padStart(40, '0') as never });
  const by = { authors: [{ actor: { kind: 'outside', name: 'outside' } }], grade: 'sure', evidence: 'no-call' };
  const change = { path: `f${at}`, from: null, before: entry(before), after: entry(after), by };
  return { ...change, id: changeId(checkpoint, at + 1) } as unknown as RecordedChange;
}

test('reads each record once, newest first, and only as far as it must, also for thousands of paths', () => {
  const timeline = new Timeline();
  for (let text = 1; text <= 10; text++) timeline.add({ commit: 1, text }, MANY);
  timeline.add({ commit: 2, text: 8 }, MANY); // cp_11
  timeline.add({ commit: 1, text: 10 }, MANY); // cp_12
  timeline.add({ commit: 3, text: 99 }, MANY); // cp_13: nobody had this
  const checkouts = timeline.checkouts();
  expect(numbers(checkouts.of(timeline.checkpoints[11] as Checkpoint))).toEqual(
    new Map(Array.from({ length: MANY }, (_, at) => [`f${at}`, 10])),
  );
  expect([...timeline.reads.keys()]).toEqual([11]);
  expect(checkouts.of(timeline.checkpoints[10] as Checkpoint).get('f7' as TreePath)?.number).toBe(8);
  expect([...timeline.reads.keys()]).toEqual([11, 10, 9]);
  const all = timeline.checkouts();
  timeline.reads.clear();
  for (const checkpoint of [...timeline.checkpoints].reverse()) all.of(checkpoint);
  expect(all.of(timeline.checkpoints[12] as Checkpoint).size).toBe(0);
  expect(Math.max(...timeline.reads.values())).toBe(1);
});

test('reads no record for each path, even if records list more than is kept', () => {
  const timeline = new Timeline();
  for (let text = 1; text <= 60; text++) timeline.add({ commit: text, text }, 100);
  timeline.add({ commit: 61, text: 58 }, 100);
  const checkouts = timeline.checkouts(1_000);
  const found = [...timeline.checkpoints]
    .reverse()
    .map((checkpoint) => checkouts.of(checkpoint).get('f7' as TreePath)?.number);
  expect(found.filter((number) => number !== undefined)).toEqual([58]);
  expect(Math.max(...timeline.reads.values())).toBeLessThanOrEqual(3);
});

test('reads nothing for checkpoints with which HEAD did not move', () => {
  const timeline = new Timeline();
  for (let text = 1; text <= 9; text++) timeline.add({ commit: 1, text: text % 2 });
  timeline.add({ commit: 2, text: 1 }); // a commit
  const checkouts = timeline.checkouts();
  for (const checkpoint of timeline.checkpoints) expect(checkouts.of(checkpoint).size).toBe(0);
  expect(timeline.reads.size).toBe(0);
});

test('does not look further back than a thousand checkpoints', () => {
  const timeline = new Timeline();
  timeline.add({ commit: 1, text: 1 });
  timeline.add({ commit: 1, text: 2 });
  for (let count = 0; count < 997; count++) timeline.add({ commit: 1, text: 2 });
  timeline.add({ commit: 2, text: 1 }); // cp_1000
  timeline.add({ commit: 1, text: 3 });
  for (let count = 0; count < 1_000; count++) timeline.add({ commit: 1, text: 3 });
  timeline.add({ commit: 2, text: 1 }); // cp_2002
  const checkouts = timeline.checkouts();
  expect(checkouts.of(timeline.checkpoints.at(-1) as Checkpoint).size).toBe(0);
  expect(Math.min(...timeline.reads.keys())).toBeGreaterThan(1_000);
  expect(numbers(checkouts.of(timeline.checkpoints[999] as Checkpoint))).toEqual(new Map([['f0', 1]]));
});
