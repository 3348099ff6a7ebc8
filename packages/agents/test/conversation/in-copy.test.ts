/** A conversation that continues in a copy of the workspace. */

import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { ConversationPlace, DiskPath } from '@savepoint/core/ports';
import { expect, onTestFinished, test } from 'vitest';
import { claudeConversation } from '../../src/conversation/claude.ts';
import { codexConversation } from '../../src/conversation/codex.ts';
import { conversations } from '../../src/conversation/index.ts';
import { ClaudeTranscript, jsonLines } from '../fixtures/transcripts.ts';
import { ClaudeFiles, SESSION } from './claude-files.ts';
import { beforePrompt, machine, placeIn, rowsOf } from './place.ts';

const COPY = '/home/copies/copy_12345678/tree' as DiskPath;

function twoTurns(): ClaudeTranscript {
  const t = new ClaudeTranscript();
  t.prompt('Look at /w/a.txt, not at /w2/a.txt or /x/w/a.txt.');
  t.answer('m-1', 'It is in "/w".');
  t.prompt('Second.');
  t.answer('m-2', 'Done.');
  return t;
}

test('of Claude Code: among the sessions of the copy, with the paths of the copy', async () => {
  const thought = { type: 'thinking', thinking: 'It is /w/a.txt.', signature: 's' };
  const rows = (twoTurns().rows as { type?: string; message?: { content: unknown[] } }[]).map((row) =>
    row.type === 'assistant'
      ? { ...row, message: { ...row.message, content: [thought, ...(row.message?.content ?? [])] } }
      : { ...row, cwd: '/w' },
  );
  const files = new ClaudeFiles(rows);
  const original = readFileSync(files.file(SESSION));
  const { session, command, dir } = await files.rewind(beforePrompt('p-2'), { copy: COPY });
  expect([command, dir]).toEqual([['claude', '--resume', session], COPY]);
  const folder = join(dirname(files.folder), '-home-copies-copy-12345678-tree');
  const text = readFileSync(join(folder, `${session}.jsonl`), 'utf8');
  expect(text).toContain(`Look at ${COPY}/a.txt, not at /w2/a.txt or /x/w/a.txt.`);
  expect(text).toContain(`"cwd":"${COPY}"`);
  expect(text).toContain(`It is in \\"${COPY}\\".`);
  // Signed by the provider.
  expect(text).toContain('It is /w/a.txt.');
  expect(text).not.toContain('Second.');
  expect(readFileSync(files.file(SESSION))).toEqual(original);
  expect(files.files).toEqual([`${SESSION}.jsonl`]);
});

test('of Codex: as a session of the copy', async () => {
  const home = mkdtempSync(join(tmpdir(), 'savepoint-codex-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const id = '01a21616-d707-7e20-89ed-863ae930f3f6';
  const folder = join(home, 'sessions/2026/11/26');
  mkdirSync(folder, { recursive: true });
  const begun = (turn: string) => ({ type: 'event_msg', payload: { type: 'task_started', turn_id: turn } });
  const changed = (at: string) => ({
    type: 'event_msg',
    payload: { changes: { [`${at}/a.txt`]: { type: 'add' } }, json: JSON.stringify({ text: `one\n${at}/a.txt` }) },
  });
  const said = (text: string, turn: string) => ({
    type: 'response_item',
    payload: {
      type: 'message',
      id: `m-${turn}`,
      role: 'user',
      content: [{ type: 'input_text', text }],
      internal_chat_message_metadata_passthrough: { turn_id: turn },
    },
  });
  const rows = [
    { type: 'session_meta', payload: { id, session_id: id, cwd: '/w' } },
    begun('t-1'),
    said('Change /w/a.txt.', 't-1'),
    changed('/w'),
    begun('t-2'),
    said('Again.', 't-2'),
  ];
  const file = join(folder, `rollout-2026-11-26T10-00-00-${id}.jsonl`);
  writeFileSync(file, jsonLines(rows));
  const place = { ...placeIn('codex', id, file, beforePrompt('t-2', 'Again.')), dir: '/w' as DiskPath, copy: COPY };
  const { session, command, dir } = await codexConversation.rewind(place, machine({ CODEX_HOME: home }));
  expect([command, dir]).toEqual([['codex', 'resume', session], COPY]);
  const made = readdirSync(folder).find((name) => name.includes(session)) ?? '';
  expect(rowsOf(join(folder, made))).toEqual([
    { type: 'session_meta', payload: { id: session, session_id: session, cwd: COPY } },
    begun('t-1'),
    said(`Change ${COPY}/a.txt.`, 't-1'),
    changed(COPY),
  ]);
});

test.each(['gemini', 'copilot', 'opencode', 'cursor'])('%s cannot, and says so', async (agent) => {
  const place: ConversationPlace = { ...placeIn(agent, SESSION, null, beforePrompt('p')), copy: COPY };
  const reason = expect.stringMatching(/^Savepoint cannot (continue|take) the conversations of /);
  expect(await conversations(machine()).plan(place)).toEqual({ isPossible: false, reason });
  await expect(conversations(machine()).rewind(place)).rejects.toMatchObject({ code: 'CONVERSATION_REFUSED' });
});

test('a folder of the workspace that the copy lacks is replaced with the copy', async () => {
  const files = new ClaudeFiles(twoTurns().rows);
  const copy = mkdtempSync(join(tmpdir(), 'savepoint-copy-')) as DiskPath;
  onTestFinished(() => rmSync(copy, { recursive: true, force: true }));
  const { dir } = await claudeConversation.rewind(files.place(beforePrompt('p-0'), { copy }), files.machine);
  expect([dir, existsSync(copy)]).toEqual([copy, true]);
});
