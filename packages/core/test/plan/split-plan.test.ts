/** Plans that are split along the imports of their files. */

import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { FileRequest } from '@savepoint/core';
import { describe, expect, test } from 'vitest';
import { Place } from '../place.ts';

const write = (path: string, content: string): FileRequest => ({
  given: path,
  path,
  edits: [{ op: 'write', content }],
  expectedHash: null,
  force: false,
});

/** A chain of three files with a test, a pair, and a file in no language, in new and old folders. */
const PROPOSED: readonly FileRequest[] = [
  write('src/app.ts', "import './api/service';\n"),
  write('src/api/service.ts', "import { x } from './store';\nx;\n"),
  write('src/api/store.ts', 'export const x = 2;\n'),
  write('test/store.test.ts', "import { x } from '../src/api/store';\nx;\n"),
  write('src/other/one.ts', "import './two';\n"),
  write('src/other/two.ts', "import './one';\n"),
  write('notes.txt', 'new\n'),
];

async function proposed(): Promise<{ readonly place: Place; readonly id: string }> {
  const place = Place.with({ 'src/api/store.ts': 'export const x = 1;\n', 'notes.txt': 'old\n' });
  const { plan } = await place.open().proposeEdits(PROPOSED, { intent: 'Change it\nfor a reason' });
  return { place, id: plan.id };
}

/** Each file and folder with its contents. */
function tree(folder: string, prefix = ''): readonly string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    const isFolder = statSync(path).isDirectory();
    return [`${prefix}${name}`, ...(isFolder ? tree(path, `${prefix}${name}/`) : [readFileSync(path, 'utf8')])];
  });
}

async function applied(place: Place, ids: readonly string[]): Promise<readonly string[]> {
  for (const id of ids) {
    await place.open().approvePlan(id, (await place.open().plan(id)).fingerprint);
    await place.open().applyPlan(id);
  }
  return tree(place.at(''));
}

describe('plan split', () => {
  test('shows phases and groups, and changes nothing', async () => {
    const { place, id } = await proposed();
    const { phases, groups, unknown } = await place.open().splitPlan(id);
    expect(phases.map(({ paths }) => paths)).toEqual([
      ['notes.txt', 'src/api/store.ts', 'src/other/one.ts', 'src/other/two.ts', 'test/store.test.ts'],
      ['src/api/service.ts'],
      ['src/app.ts'],
    ]);
    expect(groups.map(({ paths, plan }) => [plan, ...paths])).toEqual([
      [null, 'src/api/service.ts', 'src/api/store.ts', 'src/app.ts', 'test/store.test.ts'],
      [null, 'src/other/one.ts', 'src/other/two.ts'],
      [null, 'notes.txt'],
    ]);
    expect(unknown).toEqual(['notes.txt']);
    const { plans } = await place.open().plans();
    expect(plans.map(({ plan, status }) => [plan.id, status, plan.phases])).toEqual([[id, 'pending', []]]);
  });

  test('sets the phases, which are then applied in order', async () => {
    const { place, id } = await proposed();
    await place.open().splitPlan(id, { into: 'phases' });
    await place.open().approvePlan(id, (await place.open().plan(id)).fingerprint);
    await place.open().applyPlan(id);
    expect(tree(place.at('src'))).toContain('other/one.ts');
    expect(tree(place.at('src'))).not.toContain('app.ts');
    const run = await place.open().runPlan(id);
    expect(run.plan.status).toBe('applied');
    expect(run.plan.phases.map(({ name }) => name)).toEqual(['phase 1', 'phase 2', 'phase 3']);
  });

  test('makes a plan of each group, which together are exactly the plan', async () => {
    const whole = await proposed();
    const wanted = await applied(whole.place, [whole.id]);
    const { place, id } = await proposed();
    await place.open().decidePlan(id, [{ path: 'src/app.ts', accepted: true }]);
    const { plan, groups } = await place.open().splitPlan(id, { into: 'groups' });
    expect(plan.status).toBe('cancelled');
    const parts = (await place.open().plans()).plans.filter((one) => one.status === 'pending');
    expect(parts.map((one) => one.plan.id)).toEqual(groups.map((one) => one.plan));
    expect(parts.map((one) => one.changes.map(({ change }) => change.path))).toEqual(groups.map(({ paths }) => paths));
    expect(parts.map((one) => one.plan.intent.split('\n'))).toEqual(
      [1, 2, 3].map((nth) => [`Change it (group ${nth} of 3)`, 'for a reason']),
    );
    expect(parts.map((one) => one.plan.decisions.map(({ path }) => path))).toEqual([['src/app.ts'], [], []]);
    expect(await applied(place, parts.map((one) => one.plan.id).reverse())).toEqual(wanted);
  });

  test('leaves no empty folder where two groups remove the files of one', async () => {
    const place = Place.with({ 'old/a.ts': 'export {};\n', 'old/b.ts': 'export {};\n', 'c.ts': 'export {};\n' });
    const [fork] = await place.open().createForks(['gone'], { rungs: ['copy'] });
    rmSync(join(fork?.files ?? '', 'old'), { recursive: true });
    rmSync(join(fork?.files ?? '', 'c.ts'));
    const { plan } = await place.open().proposeFrom({ fork: 'gone' }, { intent: 'Remove them' });
    const { groups } = await place.open().splitPlan(plan.id, { into: 'groups' });
    expect(groups.map(({ paths }) => paths)).toEqual([['old/a.ts', 'old/b.ts'], ['c.ts']]);
    expect(
      await applied(
        place,
        groups.flatMap((one) => one.plan ?? []),
      ),
    ).toEqual([]);
  });

  test('is tried in forks, one for each group', async () => {
    const { place, id } = await proposed();
    const { groups } = await place.open().splitPlan(id, { into: 'groups' });
    const [, second] = groups;
    const part = second?.plan ?? '';
    await place.open().approvePlan(part, (await place.open().plan(part)).fingerprint);
    await place.open().createForks(['second'], { from: part, rungs: ['copy'] });
    await place.open().mergeFork('second');
    expect((await place.open().plan(part)).status).toBe('applied');
  });

  test('is refused if all files are one group, or if something is applied', async () => {
    const place = new Place();
    const { plan } = await place.open().proposeEdits([write('a.txt', 'a\n'), write('b.txt', 'b\n')], { intent: 'x' });
    const error = { code: 'USAGE', message: expect.stringContaining('depend on each other') };
    await expect(place.open().splitPlan(plan.id, { into: 'groups' })).rejects.toMatchObject(error);
    await applied(place, [plan.id]);
    for (const into of ['phases', 'groups'] as const) {
      await expect(place.open().splitPlan(plan.id, { into })).rejects.toMatchObject({ code: 'USAGE' });
    }
  });
});
