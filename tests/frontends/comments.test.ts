/** Comments of a person on lines: they move with their lines, and each reaches its agent once. */

import fs from 'node:fs';
import path from 'node:path';
import { type Project, project } from '@savepoint/testkit/command';
import { expect, it } from 'vitest';
import { call as callTool, connect } from './mcp-server.ts';

const BEFORE = 'one\ntwo\nthree\n';
const AFTER = 'one\nTWO\nthree\n';

interface CommentJson {
  readonly id: string;
  readonly status: string;
  readonly place: { readonly first: number; readonly last: number } | null;
  readonly agent: string | null;
  readonly session: string | null;
  readonly sent: { readonly session: string } | null;
}

/** A claude session that wrote line 2. */
function commented(): Project {
  const p = project();
  p.write('a.txt', BEFORE);
  p.checkpoint();
  say(p, 's1', { hook_event_name: 'UserPromptSubmit', prompt: 'Louder' });
  const call = {
    tool_name: 'Write',
    tool_input: { file_path: p.at('a.txt'), content: AFTER },
    tool_use_id: 'call-1',
  };
  say(p, 's1', { hook_event_name: 'PreToolUse', ...call });
  p.write('a.txt', AFTER);
  say(p, 's1', { hook_event_name: 'PostToolUse', ...call, tool_response: { success: true } });
  return p;
}

it('reaches the session that wrote the lines with its next prompt, once, and it is recorded', () => {
  const p = commented();
  const added = json(p, 'comment', 'add', 'a.txt:2', 'Why so loud?\u001b[31m') as CommentJson;
  expect(added).toMatchObject({ status: 'open', agent: 'claude', session: 's1', place: { first: 2, last: 2 } });
  expect(json(p, 'comment', 'add', 'a.txt:2', 'It was fine.', '--removed', '--at', 'last')).toMatchObject({
    agent: 'claude',
    side: 'before',
    lines: 'two\n',
  });
  p.write('b.txt', '  say("\u001b[31m");\n');
  p.ok('comment', 'add', 'b.txt:1', 'Plain');
  expect(p.ok('comment', 'list', 'b.txt').stdout).toContain('\n  |   say("\\x1b[31m");\n');
  p.ok('comment', 'delete', 'last');
  p.write('a.txt', `zero\n${AFTER}`);
  // Not with the end of a call, in the middle of other work.
  const call = { tool_name: 'Bash', tool_input: { command: 'true' }, tool_use_id: 'call-2' };
  say(p, 's1', { hook_event_name: 'PreToolUse', ...call });
  expect(say(p, 's1', { hook_event_name: 'PostToolUse', ...call, tool_response: {} })).not.toContain('loud');
  const told = say(p, 's1', { hook_event_name: 'UserPromptSubmit', prompt: 'Go on' });
  expect(told).toContain(`${added.id}: a.txt, line 3:\\n> TWO\\nWhy so loud?\\\\x1b[31m`);
  expect(told).toContain('a.txt, line 2, as they were before the change:\\n> two\\nIt was fine.');
  expect(say(p, 's1', { hook_event_name: 'UserPromptSubmit', prompt: 'Go on' })).not.toContain('loud');
  expect(listed(p)).toMatchObject([{ status: 'sent', sent: { agent: 'claude', session: 's1' } }, { status: 'sent' }]);
  expect(p.ok('comment', 'list').stdout).toContain('Sent to claude (session s1)');

  p.write('a.txt', BEFORE);
  expect(listed(p)[0]?.place).toBeNull();
  expect(p.ok('comment', 'list').stdout).toContain('outdated: the lines are gone');
  p.ok('comment', 'resolve', added.id);
  expect(listed(p)).toHaveLength(1);
  p.ok('comment', 'delete', 'last');
  expect(listed(p)).toHaveLength(0);
  expect(p.ok('comment', 'list').stdout).toBe(
    'There are no open comments. 1 comment is resolved: `savepoint comment list --all`.\n',
  );
  p.ok('comment', 'resolve', added.id, '--reopen');
  expect(say(p, 's1', { hook_event_name: 'UserPromptSubmit', prompt: 'Go on' })).not.toContain('loud');
});

it('reaches the next session of the agent if the first one is over, and no other agent', () => {
  const p = commented();
  p.ok('comment', 'add', 'a.txt:1-2', 'Both lines');
  const codex = { session_id: 'x1', hook_event_name: 'UserPromptSubmit', prompt: 'Hello', cwd: p.dir, turn_id: 't' };
  expect(p.run(['hook', 'codex'], { input: JSON.stringify(codex) }).stdout).not.toContain('Both lines');
  expect(say(p, 's2', { hook_event_name: 'UserPromptSubmit', prompt: 'Hello' })).toContain(
    '> one\\n> TWO\\nBoth lines',
  );
  expect(listed(p)).toMatchObject([{ session: 's1', sent: { session: 's2' } }]);
});

it('is about the lines of a plan, and stays at its place there', () => {
  const p = commented();
  const edits = [{ old_string: 'three\n', new_string: 'THREE\nFOUR\n' }];
  p.write('../plan.json', JSON.stringify({ files: [{ file_path: 'a.txt', edits }] }));
  p.ok('plan', 'new', '../plan.json', '-m', 'More');
  expect(json(p, 'comment', 'add', 'a.txt:4', '--plan', 'last', 'Too much')).toMatchObject({
    lines: 'FOUR\n',
    plan: { revision: 1 },
    agent: null,
  });
  p.write('a.txt', 'other\n');
  expect(listed(p, '--plan', 'last')).toMatchObject([{ place: { first: 4, last: 4 } }]);
});

it('reaches an agent without hooks by plan_status, once, and the list says so', async () => {
  const p = project();
  p.write('a.txt', BEFORE);
  p.checkpoint();
  const client = await connect(p, '2025-11-25', { name: 'zed' });
  await callTool(client, 'write_file', { file_path: 'a.txt', content: AFTER });
  expect(json(p, 'comment', 'add', 'a.txt:2', 'Why so loud?')).toMatchObject({ agent: 'zed', delivery: 'tool' });
  expect(p.ok('comment', 'list').stdout).toContain(
    'zed has no hooks, so it gets it only if it calls the tool plan_status',
  );
  const asked = await callTool(client, 'plan_status');
  expect(asked.data).toMatchObject({ comments: [{ at: 'a.txt:2', lines: 'TWO', text: 'Why so loud?' }] });
  expect(asked.text).toContain('The user commented on a.txt:2');
  expect((await callTool(client, 'plan_status')).data).not.toHaveProperty('comments');
  expect(listed(p)).toMatchObject([{ status: 'sent', sent: { agent: 'zed' } }]);
});

it('refuses what it cannot keep, and what an agent asks', () => {
  const p = commented();
  for (const [args, why] of [
    [['add', 'a.txt:9', 'x'], 'There are no lines 9 to 9: a.txt has 3 lines there.'],
    [['add', 'a.txt', 'x'], 'names no lines of a file'],
    [['add', 'a.txt:1', ' '], 'needs a text'],
    [['add', 'a.txt:1', 'x'.repeat(10_001)], 'too long'],
    [['resolve', 'cm_00000000'], 'There is no comment'],
  ] as const) {
    const refused = p.run(['comment', ...args]);
    expect([refused.status, refused.stderr], args.join(' ').slice(0, 80)).toEqual([2, expect.stringContaining(why)]);
  }
  expect(p.run(['comment', 'add', 'none.txt:1', 'x'])).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('none.txt is not in the folder'),
  });
  expect(listed(p)).toEqual([]);
  const call = { tool_name: 'Bash', tool_input: { command: 'savepoint comment add' }, tool_use_id: 'call-3' };
  say(p, 's1', { hook_event_name: 'PreToolUse', ...call });
  const asked = p.run(['comment', 'add', 'a.txt:1', 'x'], { env: { CLAUDECODE: '1' } });
  expect(asked.stderr).toContain('comment add');
  expect(asked.status).not.toBe(0);
});

it('is removed by a purge of its path and with its session, and a damaged file is not an empty one', () => {
  const p = commented();
  p.write('b.txt', 'das Wort für b\n');
  p.write('c.txt', 'das Wort für b\nand more\n');
  p.checkpoint();
  p.ok('comment', 'add', 'a.txt:2', 'About a');
  p.ok('comment', 'add', 'b.txt:1', 'About b');
  p.ok('comment', 'add', 'c.txt:2', 'Below a line of b');
  p.ok('comment', 'add', 'a.txt:1', 'It says: das Wort für b');
  p.ok('purge', 'b.txt', '--yes');
  expect(listed(p)).toMatchObject([{ text: 'About a' }]);
  const unconfirmed = p.run(['sessions', 'delete', 's1']);
  expect(unconfirmed.status).not.toBe(0);
  expect(unconfirmed.stderr).toMatch(/checkpoints? of session s1, and 1 comment that no agent has received\./);
  expect(listed(p)).toHaveLength(1);
  expect(p.ok('sessions', 'delete', 's1', '--yes').stdout).toContain('Deleted 1 comment that no agent had received.\n');
  expect(listed(p)).toEqual([]);
  p.ok('comment', 'add', 'a.txt:2', 'Again');
  const stores = path.join(p.store, 'workspaces');
  const all = fs.readdirSync(stores, { recursive: true, encoding: 'utf8' });
  fs.writeFileSync(
    path.join(stores, all.find((one) => one.endsWith('comments.json')) ?? ''),
    '{"format":1,"comments":[{}]}',
  );
  const refused = p.run(['comment', 'list']);
  expect(refused.status).not.toBe(0);
  expect(refused.stderr).toContain('the comments of people are unknown');
  const told = say(p, 's3', { hook_event_name: 'UserPromptSubmit', prompt: 'Hello' });
  expect(told).toContain('could not look for comments of the user');
});

function listed(p: Project, ...more: readonly string[]): readonly CommentJson[] {
  return (json(p, 'comment', 'list', ...more) as { readonly comments: readonly CommentJson[] }).comments;
}

function json(p: Project, ...args: readonly string[]): unknown {
  return JSON.parse(p.ok(...args, '--json').stdout);
}

function say(p: Project, session: string, event: object): string {
  const input = JSON.stringify({ session_id: session, cwd: p.dir, ...event });
  const { status, stderr, stdout } = p.run(['hook', 'claude'], { input });
  expect(status, stderr).toBe(0);
  return stdout;
}
