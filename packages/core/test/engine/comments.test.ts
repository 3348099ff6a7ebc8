import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { SessionOptions } from '@savepoint/core';
import { realPorts } from '@savepoint/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { placeIn } from '../../src/engine/comments/place.ts';
import { Place } from '../place.ts';

const text = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

/** A process that lives until the test ends it, as the program of a session. */
function program(): {
  readonly ancestors: NonNullable<SessionOptions['ancestors']>;
  readonly end: () => Promise<void>;
} {
  const child = spawn('sleep', ['600'], { stdio: 'ignore' });
  const end = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  };
  onTestFinished(end);
  const [identity] = realPorts().processes.ancestors(child.pid ?? 0);
  return { ancestors: identity === undefined ? [] : [identity], end };
}

test.skipIf(process.platform !== 'linux')('waits for its session as long as the program of that runs', async () => {
  const p = Place.with({ 'a.txt': text(['a', 'b']) });
  const savepoint = p.open();
  await savepoint.checkpoint();
  const [one, two] = [program(), program()];
  const first = savepoint.session({ agent: 'claude', id: 's-1', ancestors: one.ancestors });
  const second = savepoint.session({ agent: 'claude', id: 's-2', ancestors: two.ancestors });
  const call = { tool: 'Write', kind: 'write', paths: ['a.txt'] } as const;
  await first.call({ ...call, paths: ['a.txt'] as never }, () => p.write('a.txt', text(['a', 'B'])));
  const { comment } = await savepoint.addComment({ path: 'a.txt', first: 2, text: 'Why?' });
  expect(comment).toMatchObject({ agent: 'claude', session: 's-1' });
  expect(await second.takeComments()).toEqual([]);
  await one.end();
  // At the same time, only one of them gets it.
  const taken = await Promise.all([second.takeComments(), second.takeComments()]);
  expect(taken.flat().map(({ comment: { id } }) => id)).toEqual([comment.id]);
  expect((await savepoint.comments())[0]).toMatchObject({ status: 'sent', comment: { sent: { session: 's-2' } } });
});

test('only a user adds one, an agent takes it by a tool, and the oldest resolved one makes room for more', async () => {
  const p = Place.with({ 'a.txt': 'a\n' });
  const savepoint = p.open();
  await savepoint.checkpoint();
  const asAgent = p.open({ actor: { kind: 'agent', name: 'claude' } });
  await expect(asAgent.addComment({ path: 'a.txt', first: 1, text: 'x' })).rejects.toMatchObject({
    code: 'NEEDS_CONFIRMATION',
  });
  const added = await savepoint.addComment({ path: 'a.txt', first: 1, text: 'for any agent' });
  expect(added.comment).toMatchObject({ agent: null, session: null });
  // An agent that asks by a tool gets it, and a user who asks does not take it from the agent.
  expect(await savepoint.comments({ forCaller: true })).toEqual([]);
  expect(await asAgent.comments({ forCaller: true })).toHaveLength(1);
  expect(await asAgent.comments({ forCaller: true })).toEqual([]);

  const file = path.join(await p.store(), 'comments.json');
  const [one] = JSON.parse(readFileSync(file, 'utf8')).comments;
  const id = (index: number): string => `cm_${index.toString(16).padStart(8, '0')}`;
  const many = Array.from({ length: 2_000 }, (_, index) => ({ ...one, id: id(index) }));
  writeFileSync(file, JSON.stringify({ format: 1, comments: many }));
  const more = { path: 'a.txt', first: 1, text: 'one more' };
  await expect(savepoint.addComment(more)).rejects.toMatchObject({ code: 'USAGE' });
  await savepoint.resolveComment(id(3), true);
  await savepoint.addComment(more);
  const left = await savepoint.comments({ all: true });
  expect(left).toHaveLength(2_000);
  expect(left.some(({ comment }) => comment.id === id(3))).toBe(false);
});

test('is found again by its lines and those around them', () => {
  const anchor = {
    ...({ plan: null, checkpoint: 1, path: 'a' as never, side: 'after', first: 5, last: 5 } as const),
    lines: '}\n',
    above: 'two {\nx\n',
    below: 'three\n',
  };
  const file = (...lines: readonly string[]) => Buffer.from(lines.join('\n'));
  // The nearest one is another one.
  const moved = file('new', 'new', 'one {', 'x', '}', 'zero', 'two {', 'x', '}', 'three', '}');
  expect(placeIn(moved, anchor)).toEqual({ first: 9, last: 9 });
  expect(placeIn(file('}'), anchor)).toEqual({ first: 1, last: 1 });
  expect(placeIn(file('gone'), anchor)).toBeNull();
  expect(placeIn(Buffer.alloc(0), anchor)).toBeNull();
});
