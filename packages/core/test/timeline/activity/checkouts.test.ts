import { rmSync } from 'node:fs';
import type { Savepoint, TreePath } from '@savepoint/core';
import { git } from '@savepoint/testkit';
import { describe, expect, test } from 'vitest';
import { linesOf, TimelineWorld, tree } from '../query/timeline-world.ts';
import { type AgentSession, changes, EXACT, takenBack, writes } from './agents.ts';

/** What git brings back with another branch or commit has the authors that it had, and is in effect as it was there. */

const SHELL = { tool: 'Bash', kind: 'shell' } as const;
const [A, NEW, MOVED] = tree('a.txt', 'new.txt', 'moved.txt') as [TreePath, TreePath, TreePath];

const BASE = linesOf(9);
const AGENT = linesOf(9, { 2: 'by one' });
const BOTH = linesOf(9, { 2: 'by one', 8: 'by a person' });

class Repository extends TimelineWorld {
  readonly savepoint: Savepoint;
  readonly one: AgentSession;
  readonly two: AgentSession;

  /** Branches `main` and `other` at the same commit, with a.txt; cp_1. */
  constructor() {
    super();
    this.git('init', '-q', '-b', 'main');
    this.write('a.txt', BASE);
    this.commit();
    this.git('branch', 'other');
    this.savepoint = this.open();
    this.one = this.savepoint.session({ agent: 'one', id: 's-one' });
    this.two = this.savepoint.session({ agent: 'two', id: 's-two' });
  }

  git(...args: readonly string[]): void {
    git(this.at(''), ...args);
  }

  commit(): void {
    this.git('add', '-A');
    this.git('commit', '-q', '-m', 'x');
  }

  async checkOut(branch: string): Promise<void> {
    this.git('switch', '-q', branch);
    await this.savepoint.checkpoint();
  }

  /** `first-last author change`, one for each range. */
  async blamed(path: TreePath = A): Promise<readonly string[]> {
    const { ranges } = await this.savepoint.blame({ path });
    return ranges.map(({ first, last, origin }) => {
      const isKnown = origin.kind === 'change' || origin.kind === 'uncaptured';
      const who = isKnown ? `${origin.change.by.authors[0]?.actor.name} ${origin.change.id}` : origin.kind;
      return `${first}-${last} ${who}`;
    });
  }

  /** The changes by agent one that a rollback would revert, and why it skips the others. */
  async offered(agent = 'one'): Promise<readonly string[]> {
    const { details } = await this.savepoint.previewRollback({ agent }, { least: 'likely' });
    const skipped = details.skipped.map(({ change, why }) => `${change.id}: ${why}`);
    return [...details.chosen.map(({ change }) => change.id), ...skipped];
  }
}

/** cp_2: an agent's line; cp_3: a person's, and both are committed on main. */
async function committed(): Promise<Repository> {
  const r = new Repository();
  await r.savepoint.checkpoint();
  await writes(r, r.one, 'a.txt', AGENT);
  r.write('a.txt', BOTH);
  r.commit();
  await r.savepoint.checkpoint();
  return r;
}

describe('a switch to another branch and back', () => {
  test('there, the changes of the first branch are reverted, and nothing of them is rolled back', async () => {
    const r = await committed();
    await r.checkOut('other'); // cp_4
    expect(r.read('a.txt')).toBe(BASE);
    expect(await takenBack(r.savepoint)).toEqual({ 'cp_2.1': 'cp_4', 'cp_3.1': 'cp_4' });
    expect(await r.blamed()).toEqual(['1-9 older']);
    expect(await r.offered()).toEqual([
      'cp_2.1: it was already reverted by cp_4 (a checkout of another branch or commit)',
    ]);
    expect((await r.savepoint.stats()).changes).toEqual({ all: 1, standing: 0, success: 0 });
  });

  test('back, they are in effect with their authors, and the rollback of the agent keeps the line of the person', async () => {
    const r = await committed();
    await r.checkOut('other'); // cp_4
    await r.checkOut('main'); // cp_5
    expect(await takenBack(r.savepoint)).toEqual({ 'cp_4.1': 'cp_5' });
    expect(await r.blamed()).toEqual(['1-1 older', '2-2 one cp_2.1', '3-7 older', '8-8 outside cp_3.1', '9-9 older']);
    expect(await r.offered()).toEqual(['cp_2.1']);
    await r.savepoint.rollback({ agent: 'one' }, { least: 'likely' });
    expect(r.read('a.txt')).toBe(linesOf(9, { 8: 'by a person' }));
    expect(await takenBack(r.savepoint)).toEqual({ 'cp_2.1': 'cp_6', 'cp_4.1': 'cp_5' });
  });

  test('also with work that was committed there without a checkpoint', async () => {
    const r = new Repository();
    await r.savepoint.checkpoint();
    await writes(r, r.one, 'a.txt', AGENT); // cp_2
    r.write('a.txt', BOTH);
    r.commit();
    await r.checkOut('other'); // cp_3
    expect(await takenBack(r.savepoint)).toEqual({ 'cp_2.1': 'cp_3' });
    await writes(r, r.two, 'a.txt', linesOf(9, { 5: 'by two' })); // cp_4
    r.commit();
    await r.checkOut('main'); // cp_5
    expect(await takenBack(r.savepoint)).toEqual({ 'cp_3.1': 'cp_5', 'cp_4.1': 'cp_5' });
    expect(await r.blamed()).toEqual(['1-1 older', '2-2 one cp_2.1', '3-7 older', '8-8 outside cp_5.1', '9-9 older']);
    expect(await r.offered()).toEqual(['cp_2.1']);
    await r.savepoint.rollback({ agent: 'one' }, { least: 'likely' });
    expect(r.read('a.txt')).toBe(linesOf(9, { 8: 'by a person' }));
  });

  test('if a person made the line again there, without a checkpoint, it is theirs', async () => {
    const r = new Repository();
    await r.savepoint.checkpoint();
    await writes(r, r.one, 'a.txt', AGENT); // cp_2
    r.write('a.txt', BASE);
    await r.savepoint.checkpoint(); // cp_3
    r.write('a.txt', BOTH);
    r.commit();
    await r.checkOut('other'); // cp_4
    r.write('a.txt', linesOf(9, { 5: 'there' }));
    r.commit();
    await r.savepoint.checkpoint(); // cp_5
    await r.checkOut('main'); // cp_6
    expect(await r.offered()).toEqual(['cp_2.1: it was taken back since, and made again from outside (cp_6)']);
    expect(await r.blamed()).toContain('2-2 outside cp_6.1');
  });

  test('again and again, and with the last switch in no checkpoint yet', async () => {
    const r = await committed();
    for (const branch of ['other', 'main', 'other']) await r.checkOut(branch);
    expect(await takenBack(r.savepoint)).toEqual({ 'cp_2.1': 'cp_4', 'cp_3.1': 'cp_4', 'cp_5.1': 'cp_6' });
    r.git('switch', '-q', 'main');
    expect(await r.blamed()).toContain('2-2 one cp_2.1');
    await r.savepoint.rollback({ agent: 'one' }, { least: 'likely' });
    expect(r.read('a.txt')).toBe(linesOf(9, { 8: 'by a person' }));
  });

  test('by a command of an agent', async () => {
    const r = await committed();
    await r.two.call(SHELL, () => r.git('switch', '-q', 'other')); // cp_4
    expect(await takenBack(r.savepoint)).toEqual({ 'cp_2.1': 'cp_4', 'cp_3.1': 'cp_4' });
    await r.two.call(SHELL, () => r.git('switch', '-q', 'main')); // cp_5
    expect(await takenBack(r.savepoint)).toEqual({ 'cp_4.1': 'cp_5' });
    expect(await r.blamed()).toContain('2-2 one cp_2.1');
    expect(await r.offered()).toEqual(['cp_2.1']);
  });

  test('with work on both branches: each has its own in effect', async () => {
    const r = await committed();
    await r.checkOut('other'); // cp_4
    const there = linesOf(9, { 5: 'by two' });
    await writes(r, r.two, 'a.txt', there); // cp_5
    r.commit();
    await r.checkOut('main'); // cp_6
    expect(await takenBack(r.savepoint)).toEqual({ 'cp_4.1': 'cp_6', 'cp_5.1': 'cp_6' });
    expect(await r.offered()).toEqual(['cp_2.1']);
    expect(await r.offered('two')).toEqual([expect.stringContaining('cp_5.1: it was already reverted by cp_6')]);
    const here = linesOf(9, { 2: 'by one', 5: 'here', 8: 'by a person' });
    await writes(r, r.one, 'a.txt', here); // cp_7
    r.commit();
    await r.checkOut('other'); // cp_8
    expect(await takenBack(r.savepoint)).toEqual({
      'cp_2.1': 'cp_4',
      'cp_3.1': 'cp_4',
      'cp_6.1': 'cp_8',
      'cp_7.1': 'cp_8',
    });
    expect(await r.blamed()).toEqual(['1-4 older', '5-5 two cp_5.1', '6-9 older']);
    await r.checkOut('main'); // cp_9
    expect(await r.blamed()).toEqual([
      '1-1 older',
      '2-2 one cp_2.1',
      '3-4 older',
      '5-5 one cp_7.1',
      '6-7 older',
      '8-8 outside cp_3.1',
      '9-9 older',
    ]);
    await r.savepoint.rollback({ agent: 'one' }, { least: 'likely' });
    expect(r.read('a.txt')).toBe(linesOf(9, { 8: 'by a person' }));
  });

  test('a change after the switch back is a change as any other, also in the same lines', async () => {
    const r = await committed();
    await r.checkOut('other'); // cp_4
    await r.checkOut('main'); // cp_5
    r.write('a.txt', linesOf(9, { 2: 'by one, and a person', 8: 'by a person' }));
    await r.savepoint.checkpoint(); // cp_6
    expect(await r.blamed()).toContain('2-2 outside cp_6.1');
    const { plan } = await r.savepoint.previewRollback({ agent: 'one' }, { least: 'likely' });
    expect(plan.conflicts.map(({ path }) => path)).toEqual(['a.txt']);
  });

  test('files that only one of the branches has, and moved ones', async () => {
    const r = new Repository();
    r.write('old.txt', linesOf(20));
    r.commit();
    r.git('branch', '-f', 'other');
    await r.savepoint.checkpoint(); // cp_1
    await writes(r, r.one, 'new.txt', 'new\n'); // cp_2
    await r.one.call(SHELL, () => r.shell('mv old.txt moved.txt && echo more >> moved.txt')); // cp_3
    await r.one.call(SHELL, () => rmSync(r.at('a.txt'))); // cp_4
    r.commit();
    await r.checkOut('other'); // cp_5
    const back = await takenBack(r.savepoint);
    expect(back).toEqual({ 'cp_2.1': 'cp_5', 'cp_3.1': 'cp_5', 'cp_4.1': 'cp_5' });
    await r.checkOut('main'); // cp_6
    expect(Object.keys(await takenBack(r.savepoint)).every((id) => id.startsWith('cp_5.'))).toBe(true);
    expect(await r.blamed(NEW)).toEqual(['1-1 one cp_2.1']);
    expect(await r.blamed(MOVED)).toEqual(['1-20 older', '21-21 one cp_3.1']);
    expect(await r.offered()).toEqual(['cp_2.1', 'cp_3.1', 'cp_4.1']);
    await r.savepoint.rollback({ agent: 'one' }, { least: 'likely' });
    expect(r.read('a.txt')).toBe(BASE);
    expect(r.read('old.txt')).toBe(linesOf(20));
  });
});

describe('other commands of git', () => {
  test('reset takes back what was committed', async () => {
    const r = await committed();
    r.git('reset', '-q', '--hard', 'HEAD~1');
    await r.savepoint.checkpoint(); // cp_4
    expect(await takenBack(r.savepoint)).toEqual({ 'cp_2.1': 'cp_4', 'cp_3.1': 'cp_4' });
    r.git('reset', '-q', '--hard', 'HEAD@{1}');
    await r.savepoint.checkpoint();
    expect(await takenBack(r.savepoint)).toEqual({ 'cp_4.1': 'cp_5' });
  });

  test('a merge brings back what the other branch has; what it has merged is new', async () => {
    const r = new Repository();
    await r.savepoint.checkpoint(); // cp_1
    await writes(r, r.one, 'new.txt', 'new\n'); // cp_2
    await writes(r, r.one, 'a.txt', AGENT); // cp_3
    r.commit();
    await r.checkOut('other'); // cp_4
    r.write('a.txt', linesOf(9, { 8: 'by a person' }));
    r.commit();
    await r.savepoint.checkpoint(); // cp_5
    r.git('merge', '-q', '-m', 'merged', 'main');
    await r.savepoint.checkpoint(); // cp_6
    expect(r.read('a.txt')).toBe(BOTH);
    expect(await r.blamed(NEW)).toEqual(['1-1 one cp_2.1']);
    expect(await r.blamed()).toContain('2-2 outside cp_6.1');
    expect((await takenBack(r.savepoint))['cp_2.1']).toBeUndefined();
    expect((await takenBack(r.savepoint))['cp_3.1']).toBe('cp_4');
  });

  test('a commit does not change who wrote what', async () => {
    const r = new Repository();
    await r.savepoint.checkpoint();
    await writes(r, r.one, 'a.txt', AGENT);
    r.commit();
    await r.savepoint.checkpoint();
    expect(await takenBack(r.savepoint)).toEqual({});
    expect(await r.offered()).toEqual(['cp_2.1']);
  });

  test('checking out a file moves no branch: who did it made the change again', async () => {
    const r = await committed();
    r.git('checkout', '-q', 'HEAD~1', '--', 'a.txt');
    await r.savepoint.checkpoint(); // cp_4
    r.git('checkout', '-q', 'HEAD', '--', 'a.txt');
    await r.savepoint.checkpoint(); // cp_5
    expect(await takenBack(r.savepoint)).toEqual({});
    expect(await r.offered()).toEqual(['cp_2.1: it was taken back since, and made again from outside (cp_5)']);
  });

  test('in one repository, they concern no file of another, and no file outside', async () => {
    const r = new Repository();
    r.write('inner/b.txt', 'b\n');
    git(r.at('inner'), 'init', '-q', '-b', 'main');
    git(r.at('inner'), 'add', '-A');
    git(r.at('inner'), 'commit', '-q', '-m', 'x');
    await r.savepoint.checkpoint(); // cp_1
    await writes(r, r.one, 'inner/b.txt', 'b\none\n'); // cp_2
    r.write('inner/b.txt', 'b\n');
    r.write('a.txt', AGENT);
    r.git('commit', '-q', '-a', '-m', 'x');
    await r.savepoint.checkpoint(); // cp_3
    expect(await takenBack(r.savepoint)).toEqual({});
    r.write('inner/b.txt', 'b\none\n');
    await r.savepoint.checkpoint(); // cp_4
    git(r.at('inner'), 'checkout', '-q', '-f', '-b', 'side');
    git(r.at('inner'), 'commit', '-q', '--allow-empty', '-m', 'y');
    await r.savepoint.checkpoint(); // cp_5
    expect(await takenBack(r.savepoint)).toEqual({ 'cp_4.1': 'cp_5' });
  });
});

test('what a file tool reports to have written is its own, whatever git did meanwhile', async () => {
  const r = await committed();
  await r.checkOut('other'); // cp_4
  const writesBoth = [{ path: A, found: BASE, result: BOTH }];
  await r.two.call({ tool: 'Write', kind: 'write', paths: [A], writes: writesBoth }, () => {
    r.write('a.txt', BOTH);
    r.commit();
  }); // cp_5
  expect((await r.savepoint.show('cp_5')).changes?.[0]?.by).toMatchObject({ grade: 'sure', evidence: 'content' });
  expect(await takenBack(r.savepoint)).toEqual({ 'cp_2.1': 'cp_4', 'cp_3.1': 'cp_4' });
  expect(await r.blamed()).toContain('2-2 two cp_5.1');
});

test('if the change that git made was rolled back, it has no effect', async () => {
  const r = await committed();
  await r.checkOut('other'); // cp_4
  await r.savepoint.rollback(changes('cp_4.1')); // cp_5
  expect(r.read('a.txt')).toBe(BOTH);
  expect(await takenBack(r.savepoint)).toEqual({ 'cp_4.1': 'cp_5' });
  expect(await r.offered()).toEqual(['cp_2.1']);
});

test('a restore names what it brings back from the other branch', async () => {
  const r = await committed();
  await r.checkOut('other'); // cp_4
  const { plan } = await r.savepoint.previewRestore('cp_3', EXACT);
  expect(JSON.stringify(plan)).toContain('reverted by a checkout of another branch or commit in cp_4');
  await r.savepoint.restore('cp_3', EXACT); // cp_5
  expect(await takenBack(r.savepoint)).toEqual({ 'cp_4.1': 'cp_5' });
});

test('without the checkpoint before it, or a list of its changes, it counts as a change from outside', async () => {
  for (const forget of ['drop', 'list'] as const) {
    const r = await committed();
    await r.checkOut('other'); // cp_4
    await r.savepoint.checkpoint({ message: 'between' }); // cp_5
    await r.checkOut('main'); // cp_6
    if (forget === 'drop') await r.savepoint.drop(['cp_5']);
    else r.dropList('cp_6');
    const { entries } = await r.open().history({ limit: 99 });
    expect(entries.map(({ takenBack: by }) => by as string | null)).not.toContain('cp_6');
  }
});
