import { bytesFromText, type DiskPath, open } from '@savepoint/core';
import { nodePlaces, nodePorts } from '@savepoint/core/node';
import { project } from '@savepoint/testkit/command';
import { expect, it } from 'vitest';
import { openStudio } from './browser.ts';
import { hookedTurn } from './hooked-turn.ts';

const CHECKS = {
  types: { command: ['sh', '-c', 'cat errors; test ! -s errors'], kind: 'lint' },
  unit: { command: ['true'], kind: 'build' },
};

it('marks a turn with how its checks went, and draws figures over time with a table behind them', async () => {
  const p = project();
  p.write('errors', '');
  p.write('.savepoint.json', JSON.stringify({ checks: CHECKS }));
  p.checkpoint();
  const environment = p.environment();
  const places = { ...nodePlaces(environment), variables: () => ({ PATH: environment['PATH'] ?? '' }) };
  const savepoint = open({ dir: bytesFromText(p.dir) as DiskPath, ports: nodePorts(), places });
  await savepoint.trustChecks((await savepoint.listChecks()).digest);
  const { page, base, errors } = await openStudio(p);
  await page.getByText('Live', { exact: true }).waitFor();
  hookedTurn(p, 'Break the types', { errors: 'a.ts: one is no number\n' });
  const turn = page.locator('.turn-row', { hasText: 'Break the types' });
  await turn.waitFor();
  // It appears while the page is open.
  await savepoint.check({ rungs: ['copy'] });
  await turn.getByText('✗ types: 1 new failure').waitFor();
  await page.goto(`${base}/now`);
  await page.locator('.agent-row', { hasText: 'Break the types' }).getByText('✗ types: 1 new failure').waitFor();

  await page.goto(`${base}/overview`);
  await page.getByRole('img', { name: /^Checks\. passed: 1, failed: 1\. Highest: 1\.$/ }).waitFor();
  await page.getByRole('img', { name: /^Turns and checkpoints\. turns: 1, / }).waitFor();
  await page.getByText('Show as a table').press('Enter');
  const newest = page.getByRole('row').nth(1);
  await newest.waitFor();
  expect(await newest.getByRole('cell').first().textContent()).toBe('1');
  await page.getByRole('button', { name: '12 weeks' }).press('Enter');
  await expect.poll(() => page.getByRole('row').count()).toBe(13);
  // The hooks of this agent reported events, and are in no settings.
  await page.getByText('Its hooks are not installed here any more').waitFor();
  await page.getByText('Not running. Hooks work without it').waitFor();
  await page.getByText('1,000 checkpoints').waitFor();
  expect(errors).toEqual([]);
});
