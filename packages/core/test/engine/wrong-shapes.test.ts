import { runInNewContext } from 'node:vm';
import { type Savepoint, SavepointError, type Session } from '@savepoint/core';
import { open as openNode } from '@savepoint/core/node';
import { expect, test } from 'vitest';
import { failure } from '../failure.ts';
import { Place } from '../place.ts';

/** What a caller without TypeScript may pass: every call fails with USAGE, and changes nothing. */

const WRONG: readonly unknown[] = [7, true, [], 'text', null];

/** Calls whose first argument is a name, an id or a path. */
const TAKES_TEXT = new Set(
  (
    'show moment cat diffChange exportSession forgetSession link isFrozen pin restore previewRestore createBundle ' +
    'restoreBundle previewRestoreBundle previewDeleteWorkspace deleteWorkspace setTestResult trustChecks ' +
    'reopenCopy fork diffForks openFork runInFork previewMerge mergeFork dropFork plan planHunks recordDecisions decidePlan approvePlan cancelPlan checkPlan splitPlan previewPlan applyPlan runPlan ' +
    'previewRollBackPlan rollBackPlan commitPlan resolveComment deleteComment'
  ).split(' '),
);
const TAKES_LIST = new Set(
  'rootChanges checkSummaries frozenBy freeze unfreeze addToScope dropFromScope edit previewEdit purge previewPurge drop previewDrop createForks compareForks proposeEdits'.split(
    ' ',
  ),
);
const NOT_CHECKED = new Set(
  'pinned notHappened sessions openCalls stats planPolicy guardStatus copies currentFork frozen config workspaces now idle close once on session watch'.split(
    ' ',
  ),
);

type Loose = Record<string, (...given: readonly unknown[]) => unknown>;

test('every call refuses arguments of another shape', async () => {
  const p = new Place();
  const savepoint = p.open();
  await savepoint.checkpoint();
  const calls = Object.keys(savepoint).filter((name) => !NOT_CHECKED.has(name));
  expect(calls.length).toBeGreaterThan(35);
  const loose = savepoint as unknown as Loose;
  for (const name of calls) {
    for (const value of WRONG) {
      if (typeof value === 'string' ? TAKES_TEXT.has(name) : Array.isArray(value) && TAKES_LIST.has(name)) continue;
      const error = await failure(Promise.resolve(loose[name]?.(value)));
      expect(`${name}(${JSON.stringify(value)}): ${error.code}`).toBe(`${name}(${JSON.stringify(value)}): USAGE`);
      expect(error.data).toEqual({ argument: expect.stringMatching(/^[a-z]/) });
    }
  }
  expect((await savepoint.list()).checkpoints.length).toBe(1);
});

test.each([
  ['a misspelled limit of a restore', (s: Loose) => s['restore']?.('last', { path: ['a.txt'] })],
  ['a misspelled limit of a rollback', (s: Loose) => s['rollback']?.({ file: 'a.txt', agent: 'x' })],
  ['an unknown option of a checkpoint', (s: Loose) => s['checkpoint']?.({ mesage: 'x' })],
  ['an unknown option of a clean-up', (s: Loose) => s['gc']?.({ retention: { max_checkpoints: 1 } })],
  ['a name of another kind', (s: Loose) => s['setTestResult']?.('last', 'good')],
  ['a bundle without a name', (s: Loose) => s['createBundle']?.(undefined)],
  ['a choice that does not exist', (s: Loose) => s['undo']?.({ prefer: new Map([['a.txt', 'mine']]) })],
  ['a resolution without bytes', (s: Loose) => s['redo']?.({ resolutions: new Map([['a.txt', { content: 'x' }]]) })],
  ['an unknown mode', (s: Loose) => s['restore']?.('last', { mode: 'all' })],
  ['an edit without its text', (s: Loose) => s['edit']?.([{ path: 'a.txt', edits: [{ op: 'replace', old: 'a' }] }])],
  ['an edit of another kind', (s: Loose) => s['edit']?.([{ path: 'a.txt', edits: [{ op: 'append' }] }])],
  ['a file without edits', (s: Loose) => s['edit']?.([{ path: 'a.txt' }])],
])('%s is refused', async (_, call) => {
  const p = new Place();
  const savepoint = p.open();
  await savepoint.checkpoint();
  const error = await failure(Promise.resolve(call(savepoint as unknown as Loose)));
  expect(error).toMatchObject({ code: 'USAGE', data: { argument: expect.any(String) } });
});

const copy = {};

test.each<readonly [string, (s: Loose) => unknown]>([
  ['restore', (s) => s['restore']?.('cp_1', { paths: [] })],
  ['previewRestore', (s) => s['previewRestore']?.('cp_1', { paths: [] })],
  ['rollback of files', (s) => s['rollback']?.({ agent: 'outside', files: [] })],
  ['rollback of changes', (s) => s['rollback']?.({ agent: 'outside', changes: [] })],
  ['rollback of hunks', (s) => s['rollback']?.({ agent: 'outside', hunks: [] })],
  ['diff', (s) => s['diff']?.({ from: 'cp_1', paths: [] })],
  ['mergeFork', (s) => s['mergeFork']?.('f', { paths: [] })],
  ['fork', (s) => s['fork']?.('f', { paths: [] })],
  ['applyCopy', (s) => s['applyCopy']?.(copy, { description: 'x', paths: [] })],
  ['diffCopy', (s) => s['diffCopy']?.(copy, { paths: [] })],
  ['comments', (s) => s['comments']?.({ paths: [] })],
])('an empty list of %s does not mean all', async (_, call) => {
  const p = new Place();
  p.write('a.txt', 'one\n');
  const savepoint = p.open();
  await savepoint.checkpoint();
  p.write('a.txt', 'two\n');
  await savepoint.checkpoint();
  const error = await failure(Promise.resolve(call(savepoint as unknown as Loose)));
  expect(error).toMatchObject({ code: 'USAGE', data: { argument: expect.any(String) } });
  expect(error.message).toMatch(/ is empty\. Without it/);
  expect(p.read('a.txt').toString()).toBe('two\n');
});

test('a session and a folder need what names them', async () => {
  const p = new Place();
  const savepoint = p.open();
  const codeOf = (work: () => unknown): string | null => {
    try {
      work();
      return null;
    } catch (error) {
      return error instanceof SavepointError ? error.code : String(error);
    }
  };
  for (const given of [undefined, null, {}, { agent: 7 }, { agent: { name: 'x' } }, { agent: 'x', id: 7 }]) {
    expect(codeOf(() => savepoint.session(given as Parameters<Savepoint['session']>[0]))).toBe('USAGE');
  }
  for (const given of [
    () => savepoint.on('restored' as 'restore:completed', () => undefined),
    () => savepoint.on('restore:completed', undefined as never),
    () => savepoint.watch(undefined as never),
    () => savepoint.watch({ signal: {} } as never),
  ]) {
    expect(codeOf(given)).toBe('USAGE');
  }
  expect((await failure(savepoint.once(7 as never))).code).toBe('USAGE');
  for (const given of [undefined, null, {}, { dir: 7 }, 'dir', { dir: '.', home: 1 }]) {
    expect(codeOf(() => openNode(given as Parameters<typeof openNode>[0]))).toBe('USAGE');
  }
});

test('the calls of a session refuse arguments of another shape', async () => {
  const p = new Place();
  const session = p.open().session({ agent: 'mine' });
  await session.start();
  const loose = session as unknown as Loose;
  const wrong: readonly (readonly [keyof Session, readonly unknown[]])[] = [
    ['start', [7]],
    ['start', [{ conversation: 'x' }]],
    ['prompt', []],
    ['prompt', [{ text: 'x' }]],
    ['message', [undefined]],
    ['call', [{}, () => {}]],
    ['call', [{ tool: 'x' }]],
    ['call', [{ tool: 'x', paths: 'a.txt' }, () => {}]],
    ['call', [{ tool: 'x', kind: 'bash' }, () => {}]],
    ['call', [{ tool: 'x', writes: [{ path: 'a.txt' }] }, () => {}]],
    ['begin', [null]],
    ['beginLate', [{ tool: 7 }]],
    ['end', []],
    ['end', ['id', { writes: 'x' }]],
    ['endTurn', [7]],
    ['close', [7]],
    ['rollbackTo', []],
    ['rollbackTo', ['m', { what: 'all' }]],
    ['declaredPaths', ['a.txt']],
    ['markInDoubt', [7]],
    ['notePermission', [{}]],
    ['wasHandled', [7]],
    ['noteHandled', [7]],
  ];
  for (const [name, given] of wrong) {
    const { code } = await failure((async () => loose[name]?.(...given))());
    expect(`${name}(${JSON.stringify(given)}): ${code}`).toBe(`${name}(${JSON.stringify(given)}): USAGE`);
  }
  expect(await session.openCalls()).toEqual([]);
});

test('values of another realm are accepted, as a test runner may pass them', async () => {
  const p = new Place();
  const savepoint = p.open();
  await savepoint.checkpoint();
  p.write('a.txt', 'one\n');
  const { map, bytes } = runInNewContext('({ map: new Map(), bytes: new Uint8Array([120]) })') as {
    readonly map: Map<string, object>;
    readonly bytes: Uint8Array;
  };
  const resolutions = map.set('a.txt', { content: bytes });
  // It is read, and found to be needless.
  expect((await failure(savepoint.restore('last', { resolutions: resolutions as never }))).message).toContain('a.txt');
  expect(
    (await savepoint.restore('last', { prefer: runInNewContext('new Map()') as Map<string, 'ours'> })).restored,
  ).toBe(true);
});
