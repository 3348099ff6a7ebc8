/** Rows in the form of Codex 0.169: two turns, the first with two parallel calls. */
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConversationEnd, ConversationPlace } from '@savepoint/core/ports';
import { expect, onTestFinished, test } from 'vitest';
import { codexConversation } from '../../src/conversation/codex.ts';
import { jsonLines } from '../fixtures/transcripts.ts';
import { afterCall, beforePrompt, machine, placeIn, rowsOf } from './place.ts';

const ID = '01a21616-d707-7e20-89ed-863ae930f3f6';

const item = (payload: object) => ({ type: 'response_item', payload });
const words = (role: string, id: string, text: string, turn: string) =>
  item({
    type: 'message',
    id,
    role,
    content: [{ type: 'input_text', text }],
    internal_chat_message_metadata_passthrough: { turn_id: turn },
  });
const note = (payload: object) => ({ type: 'event_msg', payload: { thread_id: ID, ...payload } });

const ROWS = [
  { type: 'session_meta', payload: { id: ID, session_id: ID, cwd: '/w', cli_version: '0.169.0' } },
  note({ type: 'task_started', turn_id: 't-1' }),
  words('user', 'm-1', '<environment_context>\n  <cwd>/w</cwd>\n</environment_context>', 't-1'),
  words('user', 'm-2', 'Write both files.', 't-1'),
  item({ type: 'custom_tool_call', id: 'x-1', call_id: 'c-1', name: 'apply_patch', input: '*** Begin Patch' }),
  item({ type: 'function_call', id: 'x-2', call_id: 'c-2', name: 'exec_command', arguments: '{}' }),
  item({ type: 'custom_tool_call_output', id: 'y-1', call_id: 'c-1', output: `names "${ID}"` }),
  item({ type: 'function_call_output', id: 'y-2', call_id: 'c-2', output: 'Exit code: 0' }),
  note({ type: 'item_completed', item: { type: 'AgentMessage', id: 'm-3' } }),
  words('assistant', 'm-3', 'Both are there.', 't-1'),
  note({ type: 'task_complete', turn_id: 't-1' }),
  note({ type: 'task_started', turn_id: 't-2' }),
  { type: 'turn_context', payload: { turn_id: 't-2', model: 'gpt-5.5' } },
  words('user', 'm-4', 'Now improve them — 好.', 't-2'),
  words('assistant', 'm-5', 'They are better.', 't-2'),
  note({ type: 'task_complete', turn_id: 't-2' }),
] as const;

const here = (path: string | null) => machine({ CODEX_HOME: join(path ?? '/', '../../../../..') });

/** The home of Codex, with a folder of sessions. @returns the path of the transcript */
function transcript(content: string | Buffer = jsonLines(ROWS)): string {
  const home = mkdtempSync(join(tmpdir(), 'savepoint-codex-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const folder = join(home, 'sessions/2026/11/26');
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `rollout-2026-11-26T04-22-05-${ID}.jsonl`);
  writeFileSync(path, content);
  return path;
}

const place = (path: string | null, end: ConversationEnd, session = ID): ConversationPlace =>
  placeIn('codex', session, path, end);

/** @returns the rows that the new transcript has */
async function rewound(path: string, end: ConversationEnd) {
  const before = readFileSync(path);
  const { session, command } = await codexConversation.rewind(place(path, end), here(path));
  expect(readFileSync(path)).toEqual(before);
  expect(command).toEqual(['codex', 'resume', session]);
  expect(session).toMatch(/^[0-9a-f-]{36}$/);
  const names = readdirSync(join(path, '..'));
  expect(names).toHaveLength(2);
  const name = names.find((one) => one.endsWith(`-${session}.jsonl`));
  expect(name).toBe(`rollout-2026-11-26T04-22-05-${session}.jsonl`);
  const rows = rowsOf(join(path, '..', name ?? ''));
  expect(rows[0]).toMatchObject({ payload: { id: session, session_id: session, cwd: '/w' } });
  return { rows, session };
}

const whyNot = async (path: string | null, end: ConversationEnd, session = ID): Promise<string> => {
  const plan = await codexConversation.plan(place(path, end, session), here(path));
  return plan.isPossible ? 'possible' : plan.reason;
};

test('ends before a prompt, in the copy only', async () => {
  const path = transcript();
  expect(await codexConversation.plan(place(path, beforePrompt('t-2')), here(path))).toEqual({
    isPossible: true,
    messages: 2,
    prompts: 1,
    removed: [
      { role: 'user', text: 'Now improve them — 好.' },
      { role: 'assistant', text: 'They are better.' },
    ],
    words: 'Now improve them — 好.',
  });
  const { rows, session } = await rewound(path, beforePrompt('t-2'));
  expect(rows).toHaveLength(11);
  // The id is replaced where it is a value, and not in what a tool has printed.
  expect(rows[1]).toMatchObject({ payload: { thread_id: session, turn_id: 't-1' } });
  expect(rows[6]).toEqual(ROWS[6]);
});

test('removes what a killed process has left of a copy', async () => {
  const path = transcript();
  const left = join(path, '..', `rollout-2026-11-26T04-00-00-${ID.replace('01', '02')}.jsonl.savepoint-new`);
  writeFileSync(left, '{"half');
  utimesSync(left, 0, 0);
  await rewound(path, beforePrompt('t-2'));
});

test('ends before the first prompt: only the description of the session stays', async () => {
  const { rows } = await rewound(transcript(), beforePrompt('t-1'));
  expect(rows.map(({ type }) => type)).toEqual(['session_meta']);
});

test('ends after a call and the calls beside it', async () => {
  const path = transcript();
  const plan = await codexConversation.plan(place(path, afterCall('c-1')), here(path));
  expect(plan).toMatchObject({ isPossible: true, messages: 3, prompts: 1, words: null });
  const { rows } = await rewound(path, afterCall('c-1'));
  expect(rows.at(-1)).toEqual(ROWS[7]);
});

test('finds a prompt without an id by its words, if only one prompt has them', async () => {
  const path = transcript();
  const shortened = `${'Now improve them'.slice(0, 10)}…`;
  for (const words of ['Now improve them — 好.', shortened]) {
    const { rows } = await rewound(transcript(), beforePrompt(null, words));
    expect(rows).toHaveLength(11);
  }
  expect(await whyNot(path, beforePrompt(null, 'Write both files.', ['Now improve them — 好.']))).toBe('possible');
  expect(await whyNot(path, beforePrompt(null, 'Write three files.'))).toContain('not in its transcript');
  const twice = transcript(jsonLines([...ROWS, ...ROWS.slice(11)]));
  expect(await whyNot(twice, beforePrompt(null, 'Now improve them — 好.'))).toContain('not certain');
  expect(await whyNot(twice, beforePrompt('t-2', 'Now improve them — 好.'))).toContain('not certain');
  expect(await whyNot(path, beforePrompt(null))).toContain('not known');
  expect(await whyNot(path, afterCall('c-9'))).toContain('the result of the call is not in its transcript');
});

test('does not take another prompt with the same words for one that is not written yet', async () => {
  const whyNotNew = await whyNot(transcript(), beforePrompt('t-3', 'Now improve them — 好.'));
  expect(whyNotNew).toBe('the prompt is not in its transcript');
});

test('finds a prompt that was added to a running turn by its words', async () => {
  const added = [...ROWS.slice(0, 14), words('user', 'm-6', 'Also the tests.', 't-2'), ...ROWS.slice(14)];
  const kept = async (said: string) => (await rewound(transcript(jsonLines(added)), beforePrompt('t-2', said))).rows;
  expect(await kept('Also the tests.')).toHaveLength(14);
  expect(await kept('Now improve them — 好.')).toHaveLength(11);
  const several = 'its transcript has several prompts with the same id';
  expect(await whyNot(transcript(jsonLines(added)), beforePrompt('t-2', 'Something else.'))).toBe(several);
});

test('leaves out damaged lines, and the end of a line that is being written', async () => {
  const text = jsonLines(ROWS.slice(0, 5));
  const path = transcript(`${text}{"type":"resp\n\u0000\n${jsonLines(ROWS.slice(5))}`);
  appendFileSync(path, '{"type":"response_item","payl');
  const { rows } = await rewound(path, beforePrompt('t-2'));
  expect(rows).toHaveLength(11);
});

test('refuses what is not a transcript of this session, and writes nothing', async () => {
  const path = transcript();
  const again = jsonLines([...ROWS, ...ROWS.slice(4, 8)]);
  expect(await whyNot(transcript(again), afterCall('c-1'))).toContain('more than once');
  expect(await whyNot(transcript(again), afterCall('c-1', 't-1'))).toBe('possible');
  expect(await whyNot(path, beforePrompt('t-1'), '01a21616-d707-7e20-89ed-000000000000')).toContain('not where Codex');
  const [meta, ...rest] = ROWS;
  const foreign = transcript(jsonLines([{ ...meta, payload: { ...meta.payload, id: 'x' } }, ...rest]));
  expect(await whyNot(foreign, beforePrompt('t-1'))).toContain('another session');
  for (const id of ['--last', '-1', '../x', ''])
    expect(await whyNot(path, beforePrompt('t-1'), id)).toContain('not one of Codex');
  expect(await whyNot(null, beforePrompt('t-1'))).toContain('no transcript');
  const moved = join(path, '../moved');
  renameSync(path, moved);
  expect(await whyNot(moved, beforePrompt('t-1'))).toContain('not where Codex');
  expect(await whyNot(path, beforePrompt('t-1'))).toContain('does not exist any more');
  symlinkSync(moved, path);
  expect(await whyNot(path, beforePrompt('t-1'))).toContain('a link');
  const going = codexConversation.rewind(place(path, beforePrompt('t-1')), here(path));
  await expect(going).rejects.toMatchObject({ code: 'CONVERSATION_REFUSED' });
  rmSync(path);
  mkdirSync(path);
  expect(await whyNot(path, beforePrompt('t-1'))).toMatch(/not a file|cannot be read/);
  expect(readdirSync(join(path, '..')).sort()).toEqual(['moved', `rollout-2026-11-26T04-22-05-${ID}.jsonl`]);
});

test('a line that is longer than a message can be is refused, not cut off', async () => {
  const path = transcript();
  appendFileSync(path, 'x'.repeat(17 * 1024 * 1024));
  expect(await whyNot(path, beforePrompt('t-2'))).toContain('too long');
});

test('names the session that a fork continues', async () => {
  const [meta, ...rest] = ROWS;
  const forked = { ...meta, payload: { ...meta.payload, history_base: { thread_id: 'x' } } };
  const path = transcript(jsonLines([forked, ...rest.slice(10)]));
  expect(await whyNot(path, beforePrompt('t-1', 'Write both files.', ['Now improve them — 好.']))).toContain(
    'continues that of another session',
  );
});
