/** What the rows of a transcript build up, for each agent's format. */
import { writeFileSync } from 'node:fs';
import type { DiskPath, TranscriptMark } from '@savepoint/core';
import { realPorts } from '@savepoint/testkit';
import { expect, test } from 'vitest';
import { fieldsOf } from '../../src/fields.ts';
import { claudeRow } from '../../src/transcript/claude.ts';
import { clineRows } from '../../src/transcript/cline.ts';
import { codexRow } from '../../src/transcript/codex.ts';
import { Conversation } from '../../src/transcript/conversation.ts';
import { copilotRow } from '../../src/transcript/copilot.ts';
import { followTranscript } from '../../src/transcript/follow.ts';
import { geminiRow } from '../../src/transcript/gemini.ts';
import type { RowFormat } from '../../src/transcript/row.ts';
import { CLINE, ClaudeTranscript, CODEX, COPILOT, GEMINI, jsonLines } from '../fixtures/transcripts.ts';
import { transcriptFile } from './transcript-file.ts';

const { fs } = realPorts();

interface Read {
  readonly messages: Conversation['messages'];
  readonly model: string | null;
  readonly contextSize: number | null;
  readonly version: string | null;
}

function read(format: RowFormat, rows: readonly object[]): Read {
  const conversation = new Conversation();
  for (const row of rows) for (const one of format(fieldsOf(row))) conversation.add(one);
  const mark = followTranscript(fs, transcriptFile(jsonLines(rows)) as DiskPath, format, null);
  const { model, contextSize, version, messages } = mark as TranscriptMark;
  expect(messages).toBe(conversation.messages.length);
  return { messages: conversation.messages, model, contextSize, version };
}

const shown = ({ messages }: Read): readonly string[] => messages.map(({ role, text }) => `${role}: ${text ?? '-'}`);

test('Claude Code: prompts, answers in several rows, parallel calls, and nothing of sub-agents', () => {
  const t = new ClaudeTranscript();
  t.prompt('First.');
  t.note();
  const [one, two] = [t.call('m-1', 'c-1'), t.call('m-1', 'c-2')];
  t.aside('Not of this conversation.');
  t.result('c-1', one);
  t.result('c-2', two);
  t.answer('m-2', 'All done.');
  const conversation = read(claudeRow, t.rows);
  expect(shown(conversation)).toEqual(['user: First.', 'assistant: -', 'tool: -', 'tool: -', 'assistant: All done.']);
  expect(conversation).toMatchObject({ model: 'opus', contextSize: 1_007, version: '2.1.329' });
});

test('Claude Code: after going back, the abandoned branch does not count', () => {
  const t = new ClaudeTranscript();
  t.prompt('First.');
  const end = t.answer('m-1', 'Done.');
  t.prompt('A mistake.');
  t.call('m-2', 'c-1');
  t.result('c-1');
  t.answer('m-3', 'Sorry.');
  t.prompt('Better.', end);
  t.answer('m-4', 'Good.');
  expect(shown(read(claudeRow, t.rows))).toEqual([
    'user: First.',
    'assistant: Done.',
    'user: Better.',
    'assistant: Good.',
  ]);
});

test('Codex: without instructions and notes on the surroundings', () => {
  const conversation = read(codexRow, CODEX);
  expect(shown(conversation)).toEqual(['user: Do it.', 'assistant: -', 'tool: -', 'assistant: All done.']);
  expect(conversation).toMatchObject({ model: 'gpt-5.5', contextSize: 321, version: '0.169.0' });
});

test('Gemini CLI: a message that is written again, and going back', () => {
  const conversation = read(geminiRow, GEMINI);
  expect(shown(conversation)).toEqual([
    'user: Do it.',
    'assistant: -',
    'tool: -',
    'assistant: All done.',
    'user: And this.',
    'assistant: Sure.',
  ]);
  expect(conversation).toMatchObject({ model: 'flash', contextSize: 12 });
  expect(shown(read(geminiRow, [...GEMINI, { $rewindTo: 'g-5' }])).at(-1)).toBe('assistant: All done.');
  expect(shown(read(geminiRow, [...GEMINI, { $rewindTo: 'unknown' }]))).toEqual([]);
  expect(shown(read(geminiRow, [...GEMINI, { $set: { messages: [GEMINI[2]] } }]))).toEqual(['user: Do it.']);
});

test('Copilot CLI: nothing of sub-agents, and nothing that the user went back from', () => {
  const conversation = read(copilotRow, COPILOT);
  expect(shown(conversation)).toEqual(['user: Do it.', 'assistant: -', 'tool: -', 'assistant: All done.']);
  expect(conversation).toMatchObject({ model: 'sonnet', contextSize: 77, version: '1.0.102' });
  const back = { type: 'user.message', data: { content: 'Otherwise.' }, id: 'e-x', parentId: 'e-2' };
  expect(shown(read(copilotRow, [...COPILOT, back]))).toEqual(['user: Otherwise.']);
});

test('Cline: one document, which is read again when it has changed', () => {
  const path = transcriptFile(JSON.stringify(CLINE, null, 2)) as DiskPath;
  const format = { document: clineRows };
  const first = followTranscript(fs, path, format, null);
  expect(first).toMatchObject({
    messages: 4,
    lastAssistant: 'All done.',
    model: 'sonnet',
    contextSize: 100,
    version: '3.0.65',
    isComplete: true,
  });
  expect(followTranscript(fs, path, format, first)).toBe(first);
  const words = clineRows(CLINE).flatMap((row) => (row.kind === 'message' ? [row.text] : []));
  expect(words).toEqual(['Do it.', null, null, 'All done.']);
  writeFileSync(path, JSON.stringify({ ...CLINE, messages: [] }));
  expect(followTranscript(fs, path, format, first)).toMatchObject({ messages: 0, lastAssistant: null });
  // Half written, and too long to be read with each event.
  writeFileSync(path, JSON.stringify(CLINE).slice(0, -9));
  expect(followTranscript(fs, path, format, first)).toMatchObject({ messages: null, isComplete: false });
  writeFileSync(path, JSON.stringify({ ...CLINE, system_prompt: 'x'.repeat(9 * 1024 * 1024) }));
  expect(followTranscript(fs, path, format, first)).toMatchObject({ messages: null, isComplete: false });
});

test('rows of any shape are passed over', () => {
  const odd = [[], null, 7, 'text', { type: 'user' }, { uuid: 1 }, { type: 'assistant', uuid: 'u', message: [] }];
  for (const format of [claudeRow, codexRow, geminiRow, copilotRow]) {
    expect(() =>
      read(format, [...odd, { type: 'response_item', payload: { type: 'message', id: {}, role: 'user' } }] as object[]),
    ).not.toThrow();
  }
});
