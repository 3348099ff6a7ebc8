import { expect, test } from 'vitest';
import { findingCauses } from '../../src/content/finding-causes.ts';

const finding = (path: string, message: string, follows: number | null = null) => ({
  class: follows === null ? 'breaks' : 'follows',
  rule: 'removed-export',
  path,
  message,
  evidence: [{ path: 'a.ts', line: 1 }],
  follows,
});

test('each cause comes once, with all of its places, and what follows from it and from that', () => {
  const found = findingCauses([
    finding('one.ts', 'a is gone'),
    finding('two.ts', 'b is gone'),
    finding('three.ts', 'a is gone'),
    finding('four.ts', 'cannot load', 2),
    finding('five.ts', 'cannot load', 3),
    finding('six.ts', 'cannot load', 1),
  ]);
  const paths = (all: readonly { readonly path: string }[]) => all.map(({ path }) => path);
  expect(found.map(({ places, following }) => [paths(places), paths(following)])).toEqual([
    [
      ['one.ts', 'three.ts'],
      ['four.ts', 'five.ts'],
    ],
    [['two.ts'], ['six.ts']],
  ]);
});
