import { expect, it } from 'vitest';
import { lineInProposal } from '../web/plans/line-in-proposal.ts';
import type { PictureFile } from '../web/review/picture/graph.ts';
import { layersOf } from '../web/review/picture/layers.ts';
import { layoutOf } from '../web/review/picture/layout.ts';

/** How the page of Studio places findings, and the files of the picture of a change. */

it('finds a line of what is left of a plan in everything that it proposes', () => {
  const hunk = (number: number, before: [number, number], after: [number, number], accepted: boolean | null) => ({
    number,
    before: { start: before[0], count: before[1] },
    after: { start: after[0], count: after[1] },
    accepted,
  });
  // Two lines that were to become five stay two; a later part is accepted.
  const hunks = [hunk(1, [10, 2], [10, 5], false), hunk(2, [20, 1], [23, 2], true)];
  expect([10, 11, 12, 13, 21].map((line) => lineInProposal({ hunks }, line))).toEqual([10, 11, 11, 16, 24]);
  expect(lineInProposal({ hunks: null }, 7)).toBe(7);
});

it('puts what is needed above what needs it, also if files need each other, and no file over another', () => {
  const needs = { a: [], b: ['a'], c: ['b', 'd'], d: ['c'], e: ['d'], lone: [], out: ['e'], far: ['out'] };
  const graph = new Map(Object.entries(needs).map(([key, its]) => [key, fileOf(key, its, needs)]));
  const layers = layersOf(graph);
  expect(layers.map(({ files }) => files.map(({ key }) => key).sort())).toEqual([
    ['a'],
    ['b'],
    ['c', 'd'],
    ['e'],
    ['lone'],
    ['out'],
    ['far'],
  ]);
  for (const width of [260, 700, 1400]) {
    const { files, height } = layoutOf(layers, width);
    const places = files.map(({ box }) => `${box.x} ${box.y}`);
    expect(new Set(places).size).toBe(graph.size);
    expect(files.every(({ box }) => box.x + box.width <= width && box.y + box.height <= height)).toBe(true);
  }
});

function fileOf(key: string, needs: readonly string[], all: Readonly<Record<string, readonly string[]>>): PictureFile {
  const neededBy = Object.keys(all).filter((one) => all[one]?.includes(key));
  const operation = key === 'out' || key === 'far' ? null : 'write';
  return { key, title: `src/${key}.ts`, operation, breaks: 0, others: 0, line: null, needs, neededBy };
}
