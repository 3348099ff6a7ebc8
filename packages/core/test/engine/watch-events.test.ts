/** The events of what is not on the timeline: each from the files that tell of it. */

import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Savepoint } from '@savepoint/core';
import { expect, test } from 'vitest';
import { EVENT_KINDS } from '../../src/engine/watch/kinds.ts';
import { Place } from '../place.ts';

test('tells of checks, forks, plans, hooks and the daemon', async () => {
  const p = Place.with({ 'a.ts': 'one\n' });
  const home = Buffer.from(p.world.places.home, 'latin1').toString();
  const seen = join(home, '..', 'seen');
  const script = `echo begun; until [ -e '${seen}' ]; do sleep 0.02; done`;
  const checks = { own: { command: ['sh', '-c', script], kind: 'lint' } };
  p.write('.savepoint.json', JSON.stringify({ checks }));
  const variables = (): Record<string, string> => ({ PATH: process.env['PATH'] ?? '' });
  const savepoint: Savepoint = p.open({ places: { ...p.world.places, variables }, settings: { savepoint: null } });
  await savepoint.checkpoint();
  await savepoint.trustChecks((await savepoint.listChecks()).digest);
  let point = (await savepoint.events({ limit: 1, kinds: EVENT_KINDS })).point ?? '';
  const kinds = EVENT_KINDS.filter((kind) => !['states', 'checkpoints', 'acts'].includes(kind));
  const news = async (): Promise<readonly object[]> => {
    const page = await savepoint.events({ after: point, limit: 100, kinds });
    point = page.point ?? '';
    return page.events.map(({ point: _, ...event }) => event).filter(({ event }) => event !== 'calls:changed');
  };

  // The check runs until a look has found its copy.
  const during: (readonly object[])[] = [];
  const look = async (): Promise<void> => {
    during.push(await news());
    writeFileSync(seen, '');
  };
  await savepoint.check({ rungs: ['copy'], onOutput: () => void look() });
  expect(during.flat()).toEqual([{ event: 'check:started', checkpoint: 'cp_1', began: expect.any(Number) }]);
  const own = { name: 'own', outcome: 'passed', comparison: 'ok', new: 0 };
  expect(await news()).toEqual([{ event: 'check:ended', checkpoint: 'cp_1', checks: [own] }]);

  const [made] = await savepoint.createForks(['f'], { rungs: ['copy'] });
  expect(await news()).toEqual([{ event: 'fork:created', fork: 'f' }]);
  writeFileSync(join(Buffer.from(made?.files ?? '', 'latin1').toString(), 'b.ts'), 'two\n');
  await savepoint.mergeFork('f');
  expect(await news()).toEqual([{ event: 'fork:merged', fork: 'f', checkpoint: expect.stringMatching(/^cp_/) }]);
  await savepoint.dropFork('f', { force: true });
  expect(await news()).toEqual([{ event: 'fork:dropped', fork: 'f' }]);

  const { plan } = await savepoint.proposeEdits([{ path: 'a.ts', edits: [{ op: 'delete' }] }], { intent: 'Remove it' });
  await savepoint.decidePlan(plan.id, [{ path: 'a.ts', accepted: false }]);
  await savepoint.cancelPlan(plan.id);
  expect(await news()).toEqual([
    { event: 'plan:proposed', plan: plan.id },
    { event: 'plan:decided', plan: plan.id },
    { event: 'plan:cancelled', plan: plan.id },
  ]);

  mkdirSync(join(home, 'agents'), { recursive: true });
  const failure = join(home, 'agents/claude.failure.json');
  writeFileSync(failure, JSON.stringify({ time: 1, event: 'x', folder: '/', message: 'no' }));
  symlinkSync(String(process.pid), join(home, 'now'));
  symlinkSync(join(home, 'now'), join(home, 'daemon'));
  expect(await news()).toEqual([
    { event: 'hooks:failed', agent: 'claude' },
    { event: 'daemon:started', pid: process.pid },
  ]);
  rmSync(failure);
  rmSync(join(home, 'now'));
  expect(await news()).toEqual([
    { event: 'hooks:recovered', agent: 'claude' },
    { event: 'daemon:ended', pid: process.pid },
  ]);
});
