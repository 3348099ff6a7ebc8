import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { healthOf } from '../src/hook/health.ts';
import { AgentAtWork } from './driver.ts';
import { claudeEvents } from './fixtures/claude.ts';
import { clineEvents, codexEvents, copilotEvents, cursorEvents, geminiEvents } from './fixtures/others.ts';

/** What is specific to each protocol. Common behaviour is tested with Claude Code. */

test('Gemini: calls without an id are paired by their arguments, also when they interleave', async () => {
  const p = new AgentAtWork('gemini');
  const e = geminiEvents(p.dir);
  await p.tell(e.start());
  await p.tell(e.prompt('Write two files.'));
  const [one, two] = [
    { file_path: p.at('one.txt'), content: '1' },
    { file_path: p.at('two.txt'), content: '2' },
  ];
  const shell = { command: 'date >> log' };
  await p.tell(e.before('write_file', one));
  await p.tell(e.before('write_file', two));
  p.write('two.txt', '2');
  await p.tell(e.after('write_file', two));
  p.write('one.txt', '1');
  await p.tell(e.after('write_file', one));
  // The same call twice, at the same time.
  await p.tell(e.before('run_shell_command', shell));
  await p.tell(e.before('run_shell_command', shell));
  p.shell(shell.command);
  await p.tell(e.after('run_shell_command', shell));
  p.shell(shell.command);
  await p.tell(e.after('run_shell_command', shell));
  await p.tell(e.before('read_file', { file_path: 'x' }));
  const lines = (await p.timelineLines()).slice(2);
  expect(lines).toHaveLength(4);
  expect(lines[0]).toMatch(/^call: Write_?file two\.txt|^call: write_file two\.txt/);
  expect(lines.slice(0, 2).join()).toMatch(/two\.txt by gemini\/write_file#.*one\.txt by gemini\/write_file#/);
  expect(lines[3]).toMatch(/log by gemini\/run_shell_command#\w+#\d+$/);
  expect(await p.open().session({ agent: 'gemini', id: 'g-1' }).openCalls()).toEqual([]);
  expect((await p.send(e.stop())).stdout).toBe('');
});

test('the model that an event reports is recorded, and no older one', async () => {
  const p = new AgentAtWork('codex');
  const e = codexEvents(p.dir);
  const { model: _start, ...start } = e.start() as Record<string, unknown>;
  const { model: _prompt, ...prompt } = e.prompt('Do it.') as Record<string, unknown>;
  await p.tell({ ...start, model: 'gpt-5.5' });
  await p.tell({ ...prompt, model: 'gpt-6' });
  await p.tell({ ...prompt, turn_id: 'turn-2', prompt: 'And more.' });
  const positions = (await p.checkpoints()).map(({ trigger, conversation }) => [
    trigger,
    conversation?.model,
    conversation?.lastUser,
  ]);
  expect(positions).toEqual([
    ['session', 'gpt-5.5', undefined],
    ['prompt', 'gpt-6', 'Do it.'],
    ['prompt', undefined, 'And more.'],
  ]);
});

test.each([
  ['cursor', (dir: string) => cursorEvents(dir).prompt('Do it.'), '2.0', 'm'],
  [
    'cline',
    (dir: string) => ({ ...clineEvents(dir).prompt('Do it.'), model: { provider: 'x', slug: 'large' } }),
    '3.0.65',
    'large',
  ],
  ['cline', (dir: string) => clineEvents(dir).prompt('Do it.'), '3.0.65', undefined],
  [
    'opencode',
    (directory: string) => ({
      ...{ event: 'chat.message', sessionID: 's', messageID: 'm1', text: 'Do it.', directory },
      ...{ version: '1.2.3', model: 'anthropic/large' },
    }),
    '1.2.3',
    'anthropic/large',
  ],
  ['gemini', (dir: string) => geminiEvents(dir).prompt('Do it.'), undefined, undefined],
] as const)(
  '%s: its version and its model are recorded as far as the prompt reports them',
  async (name, prompt, version, model) => {
    const p = new AgentAtWork(name);
    await p.tell(prompt(p.dir));
    const { actor, conversation } = (await p.checkpoints()).find(({ trigger }) => trigger === 'prompt') ?? {};
    expect([actor?.name, actor?.version, conversation?.model, conversation?.contextSize]).toEqual([
      ...[name, version, model, undefined],
    ]);
  },
);

test('Codex: the paths of a patch are read from its headers', async () => {
  const p = new AgentAtWork('codex');
  const e = codexEvents(p.dir);
  p.write('old.txt', 'old\n');
  p.write('gone.txt', 'gone\n');
  await p.tell(e.start());
  const patch =
    '*** Begin Patch\n*** Add File: new.txt\n+one\n*** Update File: old.txt\n*** Move to: moved.txt\n@@\n-old\n+new\n*** Delete File: gone.txt\n*** End Patch\n';
  await p.tell(e.pre('apply_patch', patch, 'call_1'));
  p.shell('echo one > new.txt; echo new > moved.txt; rm old.txt gone.txt; echo by a person > other.txt');
  await p.tell(e.post('apply_patch', patch, 'call_1'));
  const changes = (await p.checkpoints()).at(-1)?.changes ?? [];
  expect(changes.map(({ path, by }) => `${path} ${by.authors[0]?.actor.name}`).sort()).toEqual([
    'gone.txt codex',
    'moved.txt codex',
    'new.txt codex',
    ...(changes.some(({ path }) => path === 'old.txt') ? ['old.txt codex'] : []),
    'other.txt outside',
  ]);
});

test('Copilot: its events have no name, and arguments may be text', async () => {
  const p = new AgentAtWork('copilot');
  const e = copilotEvents(p.dir);
  const args = { path: p.at('new.txt'), file_text: 'x' };
  p.args = ['sessionStart'];
  await p.tell({ sessionId: 'c-1', timestamp: 1, cwd: p.dir, source: 'new' });
  p.args = ['preToolUse'];
  await p.tell(e.pre('create', args));
  p.write('new.txt', 'x');
  p.args = ['postToolUse'];
  await p.tell({ ...e.post('create', args), toolArgs: JSON.stringify(args) });
  expect((await p.timelineLines()).at(-1)).toMatch(/^call: create new\.txt.*new\.txt by copilot\/create#/);
});

test('Copilot with the settings of Claude Code is recorded as Copilot, and once if its own settings contain our hook as well', async () => {
  const p = new AgentAtWork('claude', { env: { COPILOT_CLI: '1' } });
  const e = copilotEvents(p.dir);
  const input = { path: p.at('a.txt'), file_text: 'x' };
  await p.tell(e.asClaude('PreToolUse', 'Write', input));
  p.write('a.txt', 'x');
  await p.tell(e.asClaude('PostToolUse', 'Write', input));
  expect((await p.timelineLines()).at(-1)).toMatch(/a\.txt by copilot\/Write#/);
  mkdirSync(p.at('.github/hooks'), { recursive: true });
  writeFileSync(
    p.at('.github/hooks/savepoint.json'),
    '{"hooks":{"preToolUse":[{"bash":"savepoint hook copilot preToolUse"}]}}',
  );
  const before = (await p.timelineLines()).length;
  await p.tell(e.asClaude('PreToolUse', 'Write', input));
  expect(await p.timelineLines()).toHaveLength(before);
});

test('VS Code with the settings of Claude Code is recorded as VS Code', async () => {
  const p = new AgentAtWork('claude');
  const about = {
    sessionId: 'v-1',
    cwd: p.dir,
    tool_name: 'create_file',
    tool_input: { filePath: p.at('v') },
    tool_use_id: 't',
  };
  await p.tell({ ...about, hookEventName: 'PreToolUse' });
  p.write('v', '');
  await p.tell({ ...about, hookEventName: 'PostToolUse' });
  expect((await p.timelineLines()).at(-1)).toMatch(/v by vscode\/t$/);
});

test('Cline: a call reported by two installations of the hook is recorded once; viewing a file is not a call', async () => {
  const p = new AgentAtWork('cline');
  const e = clineEvents(p.dir);
  await p.tell(e.start());
  const input = { command: 'create', path: p.at('new.txt'), new_text: 'x' };
  expect(await p.tell(e.pre('editor', input, 'call_1'))).toEqual({ cancel: false });
  await p.tell(e.pre('editor', input, 'call_1'));
  p.write('new.txt', 'x');
  await p.tell(e.post('editor', input, 'call_1'));
  await p.tell(e.post('editor', input, 'call_1'));
  await p.tell(e.pre('editor', { command: 'view', path: p.at('new.txt') }, 'call_2'));
  expect(await p.timelineLines()).toEqual([
    'session: session of cline started',
    expect.stringMatching(/new\.txt by cline\/call_1$/),
  ]);
});

test('opencode: while a call waits for a permission, a change is not its own', async () => {
  const p = new AgentAtWork('opencode');
  const about = { sessionID: 's', directory: p.dir, callID: 'c1' };
  const call = { ...about, tool: 'bash', args: { command: 'make' } };
  await p.tell({ ...about, event: 'session.created' });
  await p.tell({ ...call, event: 'tool.execute.before' });
  await p.tell({ ...about, event: 'permission.asked' });
  p.write('mine.txt', 'x');
  await p.tell({ ...call, callID: 'c2', event: 'tool.execute.before' });
  await p.tell({ ...about, event: 'permission.granted', at: Date.now() });
  await p.tell({ ...about, callID: 'unknown', event: 'permission.granted', at: 'soon' });
  p.write('its.txt', 'x');
  await p.tell({ ...call, event: 'tool.execute.after' });
  const lines = await p.timelineLines();
  expect(lines[1]).toBe('before: 1 file, +1 −0: mine.txt | mine.txt by outside');
  expect(lines[2]).toMatch(/its\.txt by opencode\/c1, opencode\/c2$/);
});

describe('Cline', () => {
  /** The file in which the command line keeps its session. */
  function clineSession(p: AgentAtWork, messages: readonly object[], prompt = 'Make a file.'): void {
    const folder = join(p.dir, '..', 'cline-home', '.cline', 'data', 'sessions', 'r-1');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'r-1.json'), JSON.stringify({ session_id: 'r-1', status: 'running', prompt }));
    writeFileSync(join(folder, 'r-1.messages.json'), JSON.stringify({ version: 1, messages }));
    p.env['HOME'] = join(p.dir, '..', 'cline-home');
  }

  test('the prompt of a task is in the session file of the command line', async () => {
    const p = new AgentAtWork('cline');
    const e = clineEvents(p.dir);
    clineSession(p, []);
    await p.tell(e.start());
    await p.tell(e.prompt('<user_input mode="act">Make a file.</user_input>', '2026-11-20T23:32:25.000Z'));
    expect(await p.timelineLines()).toEqual(['prompt: Prompt: Make a file.']);
    expect((await p.open().sessions()).sessions).toMatchObject([{ id: 'conv_1', prompts: 1, title: 'Make a file.' }]);
  });

  test('the prompt in the session file is not that of a later turn', async () => {
    const p = new AgentAtWork('cline');
    clineSession(p, [{ role: 'user' }]);
    await p.tell(clineEvents(p.dir).start());
    expect(await p.timelineLines()).toEqual(['session: session of cline started']);
  });

  test('the extension sends the prompt with the event', async () => {
    const p = new AgentAtWork('cline');
    await p.tell(clineEvents(p.dir).start({ taskId: 't', ulid: 'u', initialTask: 'Make it.' }));
    expect(await p.timelineLines()).toEqual(['prompt: Prompt: Make it.']);
  });

  test('the commands of a call are shown', async () => {
    const p = new AgentAtWork('cline');
    const e = clineEvents(p.dir);
    await p.tell(e.start());
    const input = { commands: ['echo hi > hi.txt', 'sleep 1'] };
    await p.tell(e.pre('run_commands', input, 'call_1'));
    p.write('hi.txt', 'hi\n');
    await p.tell(e.post('run_commands', input, 'call_1'));
    expect((await p.timelineLines()).at(-1)).toBe(
      'call: run_commands: echo hi > hi.txt; sleep 1 (1 file) | hi.txt by cline/call_1',
    );
  });

  test('a hook without an event, as after Ctrl-C, is not a failure', async () => {
    const p = new AgentAtWork('cline');
    expect(await p.send('')).toMatchObject({ exit: 0, stderr: 'savepoint hook cline: the event is empty\n' });
    const home = Buffer.from(p.world.places.home, 'latin1').toString();
    expect(healthOf(home, 'cline').lastFailure).toBeNull();
    await p.send('{');
    expect(healthOf(home, 'cline').lastFailure).toMatchObject({ message: expect.stringContaining('not valid JSON') });
  });

  test('an event that needs no action also shows that the hooks fire', async () => {
    const p = new AgentAtWork('cline');
    await p.send(clineEvents(p.dir).shutdown());
    const home = Buffer.from(p.world.places.home, 'latin1').toString();
    expect(healthOf(home, 'cline').lastEvent).toMatchObject({ event: 'session_shutdown', folder: '' });
  });
});

test('Cursor: calls by id, and edits that are reported only after they are done', async () => {
  const p = new AgentAtWork('cursor');
  const e = cursorEvents(p.dir);
  p.write('a.txt', 'a');
  await p.tell(e.prompt('Change it.'));
  await p.tell(e.pre('Shell', { command: 'touch b' }, 'c-1'));
  p.shell('touch b');
  await p.tell(e.post('Shell', { command: 'touch b' }, 'c-1'));
  p.write('a.txt', 'b');
  await p.tell(e.afterFileEdit(p.at('a.txt')));
  const lines = await p.timelineLines();
  expect(lines[1]).toMatch(/b by cursor\/c-1$/);
  expect(lines[2]).toMatch(/^late call: .*a\.txt by cursor\/afterFileEdit#[^,?]*$/);
});

test('a call of our own tool is one step by the agent of the session', async () => {
  const p = new AgentAtWork('claude');
  const e = claudeEvents(p.dir);
  p.write('a.txt', 'one\n');
  await p.tell(e.start());
  const call = e.call('mcp__savepoint__restore', { checkpoint: 'cp_1' }, 'agent-3');
  p.write('a.txt', 'two\n');
  await p.tell(call.pre);
  const { open } = await import('@savepoint/core');
  const server = open({
    dir: p.world.workspace,
    ports: p.world.ports,
    places: p.world.places,
    actor: { kind: 'agent', name: 'claude-code' },
  });
  await server.restore('cp_1', { toolCall: 'toolu_01' });
  await p.tell(call.post({}));
  expect((await p.timelineLines()).slice(1)).toEqual([
    expect.stringContaining('a.txt by outside'),
    'restore: Restored cp_1 | a.txt by claude:agent-3/toolu_01',
  ]);
  expect((await p.checkpoints()).at(-1)?.session).toBe(e.session);
  // Without an id, the event refers to the open call.
  p.write('a.txt', 'two\n');
  await p.tell(e.call('mcp__savepoint__undo', {}).pre);
  await server.restore('cp_1', { mode: 'exact' });
  expect((await p.timelineLines()).at(-1)).toContain('a.txt by claude/toolu_02');
});
