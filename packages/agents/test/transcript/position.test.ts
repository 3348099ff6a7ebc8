/** Checkpoints under hooks record the position in the conversation. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { AgentAtWork } from '../driver.ts';
import { claudeEvents } from '../fixtures/claude.ts';
import { clineEvents } from '../fixtures/others.ts';
import { CLINE, ClaudeTranscript, COPILOT, jsonLines } from '../fixtures/transcripts.ts';

test('number of messages, last words, model and context size', async () => {
  const p = new AgentAtWork('claude');
  const events = claudeEvents(p.dir);
  const transcript = p.at('../session.jsonl');
  const t = new ClaudeTranscript();
  const tell = async (event: object): Promise<void> => {
    writeFileSync(transcript, jsonLines(t.rows));
    await p.tell({ ...event, transcript_path: transcript });
  };
  p.write('a.txt', 'a\n');
  await tell(events.start());
  await tell(events.prompt('First.', 'pr-1'));
  t.prompt('First.');
  t.answer('m-1', 'Now the file.');
  t.call('m-1', 'toolu_01');
  const write = events.call('Write', { file_path: p.at('a.txt'), content: 'b\n' });
  await tell(write.pre);
  p.write('a.txt', 'b\n');
  await tell(write.post({}));
  t.result('toolu_01');
  t.answer('m-2', 'All done.');
  // What a sub-agent's event names is not the conversation with the user.
  await p.tell({ ...events.subagentStop('sub-1'), transcript_path: '/nowhere.jsonl' });
  await tell(events.prompt('Second.', 'pr-2'));
  const checkpoints = await p.checkpoints();
  let path: string | undefined;
  await p
    .open()
    .session({ agent: 'claude', id: events.session })
    .followTranscript((known) => {
      path = known?.path;
      return null;
    });
  expect(path).toBe(transcript);
  const positions = checkpoints.map(({ trigger, conversation }) => [trigger, conversation]);
  const model = { model: 'opus', contextSize: 1_007 };
  expect(positions).toEqual([
    // The store did not exist before.
    ['session', null],
    ['prompt', { messages: 0, lastUser: 'First.', messageId: 'pr-1' }],
    ['call', { messages: 2, lastUser: 'First.', messageId: 'pr-1', lastAssistant: 'Now the file.', ...model }],
    ['prompt', { messages: 4, lastUser: 'Second.', messageId: 'pr-2', lastAssistant: 'All done.', ...model }],
  ]);
  expect(checkpoints.map(({ actor }) => actor.version)).toEqual([undefined, undefined, '2.1.329', '2.1.329']);
});

const KNOWN = { messages: 4, lastAssistant: 'All done.', model: 'sonnet' };

test('Copilot CLI: from the file of the session, which most events do not name', async () => {
  const p = new AgentAtWork('copilot', { env: { COPILOT_HOME: '' } });
  const sessionId = '79007a1b-9d1c-46ca-b763-ee3928ddbc9d';
  const folder = join(p.env['HOME'] ?? '', '.copilot/session-state', sessionId);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'events.jsonl'), jsonLines(COPILOT));
  p.write('a.txt', 'a\n');
  p.args = ['userPromptSubmitted'];
  for (const prompt of ['First.', 'Second.']) await p.tell({ sessionId, cwd: p.dir, prompt, timestamp: Date.now() });
  const last = (await p.checkpoints()).at(-1);
  expect(last?.conversation).toEqual({ ...KNOWN, lastUser: 'Second.', contextSize: 77 });
  expect(last?.actor.version).toBe('1.0.102');
});

test('Cline: from the file with the messages of the session', async () => {
  const p = new AgentAtWork('cline');
  const events = clineEvents(p.dir);
  const folder = join(p.env['HOME'] ?? '', '.cline/data/sessions/r-1');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'r-1.messages.json'), JSON.stringify(CLINE));
  p.write('a.txt', 'a\n');
  await p.tell(events.prompt('First.'));
  await p.tell({ ...events.prompt('Second.', '2026-11-20T23:33:24.780Z'), clineVersion: '' });
  const last = (await p.checkpoints()).at(-1);
  expect(last?.conversation).toEqual({ ...KNOWN, lastUser: 'Second.', contextSize: 100 });
  expect(last?.actor.version).toBe('3.0.65');
});

test('opencode: as its plugin reports it', async () => {
  const p = new AgentAtWork('opencode');
  const common = { event: 'chat.message', sessionID: 's', directory: p.dir };
  const position = { messages: 4, lastAssistant: 'All done.', contextSize: 9 };
  p.write('a.txt', 'a\n');
  await p.tell({ ...common, text: 'First.', messageID: 'm1' });
  await p.tell({ ...common, text: 'Second.', messageID: 'm2', ...position, model: 'p/sonnet' });
  await p.tell({ ...common, text: 'Third.', messageID: 'm3', messages: -1, lastAssistant: 7 });
  const found = (await p.checkpoints()).map(({ conversation }) => conversation);
  expect(found.slice(1)).toEqual([
    { ...position, lastUser: 'Second.', messageId: 'm2', model: 'p/sonnet' },
    // What is not a number says nothing.
    { messages: null, lastUser: 'Third.', messageId: 'm3' },
  ]);
});

test('a transcript that is not there, and one that is not named, change nothing', async () => {
  const p = new AgentAtWork('claude');
  const events = claudeEvents(p.dir);
  p.write('a.txt', 'a\n');
  await p.tell({ ...events.prompt('First.', 'pr-1'), transcript_path: 'relative.jsonl' });
  await p.tell({ ...events.prompt('Second.', 'pr-2'), transcript_path: '/dev/null' });
  const found = (await p.checkpoints()).map(({ conversation }) => conversation);
  expect(found).toEqual([
    { messages: null, lastUser: 'First.', messageId: 'pr-1' },
    { messages: null, lastUser: 'Second.', messageId: 'pr-2' },
  ]);
});
