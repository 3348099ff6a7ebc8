import { expect, it } from 'vitest';
import { localTime, relativeTime } from '../src/show/format.ts';
import { reasonLines } from '../src/show/reasons.ts';

const NOW = Date.UTC(2026, 0, 31, 12);

it.each([
  [0, '0 s ago'],
  [59_999, '59 s ago'],
  [60_000, '1 min ago'],
  [3_599_999, '59 min ago'],
  [3_600_000, '1 h ago'],
  [86_400_000, '1 day ago'],
  [27 * 86_400_000, '27 days ago'],
])('an age of %i ms is %s', (age, text) => {
  expect(relativeTime(new Date(NOW - age).toISOString(), NOW)).toBe(text);
});

it('older times, and times in the future, are absolute', () => {
  for (const age of [28 * 86_400_000, -1]) {
    const iso = new Date(NOW - age).toISOString();
    expect(relativeTime(iso, NOW)).toBe(localTime(iso));
  }
});

it('a reason that several paths have is said once', () => {
  const listed = [
    { path: 'a', reason: 'changed' },
    { path: 'b', reason: 'gone' },
    { path: 'c', reason: 'changed' },
  ];
  const lines = reasonLines(listed, ({ path, reason }) => `${path} (${reason})`);
  expect(lines).toEqual(['changed:', '  a', '  c', 'b (gone)']);
});
