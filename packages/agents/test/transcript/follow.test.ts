/** Following a transcript while the agent writes it gives the same as reading all of it at the end. */
import { appendFileSync, renameSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { DiskPath, TranscriptMark } from '@savepoint/core';
import { realPorts, seededRandom } from '@savepoint/testkit';
import { expect, test } from 'vitest';
import { claudeRow } from '../../src/transcript/claude.ts';
import { Conversation } from '../../src/transcript/conversation.ts';
import { followTranscript } from '../../src/transcript/follow.ts';
import { ClaudeTranscript, jsonLines } from '../fixtures/transcripts.ts';
import { transcriptFile } from './transcript-file.ts';

const { fs } = realPorts();

const follow = (path: string, known: TranscriptMark | null = null): TranscriptMark | null =>
  followTranscript(fs, path as DiskPath, claudeRow, known);

function finished(): ClaudeTranscript {
  const t = new ClaudeTranscript();
  t.prompt('First.');
  t.call('m-1', 'c-1');
  t.result('c-1');
  t.answer('m-2', 'Döne — 好.');
  return t;
}

test('cut anywhere, also inside a character', () => {
  const random = seededRandom(7);
  const t = finished();
  const end = t.answer('m-3', 'More.');
  t.prompt('A mistake.');
  t.answer('m-4', 'Sorry.');
  t.prompt('Better.', end);
  t.answer('m-5', 'Good.');
  const whole = Buffer.from(jsonLines(t.rows));
  const expected = new Conversation();
  for (const row of t.rows) for (const one of claudeRow(row)) expected.add(one);
  for (let round = 0; round < 40; round++) {
    const path = transcriptFile();
    let mark: TranscriptMark | null = null;
    for (let at = 0; at < whole.length; ) {
      const length = 1 + random.integer(400);
      appendFileSync(path, whole.subarray(at, at + length));
      at += length;
      mark = follow(path, mark);
    }
    const { messages, last, lastAssistant, isComplete, skipped, offset } = mark as TranscriptMark;
    expect({ messages, last, lastAssistant, isComplete, skipped, offset }).toEqual({
      messages: expected.messages.length,
      last: 'm-5',
      lastAssistant: 'Good.',
      isComplete: true,
      skipped: 0,
      offset: whole.length,
    });
  }
});

test('a damaged line is skipped and counted', () => {
  const path = transcriptFile(`${jsonLines(finished().rows)}{"type":"user",\n\n\u0000\n`);
  appendFileSync(path, jsonLines([{ type: 'attachment', uuid: 'u-9', parentUuid: 'u-4' }]));
  expect(follow(path)).toMatchObject({ messages: 4, skipped: 2, leaf: 'u-9' });
});

test('another file at the same path is read from its start', () => {
  const path = transcriptFile(jsonLines(finished().rows));
  const mark = follow(path);
  const t = new ClaudeTranscript();
  t.prompt('Another one.');
  writeFileSync(`${path}.new`, jsonLines(t.rows));
  renameSync(`${path}.new`, path);
  expect(follow(path, mark)).toMatchObject({ messages: 1, lastAssistant: null });
});

test('a large file is read over several events, and is unknown until then', () => {
  const t = finished();
  const image = jsonLines([{ type: 'api-request-blob', data: 'x'.repeat(5 * 1024 * 1024) }]);
  const path = transcriptFile(image + image + image + jsonLines(t.rows));
  const first = follow(path);
  expect(first).toMatchObject({ isComplete: false, messages: 0 });
  expect(follow(path, first)).toMatchObject({ isComplete: true, messages: 4 });
});

test('a line without an end is not read to its end', () => {
  const path = transcriptFile(jsonLines(finished().rows));
  truncateSync(path, 2 ** 40);
  const mark = follow(path);
  expect(mark).toMatchObject({ messages: 4, isComplete: false, lastAssistant: 'Döne — 好.' });
  expect(follow(path, mark)).toEqual(mark);
});

test('going back again and again takes no longer than reading', () => {
  const t = new ClaudeTranscript();
  let after = t.prompt('0');
  for (let i = 1; i < 60_000; i++) {
    const last = t.prompt(`${i}`, after);
    if (i % 2 === 0) after = last;
  }
  expect(follow(transcriptFile(jsonLines(t.rows)))).toMatchObject({ messages: 30_001 });
});

test('what is not a file of its own is not read', () => {
  const path = transcriptFile(jsonLines(finished().rows));
  symlinkSync(path, `${path}.link`);
  expect([follow(`${path}.link`), follow(`${path}.none`), follow(tmpdir())]).toEqual([null, null, null]);
});
