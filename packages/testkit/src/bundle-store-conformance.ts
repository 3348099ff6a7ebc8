import assert from 'node:assert/strict';
import type { BundleKey, BundleStore, PutCondition } from '@savepoint/core/ports';

export interface BundleStoreCase {
  readonly name: string;
  run(): Promise<void>;
}

const MAX_BYTES = 1024 * 1024;
const ABSENT: PutCondition = { when: 'absent' };
const ANY: PutCondition = { when: 'any' };

/**
 * Conformance cases for every bundle store, independent of its implementation.
 * @param make returns an empty store
 */
export function bundleStoreConformance(make: () => BundleStore | Promise<BundleStore>): readonly BundleStoreCase[] {
  const cases: readonly (readonly [string, (store: BundleStore) => Promise<void>])[] = [
    ['gives back what was put there, byte for byte', givesBack],
    ['has null for what is not there', hasNull],
    ['never replaces what has to be absent', neverReplaces],
    ['replaces only what still has the tag', replacesTheSame],
    ['of many who write at once under a condition, one does', oneOfMany],
    ['lists by the beginning of keys, in their order', lists],
    ['reads at most the given number of bytes, and refuses a key that leads outside', refuses],
  ];
  return cases.map(([name, run]) => ({ name, run: async () => run(await make()) }));
}

async function givesBack(store: BundleStore): Promise<void> {
  const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, at) => at % 256));
  const tag = await store.put(key('a/one.bundle'), bytes, ABSENT);
  const found = await store.get(key('a/one.bundle'), MAX_BYTES);
  assert.ok(found !== null && tag !== null);
  assert.ok(found.bytes.equals(bytes));
  assert.equal(found.tag, tag);
  await store.put(key('a/empty'), new Uint8Array(0), ANY);
  assert.equal(await textAt(store, 'a/empty'), '');
}

async function hasNull(store: BundleStore): Promise<void> {
  assert.equal(await store.get(key('a/none'), MAX_BYTES), null);
  await store.remove(key('a/none'));
}

async function neverReplaces(store: BundleStore): Promise<void> {
  assert.notEqual(await store.put(key('head.json'), Buffer.from('first'), ABSENT), null);
  assert.equal(await store.put(key('head.json'), Buffer.from('second'), ABSENT), null);
  assert.equal(await textAt(store, 'head.json'), 'first');
}

async function replacesTheSame(store: BundleStore): Promise<void> {
  const same = (tag: string | null): PutCondition => ({ when: 'same', tag: tag as string });
  const first = await store.put(key('head.json'), Buffer.from('first'), ABSENT);
  const second = await store.put(key('head.json'), Buffer.from('second'), same(first));
  assert.notEqual(second, null);
  assert.notEqual(second, first);
  assert.equal(await store.put(key('head.json'), Buffer.from('third'), same(first)), null);
  assert.equal(await textAt(store, 'head.json'), 'second');
  await store.remove(key('head.json'));
  assert.equal(await store.put(key('head.json'), Buffer.from('x'), same(second)), null);
  assert.equal(await textAt(store, 'head.json'), null);
}

async function oneOfMany(store: BundleStore): Promise<void> {
  const writers = Array.from({ length: 8 }, (_, n) => `writer ${n}`);
  const race = async (condition: PutCondition): Promise<readonly string[]> => {
    const tags = await Promise.all(writers.map((text) => store.put(key('head.json'), Buffer.from(text), condition)));
    return writers.filter((_, n) => tags[n] !== null);
  };
  const winners = await race(ABSENT);
  assert.equal(winners.length, 1);
  assert.equal(await textAt(store, 'head.json'), winners[0]);
  await store.put(key('head.json'), Buffer.from('between'), ANY);
  const tag = (await store.get(key('head.json'), MAX_BYTES))?.tag as string;
  const second = await race({ when: 'same', tag });
  assert.equal(second.length, 1);
  assert.equal(await textAt(store, 'head.json'), second[0]);
}

async function lists(store: BundleStore): Promise<void> {
  for (const name of ['b/two', 'a/two', 'a/one', 'ab']) await store.put(key(name), Buffer.from(name), ANY);
  assert.deepEqual(await store.list('a/'), [
    { key: 'a/one', size: 5 },
    { key: 'a/two', size: 5 },
  ]);
  assert.deepEqual(await keysIn(store, ''), ['a/one', 'a/two', 'ab', 'b/two']);
  await store.remove(key('a/one'));
  assert.deepEqual(await keysIn(store, 'a'), ['a/two', 'ab']);
  assert.deepEqual(await keysIn(store, 'none'), []);
}

async function refuses(store: BundleStore): Promise<void> {
  await store.put(key('long'), Buffer.alloc(5000), ANY);
  await assert.rejects(store.get(key('long'), 4999), { code: 'BUNDLE_STORE' });
  for (const wrong of ['../x', 'a/../b', '/x', '', '.x', 'a//b', 'a b']) {
    await assert.rejects(store.put(key(wrong), Buffer.from('x'), ANY), { code: 'BUNDLE_STORE' });
  }
}

function key(text: string): BundleKey {
  return text as BundleKey;
}

async function textAt(store: BundleStore, name: string): Promise<string | null> {
  return (await store.get(key(name), MAX_BYTES))?.bytes.toString() ?? null;
}

async function keysIn(store: BundleStore, prefix: string): Promise<readonly string[]> {
  return (await store.list(prefix)).map((item) => item.key);
}
