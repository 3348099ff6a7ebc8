import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { type InputOf, VERBS } from '@savepoint/core/frontend';
import { answerText, callTool, IssuedPreviews, type ReadyTool, readyTools } from '@savepoint/core/tools';
import { describe, expect, it } from 'vitest';
import { DamagedWorld } from '../damaged-store.ts';

/** A rollback over checkpoints of which not all changes are known: it does what it can, and says that it is not all. */

/** `cp_1`, and in `cp_2` to `cp_4` one file each by the agent; all of them in `a.md` as well. */
async function threeCalls(): Promise<DamagedWorld> {
  const w = new DamagedWorld();
  w.write('a.md', 'one\n');
  w.write('deep/still.md', 'still\n');
  await w.open().checkpoint();
  for (const number of [2, 3, 4]) await work(w, `n-${number}.md`, `by call ${number}\n`);
  return w;
}

async function work(w: DamagedWorld, file: string, content: string, agent = 'one'): Promise<void> {
  const session = w.open().session({ agent, id: `s-${agent}` });
  await session.call({ tool: 'Write', kind: 'edit', paths: [file as never] }, async () => w.write(file, content));
}

const roll = (w: DamagedWorld, input: InputOf<typeof VERBS.rollback>) =>
  w.call(VERBS.rollback, { includeShared: true, ...input });

const DAMAGES: Readonly<Record<string, readonly [(w: DamagedWorld) => void, string]>> = {
  'a damaged record': [(w) => w.damageObject(w.idOf('refs/savepoint/cp/3:checkpoint.json')), 'unreadable'],
  'a damaged commit': [(w) => w.damageObject(w.idOf('refs/savepoint/cp/3')), 'unreadable'],
  'a damaged ref': [(w) => writeFileSync(w.inStore('objects.git', 'refs', 'savepoint', 'cp', '3'), ''), 'unreadable'],
  'a damaged content': [(w) => w.damageObject(w.idOf('refs/savepoint/cp/3:files/n-3.md')), 'damaged'],
};

describe.each(Object.entries(DAMAGES))('over a checkpoint with %s', (_, [damage, kind]) => {
  it.each<InputOf<typeof VERBS.rollback>>([{ agent: 'one' }, { session: 's-one' }, { after: 'cp_1' }])(
    'a rollback of %j says so in its preview and its result, and does the rest',
    async (selection) => {
      const w = await threeCalls();
      damage(w);
      const preview = await roll(w, { ...selection, dryRun: true });
      expect(preview.incomplete).toMatchObject([{ checkpoint: 'cp_3', kind }]);
      const done = await roll(w, { ...selection, expected: preview.fingerprint });
      expect(done.incomplete).toEqual(preview.incomplete);
      expect(VERBS.rollback.status?.(done)).toBe(5);
      expect(done.plan.paths.map(({ path }) => path)).toContain('n-2.md');
      const left = done.skipped.map(({ path }) => path);
      // The state before a change is that of the checkpoint before it.
      expect(left).toEqual(kind === 'unreadable' ? ['n-4.md'] : ['n-3.md']);
      expect(readFileSync(w.at('n-3.md'), 'utf8')).toBe('by call 3\n');
    },
  );

  it('a rollback of something else is complete', async () => {
    const w = await threeCalls();
    damage(w);
    await work(w, 'b.md', 'b\n', 'two');
    for (const selection of [{ after: 'cp_4' }, { session: 's-two' }, { changes: ['cp_4.1'] }]) {
      expect((await roll(w, { ...selection, dryRun: true })).incomplete).toEqual([]);
    }
  });
});

describe('over a checkpoint with an incomplete list of changes', () => {
  it('a rollback says so', async () => {
    const w = await threeCalls();
    w.damageObject(w.idOf('refs/savepoint/cp/4:files/deep'));
    w.write('deep/still.md', 'more\n');
    await work(w, 'n-5.md', 'by call 5\n');
    const done = await roll(w, { agent: 'one' });
    expect(done.incomplete.map(({ kind }) => kind)).toContain('damaged');
    expect(VERBS.rollback.status?.(done)).toBe(5);
  });

  it('the tools for models say so, too', async () => {
    const w = await threeCalls();
    w.damageObject(w.idOf('refs/savepoint/cp/3'));
    const { tool, schemas } = (await readyTools()).get('rollback') as ReadyTool;
    const given = { agent: 'one', include_shared: true, scope: 'all' };
    const context = { previews: new IssuedPreviews() };
    const { structured } = await callTool(tool, schemas, given, w.open(), context);
    expect(structured).toMatchObject({ incomplete: [{ checkpoint: 'cp_3' }] });
    expect(answerText(tool, structured)).toContain('NOT COMPLETE');
  });
});

describe('over a checkpoint without one of its roots', () => {
  it('a rollback names the root', async () => {
    const w = await threeCalls();
    execFileSync('git', ['init', '-q', w.at('app')]);
    w.write('app/x.txt', 'x\n');
    await w.open().checkpoint();
    w.makeUnreadable(w.at('app'));
    await work(w, 'n-6.md', 'by call 6\n');
    w.makeReadable();
    const done = await roll(w, { agent: 'one' });
    expect(new Set(done.incomplete.map(({ why }) => why))).toEqual(new Set(['app could not be captured']));
    expect(VERBS.rollback.status?.(done)).toBe(5);
    expect((await roll(w, { agent: 'one', paths: ['n-2.md'], dryRun: true })).incomplete).toEqual([]);
  });
});
