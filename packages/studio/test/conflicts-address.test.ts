import { expect, it } from 'vitest';
import { addressIn, type ConflictsAddress, fragmentOf } from '../web/conflicts/address.ts';
import { type Drafts, openIn } from '../web/conflicts/drafts.ts';
import { draftOf, picksOf } from '../web/conflicts/picks.ts';
import { decided } from '../web/conflicts/result.ts';
import type { ConflictFile, MergedPart, TextSides } from '../web/conflicts/sides.ts';

/** The address of the view of conflicts: it keeps what was decided, and takes over nothing else. */

const file: ConflictFile = { key: 'a.txt', path: 'a.txt', why: '', entries: null, version: 'one' };
const parts: readonly MergedPart[] = [
  { kind: 'merged', content: 'top\n' },
  { kind: 'conflict', base: 'b\n', ours: 'mine\n', theirs: 'other\n' },
  { kind: 'conflict', base: 'c\n', ours: 'mine 2\n', theirs: 'other 2\n' },
];
const sides: TextSides = { ending: '\n', base: '', ours: '', theirs: '', parts };
const address: ConflictsAddress = {
  call: { verb: 'rollback', input: { changes: ['cp_3.1'] } },
  more: { rebase: true, validate: [] },
  isDoneWithView: true,
  file: 'ö 名.txt',
  picks: {},
};

it('comes back from its fragment', () => {
  const fragment = fragmentOf(address);
  expect(fragment).toMatch(/^[\w-]+$/);
  expect(addressIn(fragment)).toEqual(address);
});

it.each([
  ['choices', decided(parts, ['theirs', null]), false],
  ['lines that were edited', { ...decided(parts, ['edited', 'both']), text: 'top\nMINE\nmine 2\nother 2\n' }, true],
])('has %s of a file, and a draft again from them', (_what, result, hasText) => {
  const draft = { kind: 'text', ...result, parts, ending: '\n', version: 'one' } as const;
  const drafts: Drafts = new Map([['a.txt', draft]]);
  const picks = addressIn(fragmentOf({ ...address, picks: picksOf([file], drafts) }))?.picks ?? {};
  const pick = picks['a.txt'] ?? expect.fail('no pick');
  expect('text' in pick).toBe(hasText);
  expect(draftOf(pick, file, sides)).toEqual(hasText ? { ...draft, given: 'unseen' } : draft);
  // Of another version, or with other conflicts, it does not count.
  expect(draftOf(pick, { ...file, version: 'two' }, sides)).toBeNull();
  expect(draftOf(pick, file, { ...sides, parts: parts.slice(0, 2) })).toBeNull();
});

it('counts lines that came with an address as open until they were seen', () => {
  const draft = { kind: 'text', ...decided(parts, ['edited', 'ours']), parts, ending: '\n', version: 'one' } as const;
  const opened = (['unseen', 'seen'] as const).map((given) => openIn(file, { ...draft, given }));
  expect(opened).toEqual([1, 0]);
});

it('takes nothing from an address that only a person may decide, and no other call', () => {
  const of = (given: object) => addressIn(fragmentOf({ ...address, ...given } as ConflictsAddress));
  const input = { checkpoint: 'cp_1', force: true, override: 'because', skipConflicts: true, dryRun: false };
  expect(of({ call: { verb: 'restore', input } })?.call.input).toEqual({ checkpoint: 'cp_1' });
  const plan = { id: 'plan_1', commit: { message: 'x' }, onFailure: 'rollback-all', validate: ['lint'], rebase: true };
  expect(of({ call: { verb: 'planApply', input: plan } })?.call.input).toEqual({ id: 'plan_1' });
  expect(of({ more: { validate: ['lint'] } })?.more).toEqual({ validate: [] });
  expect(of({ more: { force: true, override: 'because', rebase: 'yes' } })?.more).toEqual({});
  expect(
    of({ picks: { a: { of: 'x', text: 'y', regions: [{ from: 0, to: 'z', choice: null }] }, b: 1 } })?.picks,
  ).toEqual({});
  for (const bad of [
    { changes: 3 },
    { agent: {} },
    { id: {} },
    { lines: [{ path: 1 }] },
    { lines: [null] },
    { lines: [{ path: { b64: '=' } }] },
  ])
    expect(of({ call: { verb: 'rollback', input: bad } })).toBeNull();
  const bytes = { lines: [{ path: { b64: '/2EudHh0' }, first: 1, last: 1 }] };
  expect(of({ call: { verb: 'rollback', input: bytes } })?.call.input).toEqual(bytes);
  expect([of({ call: { verb: 'purge', input: {} } }), of({ call: null }), addressIn('%'), addressIn('')]).toEqual([
    null,
    null,
    null,
    null,
  ]);
});
