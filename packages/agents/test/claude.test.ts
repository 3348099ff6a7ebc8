import { readFileSync } from 'node:fs';
import type { TreePath } from '@savepoint/core';
import { describe, expect, test } from 'vitest';
import { AgentAtWork } from './driver.ts';
import { claudeEvents } from './fixtures/claude.ts';

/** Whole sessions of Claude Code: the timeline, the authors, and the replies to the agent. */

test('a session, from its start to its end', async () => {
  const p = new AgentAtWork('claude');
  const e = claudeEvents(p.dir);
  p.write('lamp.txt', 'off\n');
  p.shell('git init -q .');
  await p.tell(e.start());
  await p.tell(e.prompt('Switch the lamp on.', 'pr-1'));
  const edit = e.call('Edit', { file_path: p.at('lamp.txt'), old_string: 'off', new_string: 'on', replace_all: false });
  await p.tell(edit.pre);
  p.write('lamp.txt', 'on\n');
  await p.tell(edit.post({ filePath: p.at('lamp.txt') }));
  const write = e.call('Write', { file_path: p.at('bulb.txt'), content: 'new\n' });
  await p.tell(write.pre);
  p.write('bulb.txt', 'new\n');
  await p.tell(write.post({ type: 'create' }));
  p.write('diary.txt', 'by a person\n');
  const bash = e.call('Bash', {
    command: 'sed -i s/new/old/ bulb.txt; rm lamp.txt; mkdir -p box && mv bulb.txt box/',
    description: 'x',
  });
  await p.tell(bash.pre);
  p.shell(String(bash.input['command']));
  await p.tell(bash.fail('Exit code 1'));
  await p.tell(e.stop());
  await p.tell(e.end('other'));
  expect(await p.timelineLines()).toEqual([
    'session: session of claude started',
    'prompt: Prompt: Switch the lamp on.',
    'call: Edit lamp.txt (+1 −1) | lamp.txt by claude/toolu_01',
    'call: Write bulb.txt (new, +1 −0) | bulb.txt by claude/toolu_02',
    'before: 1 file, +1 −0: diary.txt | diary.txt by outside',
    expect.stringContaining('call: Bash: sed -i'),
  ]);
  const all = await p.checkpoints();
  expect(all.at(-1)?.changes?.map(({ path, by }) => [path, by.grade, by.authors[0]?.call])).toEqual([
    ['box/bulb.txt', 'likely', 'toolu_03'],
    ['bulb.txt', 'likely', 'toolu_03'],
    ['lamp.txt', 'likely', 'toolu_03'],
  ]);
  expect(all.map(({ session }) => session)).toEqual(all.map(() => e.session));
  expect(all[2]?.conversation).toMatchObject({ messageId: 'pr-1', lastUser: 'Switch the lamp on.' });
});

test('while a call asks for a permission, a person may have made a change that another session finds', async () => {
  const p = new AgentAtWork('claude');
  const [e, other] = [claudeEvents(p.dir), claudeEvents(p.dir, 'session-2')];
  await p.tell(e.start());
  const bash = e.call('Bash', { command: 'make', description: 'x' });
  await p.tell(bash.pre);
  const { tool_use_id, ...asked } = bash.pre;
  await p.tell({ ...asked, hook_event_name: 'PermissionRequest', permission_suggestions: [] });
  p.write('mine.txt', 'x');
  await p.tell(other.start());
  p.write('its.txt', 'x');
  await p.tell(bash.post({ stdout: '' }));
  const changes = (await p.checkpoints()).flatMap((one) => one.changes ?? []);
  const by = changes.map(({ path, by: { authors, grade } }) => [path, authors.map(({ actor }) => actor.name), grade]);
  expect(by).toEqual([
    ['mine.txt', ['claude', 'outside'], 'open'],
    ['its.txt', ['claude'], 'likely'],
  ]);
});

describe('calls', () => {
  test('that run in parallel or interleaved have their own paths', async () => {
    const p = new AgentAtWork('claude');
    const e = claudeEvents(p.dir);
    await p.tell(e.start());
    const [one, two] = [
      e.call('Write', { file_path: p.at('one.txt'), content: '1' }),
      e.call('Write', { file_path: p.at('two.txt'), content: '2' }),
    ];
    await Promise.all([p.tell(one.pre), p.tell(two.pre)]);
    p.write('two.txt', '2');
    p.write('one.txt', '1');
    await p.tell(two.post({}));
    await p.tell(one.post({}));
    const by = (await p.timelineLines()).slice(1).join('\n');
    expect(by).toContain('one.txt by claude/toolu_01');
    expect(by).toContain('two.txt by claude/toolu_02');
    expect(by).not.toContain('?');
  });

  test('of read-only tools are not recorded', async () => {
    const p = new AgentAtWork('claude');
    const e = claudeEvents(p.dir);
    await p.tell(e.start());
    p.write('by-a-person', '');
    await p.tell(e.call('Read', { file_path: p.at('x') }).pre);
    await p.tell(e.call('Task', { prompt: 'look around' }).pre);
    expect(await p.timelineLines()).toHaveLength(1);
  });

  test('that were cancelled end with the next prompt, with uncertain changes', async () => {
    const p = new AgentAtWork('claude');
    const e = claudeEvents(p.dir);
    await p.tell(e.start());
    await p.tell(e.call('Bash', { command: 'make' }).pre);
    p.write('half', 'half\n');
    await p.tell(e.prompt('Leave that.'));
    p.write('mine', 'mine\n');
    await p.open().checkpoint();
    expect((await p.timelineLines()).slice(1)).toEqual([
      'call: Bash: make (1 file) | half by claude/toolu_01, outside?',
      'prompt: Prompt: Leave that.',
      'manual: 1 file, +1 −0: mine | mine by outside',
    ]);
  });

  test('that continue in the background share later changes with outside, across prompts', async () => {
    const p = new AgentAtWork('claude');
    const e = claudeEvents(p.dir);
    await p.tell(e.start());
    const bash = e.call('Bash', { command: 'npm run dev', run_in_background: true });
    await p.tell(bash.pre);
    p.write('log', 'started\n');
    await p.tell(bash.post({ stdout: '', backgroundTaskId: 'b1' }));
    await p.tell(e.prompt('And now?'));
    p.write('log', 'started\nmore\n');
    await p.tell(e.end('other'));
    expect((await p.timelineLines()).slice(1)).toEqual([
      'call: Bash: npm run dev (1 file) | log by claude/toolu_01',
      'prompt: Prompt: And now?',
      'call: Bash: npm run dev (1 file) | log by claude/toolu_01, outside?',
    ]);
  });

  test('of a sub-agent are attributed to it, and stay open when the user sends a prompt', async () => {
    const p = new AgentAtWork('claude');
    const e = claudeEvents(p.dir);
    await p.tell(e.start());
    const write = e.call('Write', { file_path: p.at('report.md'), content: 'x' }, 'agent-7');
    await p.tell(write.pre);
    await p.tell(e.prompt('Go on.'));
    p.write('report.md', 'x');
    await p.tell(write.post({}));
    const bash = e.call('Bash', { command: 'date > when' }, 'agent-7');
    await p.tell(bash.pre);
    p.shell('date > when');
    await p.tell(e.subagentStop('agent-7'));
    expect((await p.timelineLines()).slice(2)).toEqual([
      'call: Write report.md (new, +1 −0) | report.md by claude:agent-7/toolu_01',
      'call: Bash: date > when (1 file) | when by claude:agent-7/toolu_02, outside?',
    ]);
  });

  test('of Monitor run on after they have answered', async () => {
    const p = new AgentAtWork('claude');
    const e = claudeEvents(p.dir);
    await p.tell(e.start());
    const monitor = e.call('Monitor', { command: './watch.sh', description: 'x' });
    await p.tell(monitor.pre);
    await p.tell(monitor.post({ taskId: 't' }));
    p.write('seen.txt', 'x');
    await p.open().checkpoint();
    const [change] = (await p.checkpoints()).flatMap((one) => one.changes ?? []);
    expect(change?.by.authors.map(({ actor }) => actor.name)).toEqual(['claude', 'outside']);
  });

  test('that two hooks report are recorded once', async () => {
    const p = new AgentAtWork('claude');
    const e = claudeEvents(p.dir);
    const twice = (event: object) => Promise.all([p.tell(event), p.tell(event)]);
    await twice(e.start());
    await twice(e.prompt('Once.', 'pr-1'));
    const bash = e.call('Bash', { command: 'touch once' });
    await twice(bash.pre);
    p.shell('touch once');
    await twice(bash.post({}));
    expect(await p.timelineLines()).toEqual([
      'session: session of claude started',
      'prompt: Prompt: Once.',
      'call: Bash: touch once (1 file) | once by claude/toolu_01',
    ]);
  });

  test('that two hooks report are recorded once, also if other events come in between', async () => {
    const p = new AgentAtWork('claude');
    const e = claudeEvents(p.dir);
    const other = claudeEvents(p.dir, 'session-2');
    await p.tell(e.start());
    await p.tell(e.prompt('Once.', 'pr-1'));
    const bash = e.call('Bash', { command: 'touch once' });
    await p.tell(bash.pre);
    p.shell('touch once');
    await p.tell(e.start());
    await p.tell(e.prompt('Once.', 'pr-1'));
    await p.tell(bash.post({}));
    await p.tell(other.prompt('Another session.', 'pr-2'));
    p.write('mine', 'mine\n');
    await p.tell(e.prompt('Once.', 'pr-1'));
    await p.tell(bash.pre);
    await p.tell(bash.post({}));
    await p.open().checkpoint();
    expect(await p.timelineLines()).toEqual([
      'session: session of claude started',
      'prompt: Prompt: Once.',
      'call: Bash: touch once (1 file) | once by claude/toolu_01',
      'prompt: Prompt: Another session.',
      // The begin after the end may be that of another call with the same id.
      'before: 1 file, +1 −0: mine | mine by outside',
      'manual: no changes since cp_5',
    ]);
  });

  test('without a reported begin are named, as uncertain', async () => {
    const p = new AgentAtWork('claude');
    const e = claudeEvents(p.dir);
    await p.tell(e.start());
    p.write('x', 'x\n');
    await p.tell(e.call('Write', { file_path: p.at('x'), content: 'x\n' }).post({}));
    const line = 'late call: Write x (new, +1 −0) | x by claude/toolu_01, outside?';
    expect((await p.timelineLines()).slice(1)).toEqual([line]);
  });
});

test('a compacted conversation continues; a resumed or forked one starts a new session', async () => {
  const p = new AgentAtWork('claude');
  const e = claudeEvents(p.dir);
  await p.tell(e.start());
  const bash = e.call('Bash', { command: 'touch a' });
  await p.tell(bash.pre);
  await p.tell(e.start('compact'));
  p.shell('touch a');
  await p.tell(bash.post({}));
  const forked = claudeEvents(p.dir, 'session-2');
  await p.tell(forked.start('fork'));
  expect((await p.checkpoints()).map(({ trigger, session }) => `${trigger} ${session}`)).toEqual([
    'session session-1',
    'call session-1',
    'session session-2',
  ]);
});

test('the agent is informed once of what others changed', async () => {
  const p = new AgentAtWork('claude');
  const e = claudeEvents(p.dir);
  p.write('a.txt', 'one\n');
  await p.tell(e.start());
  p.write('a.txt', 'two\n');
  await p.tell(e.prompt('Go.'));
  await p.open().restore('cp_1');
  await p.open().undo();
  expect(await p.tell(e.prompt('Nothing has changed.'))).toBeNull();
  await p.open().restore('cp_1');
  const said = await p.tell(e.prompt('Go on.'));
  expect(said).toMatchObject({ hookSpecificOutput: { hookEventName: 'UserPromptSubmit' } });
  expect(JSON.stringify(said)).toMatch(/restore by user.*Changed: a\.txt\. Read them again/);
  expect(await p.tell(e.prompt('Go on!'))).toBeNull();
});

test('a path outside every workspace is reported once', async () => {
  const p = new AgentAtWork('claude');
  const e = claudeEvents(p.dir);
  await p.tell(e.start());
  const write = e.call('Write', { file_path: `${p.dir}-elsewhere/x`, content: '' });
  expect(JSON.stringify(await p.tell(write.pre))).toContain('no checkpoint of');
  await p.tell(write.post({}));
  expect(await p.tell(e.call('Write', { file_path: `${p.dir}-elsewhere/x`, content: '' }).pre)).toBeNull();
});

test('a rewind by the agent itself is not attributed to another author', async () => {
  const p = new AgentAtWork('claude');
  const e = claudeEvents(p.dir);
  p.write('a.txt', 'one\n');
  await p.tell(e.start());
  const edit = e.call('Edit', { file_path: p.at('a.txt'), old_string: 'one', new_string: 'two' });
  await p.tell(edit.pre);
  p.write('a.txt', 'two\n');
  await p.tell(edit.post({}));
  p.write('a.txt', 'one\n');
  await p.tell(e.prompt('Try it another way.'));
  expect((await p.timelineLines()).at(-1)).toBe(
    'prompt: Prompt: Try it another way. | a.txt by claude/rewind, outside?',
  );
  p.write('a.txt', 'three\n');
  await p.tell(e.prompt('Now I changed it.'));
  expect((await p.timelineLines()).at(-1)).toMatch(/a\.txt by outside$/);
});

test('a tool call that declares a frozen path is denied, and a change of it by a shell is reverted', async () => {
  const p = new AgentAtWork('claude');
  const e = claudeEvents(p.dir);
  p.write('lamp.txt', 'off\n');
  await p.tell(e.start());
  await p.open().freeze(['lamp.txt' as TreePath]);
  const write = e.call('Write', { file_path: p.at('lamp.txt'), content: 'on\n' });
  expect(await p.tell(write.pre)).toMatchObject({
    hookSpecificOutput: { permissionDecision: 'deny', permissionDecisionReason: expect.stringContaining('lamp.txt') },
  });
  const bash = e.call('Bash', { command: 'echo on > lamp.txt', description: 'x' });
  expect(await p.tell(bash.pre)).toBeNull();
  p.shell('echo on > lamp.txt');
  expect(JSON.stringify(await p.tell(bash.post({ stdout: '' })))).toContain(
    'lamp.txt is frozen and may not be changed. Savepoint has reverted the changes.',
  );
  expect(readFileSync(p.at('lamp.txt'), 'utf8')).toBe('off\n');
});
