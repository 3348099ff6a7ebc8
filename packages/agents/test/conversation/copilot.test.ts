/** Events in the form of Copilot CLI 1.0.102: two prompts, the first with the same call twice. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConversationEnd, ConversationPlace } from '@savepoint/core/ports';
import { expect, onTestFinished, test } from 'vitest';
import { copilotConversation } from '../../src/conversation/copilot.ts';
import { makeCallId } from '../../src/hook/pairing.ts';
import { jsonLines } from '../fixtures/transcripts.ts';
import { afterCall, beforeRecorded, machine, placeIn, rowsOf } from './place.ts';

const ID = '79007a1b-9d1c-46ca-b763-ee3928ddbc9d';
const INPUT = { path: '/w/a.txt', file_text: 'a' };

const event = (type: string, data: object, second = 0) => ({
  type,
  data,
  id: `e-${type}-${second}`,
  timestamp: new Date(Date.UTC(2026, 10, 26, 4, 22, second)).toISOString(),
});
const call = (toolCallId: string, second: number) => [
  event('assistant.message', { content: '', toolRequests: [{ toolCallId }] }, second),
  event('tool.execution_start', { toolCallId, toolName: 'create', arguments: INPUT }, second),
  event('tool.execution_complete', { toolCallId, success: true }, second + 2),
  event('assistant.turn_end', {}, second + 2),
];

const ROWS = [
  event('session.start', { sessionId: ID, copilotVersion: '1.0.102', context: { cwd: '/w' } }),
  event('user.message', { content: 'Write it.' }, 1),
  ...call('c-1', 2),
  ...call('c-2', 12),
  event('user.message', { content: 'Hidden.', source: 'skill-pdf' }, 15),
  event('assistant.message', { content: 'Written twice.' }, 16),
  event('user.message', { content: 'Now improve it.' }, 20),
  event('assistant.message', { content: 'It is better.' }, 21),
];

/** @returns the path of the transcript */
function transcript(rows: readonly unknown[] = ROWS): string {
  const home = mkdtempSync(join(tmpdir(), 'savepoint-copilot-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const folder = join(home, 'session-state', ID);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'events.jsonl'), jsonLines(rows));
  return join(folder, 'events.jsonl');
}

const here = (path: string) => machine({ COPILOT_HOME: join(path, '../../..') });
const place = (path: string, end: ConversationEnd, session = ID): ConversationPlace =>
  placeIn('copilot', session, path, end);

async function rewound(path: string, end: ConversationEnd) {
  const before = readFileSync(path);
  const { session, command } = await copilotConversation.rewind(place(path, end), here(path));
  expect(readFileSync(path)).toEqual(before);
  expect(command).toEqual(['copilot', '--resume', session]);
  const rows = rowsOf(join(path, '../..', session, 'events.jsonl'));
  expect(rows[0]).toEqual({ ...ROWS[0], data: { ...ROWS[0]?.data, sessionId: session } });
  return rows;
}

const whyNot = async (path: string, end: ConversationEnd, session = ID): Promise<string> => {
  const plan = await copilotConversation.plan(place(path, end, session), here(path));
  return plan.isPossible ? 'possible' : plan.reason;
};

const MINUTE = Date.UTC(2026, 10, 26, 4, 22, 0);
const before = (index: number) =>
  beforeRecorded(index, [
    ['Write it.', MINUTE + 900],
    ['Now improve it.', MINUTE + 20_900],
  ]);

/** The id that the hooks gave a call which began at that second. */
const callId = (second: number): string => {
  const made = {
    id: null,
    tool: 'create',
    kind: 'write',
    input: INPUT,
    paths: null,
    writes: null,
    own: false,
  } as const;
  return makeCallId(made, String(Date.UTC(2026, 10, 26, 4, 22, second)), () => '');
};

test('ends before a prompt', async () => {
  const path = transcript();
  const end = before(1);
  expect(await copilotConversation.plan(place(path, end), here(path))).toMatchObject({
    isPossible: true,
    messages: 2,
    prompts: 1,
    words: 'Now improve it.',
  });
  expect(await rewound(path, end)).toHaveLength(12);
  const twice = [...ROWS, event('user.message', { content: 'Now improve it.' }, 25)];
  expect(await whyNot(transcript(twice), end)).toContain('it is not certain which');
  // A hidden message is not a prompt.
  expect(await whyNot(path, before(0))).toBe('possible');
});

test('removes what a killed process has left of a copy', async () => {
  const path = transcript();
  const left = join(path, '..', `${ID.replace('79', '80')}.jsonl.savepoint-new`);
  writeFileSync(left, '{"half');
  utimesSync(left, 0, 0);
  await rewound(path, before(1));
  expect(readdirSync(join(path, '..'))).toEqual(['events.jsonl']);
});

test('ends after a call; of equal ones, after the one that ran at that time', async () => {
  expect((await rewound(transcript(), afterCall(callId(3)))).at(-1)).toEqual(ROWS[4]);
  expect((await rewound(transcript(), afterCall(callId(13)))).at(-1)).toEqual(ROWS[8]);
  expect(await whyNot(transcript(), afterCall(callId(1)))).toContain('is not in its transcript');
});

test('before the first prompt, a new session begins', async () => {
  const path = transcript();
  const { session, command } = await copilotConversation.rewind(place(path, before(0)), here(path));
  expect(command).toEqual(['copilot', '--session-id', session]);
  expect(readdirSync(join(path, '../..'))).toEqual([ID]);
});

test('refuses what is not a transcript of this session', async () => {
  const end = before(1);
  expect(await whyNot(transcript(), end, '79007a1b-9d1c-46ca-b763-000000000000')).toContain('another session');
  expect(await whyNot(transcript(), end, '--resume')).toContain('not one of Copilot');
  expect(await whyNot(transcript([]), end)).toContain('another session');
  expect(await whyNot('/etc/passwd', end)).toMatch(/not where|does not exist/);
});
