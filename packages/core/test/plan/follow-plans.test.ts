/** What people say about the plans of an agent in a copy is passed on to it as long as it works. */

import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Place } from '../place.ts';

test('begins before the copy has a home, and goes on when the store could not be read for a while', async () => {
  const p = Place.with({ 'a.txt': 'a\n' });
  const savepoint = p.open();
  const copy = await savepoint.openCopy({ purpose: 'isolated', isLong: true, rungs: ['copy'] });
  const edit = { given: 'a.txt', path: 'a.txt', edits: [{ op: 'delete' }], expectedHash: null, force: false } as const;
  const { plan } = await savepoint.proposeEdits([edit], { intent: 'Try it' });
  const session = savepoint.session({ agent: 'mine' });
  const end = new AbortController();
  const followed = savepoint.followPlans(copy, {
    session: session.id,
    agent: 'mine',
    plan: plan.id,
    signal: end.signal,
  });
  // It is there as soon as a program runs in the copy.
  await setTimeout(300);
  mkdirSync(join(copy.copy.record.place, 'home'));
  const news = join(copy.copy.record.place, 'home/plan-news.json');
  const has = (words: string) => () => existsSync(news) && readFileSync(news, 'utf8').includes(words);
  await until(has('"news":[]'));

  const store = await p.store();
  renameSync(store, `${store}-away`);
  await setTimeout(700);
  renameSync(`${store}-away`, store);
  await savepoint.notePlan(plan.id, 'Louder.');
  await until(has('Louder.'));
  end.abort();
  expect(await followed).toMatchObject([{ id: plan.id, words: ['Louder.'] }]);
});

async function until(isSo: () => boolean): Promise<void> {
  for (let tries = 0; !isSo(); tries++) {
    expect(tries).toBeLessThan(600);
    await setTimeout(50);
  }
}
