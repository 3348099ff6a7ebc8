/** Rows in the form of Gemini CLI 0.61, with what its programs write when they resume a session or go back. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConversationEnd, ConversationPlace, DiskPath } from '@savepoint/core/ports';
import { expect, onTestFinished, test } from 'vitest';
import { geminiConversation } from '../../src/conversation/gemini.ts';
import { makeCallId } from '../../src/hook/pairing.ts';
import { jsonLines } from '../fixtures/transcripts.ts';
import { afterCall, beforePrompt, beforeRecorded, machine, placeIn, rowsOf } from './place.ts';

const ID = 'f7bfdaf8-102f-499b-9688-ca1ceadec4f8';
const CONTEXT = { id: 'g-0', type: 'user', content: [{ text: '<session_context>\nToday …' }] };
const INPUT = { file_path: '/w/a.txt', content: 'a' };

const prompt = (id: string, text: string) => ({ id, type: 'user', content: [{ text }] });
const answer = (id: string, content: string) => ({ id, type: 'gemini', content, model: 'flash' });
const call = (id: string, timestamp: string) => ({
  ...answer(id, ''),
  toolCalls: [{ id: `w-${id}`, name: 'write_file', args: INPUT, result: [{ functionResponse: {} }], timestamp }],
});
const result = (id: string) => ({ id, type: 'user', content: [{ functionResponse: { name: 'write_file' } }] });

const ROWS = [
  { sessionId: ID, projectHash: 'h', startTime: '2026-11-26T04:22:37.000Z', kind: 'main' },
  { $set: { messages: [CONTEXT] } },
  prompt('g-1', 'Write it.'),
  answer('g-2', ''),
  call('g-2', '2026-11-26T04:22:38.000Z'),
  result('g-3'),
  { $set: { lastUpdated: '2026-11-26T04:22:39.000Z', summary: 'Writes twice' } },
  prompt('g-4', 'A mistake.'),
  answer('g-5', 'Sorry.'),
  { $rewindTo: 'g-4' },
  call('g-6', '2026-11-26T04:22:50.000Z'),
  result('g-7'),
  answer('g-8', 'Written twice.'),
  prompt('g-9', 'Now improve it.'),
  answer('g-10', 'It is better.'),
];

let home = '';

/** @returns the path of the transcript */
function transcript(rows: readonly unknown[] = ROWS): string {
  home = mkdtempSync(join(tmpdir(), 'savepoint-gemini-'));
  const made = home;
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  mkdirSync(join(home, '.gemini/tmp/w/chats'), { recursive: true });
  mkdirSync(join(home, 'project/sub'), { recursive: true });
  writeFileSync(join(home, '.gemini/tmp/w/.project_root'), join(home, 'project/sub'));
  const path = join(home, '.gemini/tmp/w/chats/session-2026-11-26T04-22-f7bfdaf8.jsonl');
  writeFileSync(path, jsonLines(rows));
  return path;
}

const place = (path: string, end: ConversationEnd, session = ID): ConversationPlace => ({
  ...placeIn('gemini', session, path, end),
  dir: join(home, 'project') as DiskPath,
});

async function rewound(path: string, end: ConversationEnd) {
  const before = readFileSync(path);
  const { session, command, dir } = await geminiConversation.rewind(place(path, end), machine({ HOME: home }));
  expect(readFileSync(path)).toEqual(before);
  expect(command).toEqual(['gemini', '--resume', session]);
  expect(dir).toBe(join(home, 'project/sub'));
  const name = readdirSync(join(path, '..')).find((one) => one.includes(session.slice(0, 8))) ?? '';
  expect(name).toMatch(/^session-\d{4}-\d\d-\d\dT\d\d-\d\d-[0-9a-f]{8}\.jsonl$/);
  const [about, ...rows] = rowsOf(join(path, '..', name));
  expect(about).toMatchObject({ sessionId: session, projectHash: 'h', kind: 'main' });
  expect(about).not.toHaveProperty('summary');
  return rows;
}

const whyNot = async (path: string, end: ConversationEnd, session = ID): Promise<string> => {
  const plan = await geminiConversation.plan(place(path, end, session), machine({ HOME: home }));
  return plan.isPossible ? 'possible' : plan.reason;
};

/** The id that the hooks gave a call which began at that time. */
const callId = (began: string): string => {
  const made = {
    id: null,
    tool: 'write_file',
    kind: 'write',
    input: INPUT,
    paths: null,
    writes: null,
    own: false,
  } as const;
  return makeCallId(made, String(Date.parse(began)), () => '');
};

test('ends before a prompt, with the last form of each message and without what was gone back from', async () => {
  const path = transcript();
  const end = beforePrompt(null, 'Now improve it.');
  expect(await geminiConversation.plan(place(path, end), machine({ HOME: home }))).toEqual({
    isPossible: true,
    messages: 2,
    prompts: 1,
    removed: [
      { role: 'user', text: 'Now improve it.' },
      { role: 'assistant', text: 'It is better.' },
    ],
    words: 'Now improve it.',
  });
  expect(await rewound(path, end)).toEqual([CONTEXT, ROWS[2], ROWS[4], ROWS[5], ROWS[10], ROWS[11], ROWS[12]]);
});

test('removes what a killed process has left of a copy', async () => {
  const path = transcript();
  const left = join(path, '../session-2026-11-26T04-20-00000000.jsonl.savepoint-new');
  writeFileSync(left, '{"half');
  utimesSync(left, 0, 0);
  await rewound(path, beforePrompt(null, 'Now improve it.'));
  expect(existsSync(left)).toBe(false);
});

test('reads lists of messages, as after a compaction', async () => {
  const list = [CONTEXT, prompt('g-1', 'Write it.'), answer('g-2', 'Done.')];
  const path = transcript([ROWS[0], prompt('x', 'Old.'), { $set: { messages: list } }, ...ROWS.slice(13)]);
  expect(await rewound(path, beforePrompt(null, 'Now improve it.'))).toEqual(list);
  expect(await whyNot(path, beforePrompt(null, 'Old.'))).toContain('not in its transcript');
});

test('ends after a call; of equal ones, after the one that began at that time', async () => {
  const first = callId('2026-11-26T04:22:37.900Z');
  expect(await rewound(transcript(), afterCall(first))).toEqual([CONTEXT, ROWS[2], ROWS[4], ROWS[5]]);
  const second = callId('2026-11-26T04:22:49.000Z');
  const six = [CONTEXT, ROWS[2], ROWS[4], ROWS[5], ROWS[10], ROWS[11]];
  expect(await rewound(transcript(), afterCall(second))).toEqual(six);
  // What the program writes when it resumes the session.
  const [{ toolCalls }] = [call('g-2', '')] as const;
  const id = 'write_file__write_file_1795666957641_0';
  const content = [{ functionCall: { id, name: 'write_file', args: toolCalls[0]?.args } }];
  const again = [CONTEXT, ROWS[2], { id: 'g-2', type: 'gemini', content }, result('g-2_response')];
  const resumed = [ROWS[0], { $set: { messages: again } }, ...ROWS.slice(12)];
  expect(await rewound(transcript(resumed), afterCall(callId('2026-11-26T04:22:37.691Z')))).toEqual(again);
  expect(await whyNot(transcript(resumed), afterCall(callId('2026-11-26T04:22:37.600Z')))).toContain('is not in');
  const unknown = `${first.slice(0, first.lastIndexOf('#'))}#beef`;
  expect(await whyNot(transcript(), afterCall(unknown))).toContain('more than once');
  expect(await whyNot(transcript(), afterCall('write_file#000000000000#1'))).toContain('is not in its transcript');
});

test('of prompts with the same words, the time decides; if it does not, none is taken', async () => {
  const again = [13, 60, 300].flatMap((minute, index) => [
    { ...prompt(`again-${index}`, 'Continue.'), timestamp: new Date(minute * 60_000).toISOString() },
    answer(`done-${index}`, 'Done.'),
  ]);
  const path = transcript([ROWS[0], ...again]);
  const recorded = (minute: number) => ['Continue.', minute * 60_000 - 900] as const;
  expect(await rewound(path, beforeRecorded(1, [recorded(13), recorded(300)]))).toEqual(again.slice(0, 4));
  expect(await whyNot(path, beforeRecorded(1, [recorded(13), recorded(400)]))).toContain('not in its transcript');
  const untimed = transcript([ROWS[0], ...again.map((row) => ({ ...row, timestamp: undefined }))]);
  expect(await whyNot(untimed, beforeRecorded(0, [recorded(13), recorded(300)]))).toContain('not certain');
});

test('before the first prompt, a new session begins', async () => {
  const path = transcript();
  const end = beforePrompt(null, 'Write it.', ['Now improve it.']);
  const { session, command } = await geminiConversation.rewind(place(path, end), machine({ HOME: home }));
  expect(command).toEqual(['gemini', '--session-id', session]);
  expect(readdirSync(join(path, '..'))).toHaveLength(1);
});

test('refuses what is not a transcript of this session', async () => {
  const end = beforePrompt(null, 'Now improve it.');
  expect(await whyNot(transcript(), end, 'f7bfdaf8-0000-499b-9688-ca1ceadec4f8')).toContain('another session');
  expect(await whyNot(transcript(), end, '--session-file=/etc/passwd')).toContain('not one of Gemini');
  expect(await whyNot(transcript([{}, [], null, 7]), end)).toContain('another session');
});
