import type { Ports } from '@savepoint/core/ports';
import { callTool, IssuedPreviews, type ReadyTool, readyTools } from '@savepoint/core/tools';
import { expect, it } from 'vitest';
import { VerbsWorld } from '../verbs/verbs-world.ts';

/** Never ready: it ends when it is told to. */
const ENDLESS: NonNullable<Ports['facts']> = {
  read: (_jobs, signal) =>
    new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason), { once: true })),
};

it('a plan is made, and the answer says that its findings took too long', async () => {
  const w = new VerbsWorld({ facts: ENDLESS });
  w.write('a.ts', 'export const a = 1;\n');
  const { tool, schemas } = (await readyTools()).get('plan_propose') as ReadyTool;
  const files = [{ file_path: 'a.ts', edits: [{ op: 'write', content: 'export const b = 1;\n' }] }];
  const context = { previews: new IssuedPreviews() };
  const { structured } = await callTool(tool, schemas, { files, intent: 'x' }, w.open(), context);
  expect(structured).toMatchObject({ status: 'pending', files: 1 });
  expect(structured['notes']).toEqual([
    `What it breaks elsewhere is not known: they take longer than 5 seconds. plan_check with id ${structured['id']} says it.`,
  ]);
  expect(structured).not.toHaveProperty('findings');
  expect((await w.open().plans()).plans).toHaveLength(1);
}, 30_000);
