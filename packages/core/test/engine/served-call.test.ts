import type { CallOptions, Checkpoint, Savepoint } from '@savepoint/core';
import { describe, expect, test } from 'vitest';
import { type TimelineWorld, worldWith } from '../timeline/query/timeline-world.ts';

type ServedTool = Exclude<NonNullable<CallOptions['toolCall']>, string>;

/** A workspace as the MCP server opens it for a client. */
function served(w: TimelineWorld, client = 'claude-code'): Savepoint {
  return w.open({ actor: { kind: 'agent', name: client } });
}

/** Records what the hook of an agent records before it calls one of our tools. */
async function hookBegins(
  savepoint: Savepoint,
  { agent = 'claude', session = 's-1', id = 'call-1', tool = 'mcp__savepoint__checkpoint_create', args = {} } = {},
): Promise<void> {
  await savepoint.session({ agent, id: session }).begin({ tool, id, args, own: true });
}

const CREATE: ServedTool = { tool: 'checkpoint_create', args: {} };

async function created(savepoint: Savepoint, toolCall: string | ServedTool = CREATE): Promise<Partial<Checkpoint>> {
  const { actor, session, toolCall: call } = (await savepoint.checkpoint({ toolCall })).checkpoint;
  return { actor: { kind: actor.kind, name: actor.name }, session, toolCall: call };
}

const NOBODY = { session: null, toolCall: null };

describe('a call over MCP from an agent with hooks', () => {
  test('belongs to the session of the hook', async () => {
    const { w, savepoint } = await worldWith({ a: 'a\n' });
    await hookBegins(savepoint);
    expect(await created(served(w))).toEqual({
      actor: { kind: 'agent', name: 'claude' },
      session: 's-1',
      toolCall: 'call-1',
    });
    w.write('a', 'b\n');
    await served(w).checkpoint({ toolCall: CREATE });
    const { checkpoint } = await served(w).restore('cp_1', { toolCall: { tool: 'restore', args: {} } });
    expect(checkpoint).toMatchObject({ session: 's-1', toolCall: 'call-1', actor: { name: 'claude' } });
  });

  test('is found by its id, if the client sends it', async () => {
    const { w, savepoint } = await worldWith({ a: 'a\n' });
    await hookBegins(savepoint);
    await hookBegins(savepoint, { session: 's-2', id: 'call-2' });
    expect(await created(served(w), 'call-2')).toMatchObject({ session: 's-2', toolCall: 'call-2' });
    expect(await created(served(w), 'call-3')).toMatchObject({ session: null, toolCall: 'call-3' });
  });

  test('is not a call of another agent, unless the client has an unknown name', async () => {
    const { w, savepoint } = await worldWith({ a: 'a\n' });
    await hookBegins(savepoint, { agent: 'gemini' });
    expect(await created(served(w))).toMatchObject(NOBODY);
    expect(await created(served(w, 'gemini-cli-mcp-client'))).toMatchObject({ session: 's-1' });
    expect(await created(served(w, 'some client'))).toMatchObject({ session: 's-1', actor: { name: 'gemini' } });
    expect((await savepoint.checkpoint({ toolCall: CREATE })).checkpoint).toMatchObject(NOBODY);
  });

  test('of several open calls, is the one with its tool and its arguments', async () => {
    const { w, savepoint } = await worldWith({ a: 'a\n' });
    await hookBegins(savepoint);
    await hookBegins(savepoint, { session: 's-2', id: 'call-2', args: { message: 'two' } });
    await hookBegins(savepoint, {
      session: 's-3',
      id: 'call-3',
      tool: 'mcp__savepoint__undo',
      args: { message: 'two' },
    });
    const two = { tool: 'checkpoint_create', args: { message: 'two' } };
    expect(await created(served(w), two)).toMatchObject({ session: 's-2', toolCall: 'call-2' });
    expect(await created(served(w), { ...two, args: { message: 'three' } })).toMatchObject(NOBODY);
    await hookBegins(savepoint, { session: 's-4', id: 'call-4', args: { message: 'two' } });
    expect(await created(served(w), two)).toMatchObject(NOBODY);
  });

  test('of several calls of one session, belongs at least to the session', async () => {
    const { w, savepoint } = await worldWith({ a: 'a\n' });
    await hookBegins(savepoint);
    await hookBegins(savepoint, { id: 'call-2' });
    expect(await created(served(w))).toMatchObject({ session: 's-1', toolCall: null, actor: { name: 'claude' } });
  });
});
