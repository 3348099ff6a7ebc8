import { expect, it } from 'vitest';
import { type LaterWork, reversalOf } from '../web/changes/reversals.ts';
import { type PatchHunk, patchHunks } from '../web/diff/patch.ts';

/** Whether the lines of a hunk are still there, from the difference between the state that is shown and now. */

const SHOWN = hunkOf('@@ -1,6 +1,7 @@\n one\n-two\n+TWO\n three\n four\n+four and a half\n five\n six\n');

it.each<readonly [what: string, now: string, expected: ReturnType<typeof reversalOf>]>([
  ['nothing', '', null],
  [
    'all of it back',
    '@@ -1,7 +1,6 @@\n one\n-TWO\n+two\n three\n four\n-four and a half\n five\n six\n',
    { by: 'cp_7', isWhole: true },
  ],
  ['a part of it back', '@@ -1,5 +1,5 @@\n one\n-TWO\n+two\n three\n four\n', { by: 'cp_7', isWhole: false }],
  ['other lines in the same place', '@@ -1,5 +1,5 @@\n one\n-TWO\n+zwei\n three\n four\n', null],
  ['the same lines elsewhere', '@@ -20,3 +20,3 @@\n x\n-TWO\n+two\n y\n', null],
])('later, %s', (_what, now, expected) => {
  const hunks = now === '' ? [] : [hunkOf(now)];
  expect(reversalOf(SHOWN, { hunks, operations: [{ checkpoint: 'cp_7', hunks }] })).toEqual(expected);
});

it('names the newest operation that did it, and none if another one did', () => {
  const back = hunkOf('@@ -1,5 +1,5 @@\n one\n-TWO\n+two\n three\n four\n');
  const other = hunkOf('@@ -1,3 +1,3 @@\n-ONE\n+one\n two\n three\n');
  const by = (...operations: LaterWork['operations']) => reversalOf(SHOWN, { hunks: [back], operations })?.by;
  const [cp9, cp8] = [
    { checkpoint: 'cp_9', hunks: [other] },
    { checkpoint: 'cp_8', hunks: [back] },
  ];
  expect([by(cp9, cp8), by(cp9)]).toEqual(['cp_8', null]);
});

function hunkOf(text: string): PatchHunk {
  const [hunks = []] = patchHunks(`diff --git a/a b/a\n--- a/a\n+++ b/a\n${text}`).values();
  return hunks[0] as PatchHunk;
}
