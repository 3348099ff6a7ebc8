import { existsSync, mkdirSync } from 'node:fs';
import type { DiskPath, Savepoint } from '@savepoint/core';
import { describe, expect, test } from 'vitest';
import { failure } from '../../failure.ts';
import { TimelineWorld, tree, worldWith } from './timeline-world.ts';

const ONE = '82e48e16-0000-4000-8000-000000000001';
const TWO = '82e4ffff-0000-4000-8000-000000000002';

/** Two sessions of two agents, each with a call and a prompt. */
async function twoSessions(): Promise<{ readonly w: TimelineWorld; readonly savepoint: Savepoint }> {
  const { w, savepoint } = await worldWith({ a: 'a\n' }); // cp_1
  for (const [agent, id, name] of [
    ['one', ONE, 'of-one'],
    ['two', TWO, 'of-two'],
  ] as const) {
    const session = savepoint.session({ agent, id });
    await session.prompt('Do it.', `message-${agent}-1`);
    const request = { tool: 'Write', kind: 'write', paths: tree(name), id: `toolu_${agent}_1` } as const;
    await session.call(request, () => w.write(name, `${agent}\n`));
  }
  return { w, savepoint };
}

describe('a unique beginning of an id', () => {
  test('selects a session in history, list, rollback, export and delete', async () => {
    const { w, savepoint } = await twoSessions();
    const { entries } = await savepoint.history({ limit: 10, session: '82e48' });
    expect(entries.map(({ change }) => change.path)).toEqual(['of-one']);
    const { rows } = await savepoint.overview({ view: 'all', limit: 10, session: '82e48e16' });
    expect(rows.map(({ checkpoint }) => checkpoint.session)).toEqual([ONE, ONE]);
    const preview = await savepoint.previewRollback({ session: '82e48' }, { least: 'likely' });
    expect(preview.details.chosen.map(({ change }) => change.path)).toEqual(['of-one']);
    await savepoint.rollback({ session: '82e48' }, { least: 'likely' });
    expect(existsSync(w.at('of-one'))).toBe(false);
    expect(w.read('of-two')).toBe('two\n');
    const folder = w.at('../exported') as DiskPath;
    expect(await savepoint.exportSession('82e48', folder)).toMatchObject({ session: ONE, changes: 1 });
    expect(await savepoint.forgetSession('82e48')).toMatchObject({ session: ONE });
  });

  test('selects a session for a bundle', async () => {
    const { w, savepoint } = await twoSessions();
    const folder = w.at('../bundles');
    mkdirSync(folder);
    const { checkpoints } = await savepoint.createBundle(`${folder}/one.bundle` as DiskPath, { session: '82e48' });
    expect(checkpoints.map(({ id }) => id)).toContain('cp_3');
    expect(checkpoints.map(({ id }) => id)).not.toContain('cp_5');
  });

  test('selects a call, among those of the session if one is given', async () => {
    const { savepoint } = await twoSessions();
    const chosen = async (selection: { readonly call: string; readonly session?: string }): Promise<unknown> =>
      (await savepoint.previewRollback(selection, { least: 'likely' })).details.chosen.map(({ change }) => change.path);
    expect(await chosen({ call: 'toolu_o' })).toEqual(['of-one']);
    expect(await chosen({ call: 'toolu', session: TWO })).toEqual(['of-two']);
    expect(
      await failure(savepoint.previewRollback({ call: 'toolu_one', session: TWO }, { least: 'likely' })),
    ).toMatchObject({
      code: 'UNKNOWN_CALL',
      data: { known: ['toolu_two_1'] },
    });
  });

  test('selects a call that is still open', async () => {
    const { w, savepoint } = await worldWith({ a: 'a\n' });
    await savepoint.session({ agent: 'one', id: ONE }).begin({ tool: 'Bash', kind: 'shell', id: 'toolu_open' });
    w.write('b', 'b\n');
    for (const selection of [{ call: 'toolu_o' }, { session: '82e' }, { agent: 'one' }]) {
      const { details } = await savepoint.previewRollback(selection, { least: 'likely' });
      expect(details.chosen.map(({ change }) => change.path)).toEqual(['b']);
    }
  });

  test('selects a message', async () => {
    const { savepoint } = await twoSessions();
    expect((await savepoint.show('before:message-one')).id).toBe('cp_2');
    expect(await failure(savepoint.show('before:message-'))).toMatchObject({
      code: 'AMBIGUOUS_ID',
      data: { candidates: ['message-one-1', 'message-two-1'] },
    });
  });

  test('selects a sub-agent', async () => {
    const { w, savepoint } = await worldWith({ a: 'a\n' });
    const actor = { kind: 'agent', name: 'one', id: 'helper-17' } as const;
    await savepoint.session({ agent: 'one', id: ONE }).call({ tool: 'Bash', kind: 'shell', actor }, () => {
      w.write('b', 'b\n');
    });
    const { entries } = await savepoint.history({ limit: 10, agent: 'one/help' });
    expect(entries.map(({ change }) => change.path)).toEqual(['b']);
    expect(await failure(savepoint.history({ limit: 10, agent: 'one/helper-18' }))).toMatchObject({
      code: 'UNKNOWN_AGENT',
      hint: 'Did you mean one/helper-17?',
    });
  });

  test('is an error if several ids begin with it, unless it is itself an id', async () => {
    const { w, savepoint } = await twoSessions();
    expect(await failure(savepoint.rollback({ session: '82e4' }, { least: 'likely' }))).toMatchObject({
      code: 'AMBIGUOUS_ID',
      message: 'The session id "82e4" is ambiguous. It matches 82e4ffff, 82e48e16.',
      data: { given: '82e4', candidates: [TWO, ONE] },
    });
    await savepoint
      .session({ agent: 'three', id: '82e4' })
      .call({ tool: 'Bash', kind: 'shell' }, () => w.write('c', 'c\n'));
    const { details } = await savepoint.previewRollback({ session: '82e4' }, { least: 'likely' });
    expect(details.chosen.map(({ change }) => change.path)).toEqual(['c']);
  });
});

describe('any name of an agent', () => {
  test('selects it, also in checkpoints that recorded it under another one', async () => {
    const { w, savepoint } = await worldWith({ a: 'a\n' });
    const session = savepoint.session({ agent: 'claude-code', id: ONE });
    expect(session.actor.name).toBe('claude');
    const helper = { kind: 'agent', name: 'Claude Code', id: 'helper' } as const;
    await session.call({ tool: 'Bash', kind: 'shell' }, () => w.write('b', 'b\n')); // cp_2
    await session.call({ tool: 'Bash', kind: 'shell', actor: helper }, () => w.write('c', 'c\n')); // cp_3
    w.replaceInRecord('cp_2', '"claude"', '"claude-code"');
    const paths = async (agent: string): Promise<readonly string[]> =>
      (await w.open().history({ limit: 10, agent })).entries.map(({ change }) => change.path);
    for (const name of ['claude', 'claude-code', 'Claude Code']) expect(await paths(name)).toEqual(['c', 'b']);
    expect(await paths('claude-code/helper')).toEqual(['c']);
    await w.open().rollback({ agent: 'claude' }, { least: 'likely' });
    expect(existsSync(w.at('b')) || existsSync(w.at('c'))).toBe(false);
  });

  test('is its canonical name on the timeline, whoever opened the workspace', async () => {
    const w = new TimelineWorld();
    const savepoint = w.open({ actor: { kind: 'agent', name: 'codex-mcp-client', version: '1' } });
    const { checkpoint } = await savepoint.checkpoint();
    expect(checkpoint.actor).toEqual({ kind: 'agent', name: 'codex', version: '1' });
  });
});

describe('what selects nothing', () => {
  test('is an error that names the known ones and the closest', async () => {
    const { savepoint } = await twoSessions();
    expect(await failure(savepoint.rollback({ session: '82e48e17' }, { least: 'likely' }))).toMatchObject({
      code: 'UNKNOWN_SESSION',
      message: 'There is no session "82e48e17" in this workspace. Known sessions: 82e4ffff, 82e48e16.',
      data: { session: '82e48e17', known: [TWO, ONE], closest: ONE },
      hint: `Did you mean ${ONE}?`,
    });
    expect(await failure(savepoint.rollback({ agent: 'tow' }, { least: 'likely' }))).toMatchObject({
      code: 'UNKNOWN_AGENT',
    });
    expect(await failure(savepoint.history({ limit: 1, agent: 'nobody' }))).toMatchObject({
      code: 'UNKNOWN_AGENT',
      message: 'There is no agent "nobody" in this workspace. Known agents: two, one, user, outside.',
      data: { given: 'nobody', closest: null },
      hint: expect.stringContaining('savepoint sessions'),
    });
    expect(await failure(savepoint.rollback({ call: 'toolu_none_1' }, { least: 'likely' }))).toMatchObject({
      code: 'UNKNOWN_CALL',
      message: 'There is no call "toolu_none_1" in this workspace. Known calls: toolu_two_1, toolu_one_1.',
      hint: 'Did you mean toolu_one_1?',
    });
    expect(await failure(savepoint.overview({ view: 'all', limit: 1, session: 'x' }))).toMatchObject({
      code: 'UNKNOWN_SESSION',
    });
    expect(await failure(savepoint.rollback({ changes: ['cp_3.9' as 'cp_3.9' & never] }))).toMatchObject({
      code: 'UNKNOWN_CHANGE',
      data: { given: 'cp_3.9', known: ['cp_3.1'], closest: 'cp_3.1' },
      hint: 'Did you mean cp_3.1?',
    });
    expect(await failure(savepoint.diffChange('cp_3.9'))).toMatchObject({ hint: 'Did you mean cp_3.1?' });
  });

  test('lists at most ten, each as short as it can be given', async () => {
    const { w, savepoint } = await worldWith({ a: 'a\n' });
    for (let number = 10; number < 22; number++) {
      const session = savepoint.session({ agent: 'one', id: `session-of-the-day-${number}-with-a-long-end` });
      await session.call({ tool: 'Bash', kind: 'shell' }, () => w.write(`f${number}`, 'x\n'));
    }
    const { message, data } = await failure(savepoint.rollback({ session: 'none' }, { least: 'likely' }));
    expect(message).toContain('Known sessions: session-of-the-day-21, session-of-the-day-20,');
    expect(message).toContain('session-of-the-day-12, and 2 more.');
    expect((data as { readonly known: readonly string[] }).known).toHaveLength(10);
  });

  test('is an error in a workspace without sessions', async () => {
    const { savepoint } = await worldWith({ a: 'a\n' });
    expect(await failure(savepoint.rollback({ session: 'any' }, { least: 'likely' }))).toMatchObject({
      message: 'There is no session "any" in this workspace. No session is recorded here yet.',
    });
  });
});
