/** The conversation of Claude Code goes back as a copy of its transcript. */

import {
  lutimesSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { bytesFromText, type DiskPath } from '@savepoint/core';
import { FsError } from '@savepoint/core/ports';
import { fsWith, realPorts, seededRandom, testEffort } from '@savepoint/testkit';
import { describe, expect, test } from 'vitest';
import { claudeConversation } from '../../src/conversation/claude.ts';
import type { MessageRow } from '../../src/transcript/row.ts';
import { ClaudeTranscript, jsonLines } from '../fixtures/transcripts.ts';
import { ClaudeFiles, messagesOf, SESSION } from './claude-files.ts';
import { afterCall, beforePrompt, beforeRecorded } from './place.ts';

const shown = (messages: readonly Pick<MessageRow, 'role' | 'text'>[]): readonly string[] =>
  messages.map(({ role, text }) => `${role}: ${text ?? '-'}`);

/** Two turns. The prompts are p-0 and p-6. */
function twoTurns(): ClaudeTranscript {
  const t = new ClaudeTranscript();
  t.prompt('First.');
  t.note();
  t.call('m-1', 'c-1');
  t.result('c-1');
  t.answer('m-2', 'Done.');
  t.note();
  t.prompt('Second.');
  t.call('m-3', 'c-2');
  t.result('c-2');
  t.answer('m-4', 'Done again.');
  return t;
}

test('before a prompt: the rest is a new session, and the original stays', async () => {
  const files = new ClaudeFiles([{ type: 'mode', mode: 'normal', sessionId: SESSION }, ...twoTurns().rows]);
  const before = readFileSync(files.file(SESSION));
  expect(await files.plan(beforePrompt('p-6'))).toEqual({
    isPossible: true,
    messages: 4,
    prompts: 1,
    removed: [
      { role: 'user', text: 'Second.' },
      { role: 'assistant', text: 'Write' },
      { role: 'tool', text: 'Write' },
      { role: 'assistant', text: 'Done again.' },
    ],
    words: 'Second.',
  });
  const { session, command, dir } = await files.rewind(beforePrompt('p-6'));
  expect(command).toEqual(['claude', '--resume', session]);
  expect(session).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(dir).toBe('/w');
  expect(shown(files.messages(session))).toEqual(['user: First.', 'assistant: -', 'tool: -', 'assistant: Done.']);
  expect(new Set(files.rows(session).map(({ sessionId }) => sessionId))).toEqual(new Set([session]));
  expect(files.rows(session).at(-1)).toEqual({
    type: 'last-prompt',
    lastPrompt: 'First.',
    leafUuid: 'u-6',
    sessionId: session,
  });
  expect(readFileSync(files.file(SESSION))).toEqual(before);
  expect(statSync(files.file(session)).mode & 0o777).toBe(0o600);
  expect(files.files).toHaveLength(2);
});

test('before the first prompt: a new session without a transcript', async () => {
  const files = new ClaudeFiles(twoTurns().rows);
  const { session, command } = await files.rewind(beforePrompt('p-0'));
  expect(command).toEqual(['claude', '--session-id', session]);
  expect(files.files).toEqual([`${SESSION}.jsonl`]);
});

test('after a call: its result stays, and what the agent said to it does not', async () => {
  const files = new ClaudeFiles(twoTurns().rows);
  expect(await files.plan(afterCall('c-1'))).toMatchObject({ messages: 5, prompts: 1, words: null });
  const { session } = await files.rewind(afterCall('c-1'));
  expect(shown(files.messages(session))).toEqual(['user: First.', 'assistant: -', 'tool: -']);
});

test('after one of several calls at once: the others get a result that says that they had not ended', async () => {
  const t = new ClaudeTranscript();
  t.prompt('First.');
  const calls = ['c-1', 'c-2', 'c-3'].map((id) => t.call('m-1', id));
  t.result('c-2', calls[1]);
  t.result('c-1', calls[0]);
  t.result('c-3', calls[2]);
  const files = new ClaudeFiles(t.rows);
  const { session } = await files.rewind(afterCall('c-1'));
  expect(shown(files.messages(session))).toEqual(['user: First.', 'assistant: -', 'tool: -', 'tool: -', 'tool: -']);
  const [added] = files.rows(session).slice(-2);
  expect(added).toMatchObject({
    type: 'user',
    parentUuid: calls[2],
    sourceToolAssistantUUID: calls[2],
    message: { content: [{ tool_use_id: 'c-3', type: 'tool_result', is_error: true }] },
  });
});

test('before a prompt that interrupted a call: that call gets a result, and an earlier one does not', async () => {
  const t = new ClaudeTranscript();
  t.prompt('First.');
  t.call('m-1', 'c-1');
  t.prompt('Second.');
  t.call('m-2', 'c-2');
  t.prompt('Third.');
  const files = new ClaudeFiles(t.rows);
  const results = async (id: string): Promise<readonly string[]> => {
    const { session } = await files.rewind(beforePrompt(id));
    const text = JSON.stringify(files.rows(session));
    return [...text.matchAll(/"tool_use_id":"([^"]+)"/g)].map(([, call]) => call ?? '');
  };
  expect(await results('p-2')).toEqual(['c-1']);
  expect(await results('p-4')).toEqual(['c-2']);
});

test('after the user went back in Claude Code: both branches can be reached, and what is lost is that of the current', async () => {
  const t = new ClaudeTranscript();
  t.prompt('First.');
  const end = t.answer('m-1', 'Done.');
  t.prompt('A mistake.');
  t.answer('m-2', 'Sorry.');
  t.prompt('Better.', end);
  t.call('m-3', 'c-1');
  t.result('c-1');
  const files = new ClaudeFiles(t.rows);
  const better = await files.rewind(beforePrompt('p-4'));
  expect(shown(files.messages(better.session))).toEqual(['user: First.', 'assistant: Done.']);
  expect(await files.plan(beforePrompt('p-4'))).toMatchObject({ messages: 3, prompts: 1, words: 'Better.' });
  const mistake = await files.plan(beforePrompt('p-2'));
  expect(mistake).toMatchObject({ messages: 3, words: 'A mistake.', removed: [{ text: 'Better.' }, {}, {}] });
});

test('a compaction stays as it is, before and after the place', async () => {
  const t = twoTurns();
  const boundary = {
    type: 'system',
    subtype: 'compact_boundary',
    uuid: 'b',
    parentUuid: null,
    logicalParentUuid: 'u-10',
  };
  const summary = {
    type: 'user',
    isCompactSummary: true,
    uuid: 's',
    parentUuid: 'b',
    message: { role: 'user', content: 'A summary.' },
  };
  const third = {
    type: 'user',
    promptId: 'p-x',
    uuid: 'x',
    parentUuid: 's',
    message: { role: 'user', content: 'Third.' },
  };
  const files = new ClaudeFiles([...t.rows, boundary, summary, third]);
  const after = await files.rewind(beforePrompt('p-x'));
  expect(files.rows(after.session).slice(-3, -1)).toMatchObject([{ uuid: 'b', parentUuid: null }, { uuid: 's' }]);
  const before = await files.rewind(beforePrompt('p-6'));
  expect(files.messages(before.session)).toHaveLength(4);
  expect(await files.plan(beforePrompt('p-6'))).toMatchObject({ prompts: 2 });
});

describe('the prompt is found', () => {
  test('by its words and its place, if the version does not write ids', async () => {
    const rows = twoTurns().rows.map(({ promptId: _id, ...row }) => row);
    const files = new ClaudeFiles(rows);
    expect(await files.plan(beforePrompt('unknown', 'Second.'))).toMatchObject({ messages: 4 });
    expect(await files.plan(beforePrompt(null, 'First.', ['Second.']))).toMatchObject({ messages: 8 });
    expect(await files.reason(beforePrompt(null, 'Third.'))).toBe('the prompt is not in its transcript');
    expect(await files.reason(beforePrompt(null))).toBe('the prompt is not in its transcript');
  });

  test('not if several have its words, and one of them is not recorded', async () => {
    const t = new ClaudeTranscript();
    for (const id of ['m-1', 'm-2', 'm-3']) {
      t.prompt('Continue.');
      t.answer(id, 'Done.');
    }
    const rows = t.rows.map(({ promptId: _id, ...row }) => row);
    const notCertain = 'several prompts have the same words, and it is not certain which of them it is';
    const untimed = new ClaudeFiles(rows);
    const recorded = (...seconds: readonly number[]) => seconds.map((at) => ['Continue.', at * 1_000] as const);
    for (const index of [0, 1]) expect(await untimed.reason(beforeRecorded(index, recorded(0, 200)))).toBe(notCertain);
    expect(await untimed.plan(beforeRecorded(1, recorded(0, 1, 2)))).toMatchObject({ messages: 4 });
    // Its rows tell when they were written.
    const timed = (apart: number) =>
      new ClaudeFiles(rows.map((row, at) => ({ ...row, timestamp: new Date(at * apart * 500).toISOString() })));
    const slow = timed(100);
    const at = (number: number) => number * 100 + 51;
    const first = beforeRecorded(0, recorded(at(0), at(2)));
    expect(await slow.plan(first)).toMatchObject({ messages: 6, prompts: 3 });
    expect(await slow.plan(beforeRecorded(1, recorded(at(0), at(2))))).toMatchObject({ messages: 2, prompts: 1 });
    expect(await slow.reason(beforeRecorded(2, recorded(at(0), at(2), at(3))))).toBe(
      'the prompt is not in its transcript',
    );
    const quick = timed(2);
    for (const index of [0, 1]) expect(await quick.reason(beforeRecorded(index, recorded(1, 5)))).toBe(notCertain);
    // The second is not recorded, and the fourth is not written yet.
    for (const index of [1, 2]) expect(await quick.reason(beforeRecorded(index, recorded(1, 5, 7)))).toBe(notCertain);
  });

  test('in a fork by the program, which gives earlier prompts the same id', async () => {
    const rows = twoTurns().rows.map((row) => (row['promptId'] === undefined ? row : { ...row, promptId: 'p-6' }));
    const files = new ClaudeFiles(rows);
    expect(await files.plan(beforePrompt('p-6', 'Second.'))).toMatchObject({ messages: 4 });
    expect(await files.reason(beforePrompt('p-6', 'Other.'))).toBe(
      'its transcript has several prompts with the same id',
    );
  });

  test('and is no other one with the same words, if it is not written yet', async () => {
    const t = new ClaudeTranscript();
    for (const id of ['m-1', 'm-2']) {
      t.prompt('Go on.');
      t.answer(id, 'Done.');
    }
    const missing = 'the prompt is not in its transcript';
    expect(await new ClaudeFiles(t.rows).reason(beforePrompt('p-9', 'Go on.'))).toBe(missing);
    // A fork has given its id to the prompts before it.
    const rows = t.rows.map((row) => (row['promptId'] === undefined ? row : { ...row, promptId: 'p-9' }));
    const severalWithId = 'its transcript has several prompts with the same id';
    expect(await new ClaudeFiles(rows).reason(beforePrompt('p-9', 'Another.'))).toBe(severalWithId);
    expect(await new ClaudeFiles(rows.slice(0, 3)).reason(beforePrompt('p-9', 'Another.'))).toBe(missing);
    const first = { ...rows[1], message: { role: 'user', content: 'Another.' } };
    const others = new ClaudeFiles([...rows.slice(0, 1), first, ...rows.slice(2)]);
    expect(await others.reason(beforePrompt('p-9', 'Another.'))).toBe(severalWithId);
  });

  test('also if an editor or a command writes more than was typed', async () => {
    const t = new ClaudeTranscript();
    t.prompt('<ide_opened_file>a.ts</ide_opened_file>\nDo\r\nit.\n');
    t.answer('m-1', 'Done.');
    t.prompt('<command-name>/go</command-name>');
    const files = new ClaudeFiles(t.rows);
    expect(await files.plan(beforePrompt('p-0', 'Do\nit.', ['/go']))).toMatchObject({ messages: 3, prompts: 2 });
    expect(await files.plan(beforePrompt('p-2', '/go now'))).toMatchObject({ messages: 1, prompts: 1 });
  });

  test('with the notes before it that belong to it', async () => {
    const t = new ClaudeTranscript();
    t.prompt('First.');
    const end = t.answer('m-1', 'Done.');
    const own = { type: 'user', promptId: 'p-c' };
    const note = { ...own, isMeta: true, uuid: 'n', parentUuid: end, message: { role: 'user', content: 'A note.' } };
    const said = { ...own, uuid: 'c', parentUuid: 'n', message: { role: 'user', content: '<command-name>/go' } };
    const files = new ClaudeFiles([...t.rows, note, said]);
    const { session } = await files.rewind(beforePrompt('p-c', '/go'));
    expect(files.rows(session).map(({ uuid }) => uuid)).toEqual(['u-1', 'u-2', undefined]);
  });
});

describe('it cannot go back, and says why', () => {
  const end = beforePrompt('p-6');

  test('if the place is not in the transcript', async () => {
    const files = new ClaudeFiles(twoTurns().rows);
    expect(await files.reason(afterCall('c-9'))).toBe('the result of the call is not in its transcript');
    await expect(files.rewind(afterCall('c-9'))).rejects.toMatchObject({
      code: 'CONVERSATION_REFUSED',
      data: { agent: 'claude', session: SESSION },
    });
    expect(files.files).toHaveLength(1);
  });

  test('if there is no transcript, or it is a link, a folder, or elsewhere', async () => {
    const files = new ClaudeFiles(twoTurns().rows);
    const kept = path.join(files.home, `${SESSION}.jsonl`);
    renameSync(files.file(SESSION), kept);
    expect(await files.reason(end)).toBe('its transcript does not exist any more');
    symlinkSync(kept, files.file(SESSION));
    expect(await files.reason(end)).toBe('its transcript is a link');
    const elsewhere = { transcript: bytesFromText(kept) as DiskPath };
    expect(await files.reason(end, elsewhere)).toMatch(/^its transcript is not where Claude Code keeps it/);
    const other = { transcript: bytesFromText(`${files.folder}/other.jsonl`) as DiskPath };
    expect(await files.reason(end, other)).toMatch(/^its transcript is not where Claude Code keeps it/);
    symlinkSync(files.home, path.join(files.folder, 'out'));
    const out = { transcript: bytesFromText(`${files.folder}/out/${SESSION}.jsonl`) as DiskPath };
    expect(await files.reason(end, out)).toMatch(/^its transcript is not where Claude Code keeps it/);
    const bad = { nativeSession: '../x' };
    expect(await files.reason(end, bad)).toBe('its session has no valid id');
  });

  test('if its last rows are those of another session', async () => {
    const [notes, ...rows] = twoTurns().rows;
    const other = (row: object) => ({ ...row, sessionId: '11111111-2222-4333-8444-000000000000' });
    const foreign = 'its transcript is that of another session';
    expect(await new ClaudeFiles(rows.map(other)).reason(end)).toBe(foreign);
    expect(await new ClaudeFiles([...rows.slice(0, 6), ...rows.slice(6).map(other)]).reason(end)).toBe(foreign);
    expect(await new ClaudeFiles([notes ?? {}]).reason(end)).toBe(foreign);
    // It continues another session.
    expect(await new ClaudeFiles([...rows.slice(0, 6).map(other), ...rows.slice(6)]).reason(end)).toBe(null);
  });

  test('if a folder has the name of the transcript', async () => {
    const files = new ClaudeFiles(twoTurns().rows);
    renameSync(files.file(SESSION), `${files.file(SESSION)}.old`);
    mkdirSync(files.file(SESSION));
    expect(await files.reason(end)).toMatch(/^its transcript is not a file|cannot be read$/);
  });

  test('if a row is too long', async () => {
    const files = new ClaudeFiles(twoTurns().rows);
    truncateSync(files.file(SESSION), 20 * 1024 * 1024);
    expect(await files.reason(end)).toBe('a line of its transcript is too long to be one message');
  });
});

test('the transcript is found by the folder if no hook named it, and in CLAUDE_CONFIG_DIR', async () => {
  const files = new ClaudeFiles(twoTurns().rows);
  expect(await files.plan(beforePrompt('p-6'), { transcript: null })).toMatchObject({ messages: 4 });
  const env = { HOME: '/nowhere', CLAUDE_CONFIG_DIR: path.join(files.home, '.claude') };
  const place = files.place(beforePrompt('p-6'), { transcript: null });
  expect(await claudeConversation.plan(place, { ...files.machine, env })).toMatchObject({ messages: 4 });
  expect(await claudeConversation.plan(place, { ...files.machine, env: {} })).toMatchObject({ isPossible: false });
});

test('a damaged row and an unfinished one are left out', async () => {
  const t = twoTurns();
  const files = new ClaudeFiles([]);
  const [first = '', ...others] = jsonLines(t.rows.map((row) => ({ ...row, sessionId: SESSION })))
    .trimEnd()
    .split('\n');
  writeFileSync(files.file(SESSION), `${[first, '{"broken', ...others].join('\n')}\n{"type":"user","uui`);
  const { session } = await files.rewind(beforePrompt('p-6'));
  expect(shown(files.messages(session))).toEqual(['user: First.', 'assistant: -', 'tool: -', 'assistant: Done.']);
});

test('if the disk is full, nothing is left of the copy', async () => {
  const files = new ClaudeFiles(twoTurns().rows);
  const { fs } = realPorts();
  let writes = 0;
  const full = fsWith(fs, {
    write: (fd, bytes, position) => {
      writes += 1;
      if (writes > 2) throw new FsError('ENOSPC', 'write', '/w' as DiskPath);
      fs.write(fd, bytes, position);
    },
  });
  const machine = { ...files.machine, ports: { ...realPorts(), fs: full } };
  await expect(claudeConversation.rewind(files.place(beforePrompt('p-6')), machine)).rejects.toMatchObject({
    code: 'ENOSPC',
  });
  expect(files.files).toEqual([`${SESSION}.jsonl`]);
});

test('what a killed process has left of a copy is removed by the next one, and nothing else', async () => {
  const files = new ClaudeFiles(twoTurns().rows);
  const id = '00000000-1111-4222-8333-444444444444';
  const name = `${id}.jsonl.savepoint-new`;
  const old = new Date(Date.now() - 2 * 60 * 60_000);
  const others = [`x${name}`, `${name}.bak`, 'savepoint-new', 'notes.jsonl.savepoint-new', `${id}.jsonl`];
  for (const one of [name, ...others]) {
    writeFileSync(path.join(files.folder, one), '{"half');
    utimesSync(path.join(files.folder, one), old, old);
  }
  const young = `a${name.slice(1)}`;
  writeFileSync(path.join(files.folder, young), 'being written');
  const link = `b${name.slice(1)}`;
  symlinkSync(files.file(SESSION), path.join(files.folder, link));
  lutimesSync(path.join(files.folder, link), old, old);
  const folder = `c${name.slice(1)}`;
  mkdirSync(path.join(files.folder, folder));
  utimesSync(path.join(files.folder, folder), old, old);
  const { session } = await files.rewind(beforePrompt('p-6'));
  const kept = [...others, young, link, folder, `${SESSION}.jsonl`, `${session}.jsonl`];
  expect(files.files).toEqual(kept.toSorted());
});

test('the session itself continues in the folder where it was started', async () => {
  const rows = twoTurns().rows.map((row, index) => ({ ...row, cwd: index < 4 ? '/w/sub' : '/w' }));
  const files = new ClaudeFiles(rows);
  const place = files.place(beforePrompt('p-6'));
  expect(await claudeConversation.resume(place, files.machine)).toEqual({
    session: SESSION,
    command: ['claude', '--resume', SESSION],
    dir: '/w',
  });
});

/** A conversation of random turns, with branches, and what it has to consist of at each place. */
class RandomConversation {
  readonly transcript = new ClaudeTranscript();
  readonly prompts: { readonly id: string; readonly before: readonly string[] }[] = [];
  readonly calls: { readonly id: string; readonly after: readonly string[] }[] = [];
  readonly #ends: { readonly row: string; readonly messages: readonly string[] }[] = [];
  #messages: readonly string[] = [];

  constructor(seed: number) {
    const random = seededRandom(seed);
    let count = 0;
    const nextId = (kind: string): string => {
      count += 1;
      return `${kind}-${count}`;
    };
    for (let turns = 2 + random.integer(6); turns > 0; turns -= 1) {
      const isBack = this.#ends.length > 0 && random.integer(3) === 0;
      const from = isBack ? random.pick(this.#ends) : null;
      if (from !== null) this.#messages = from.messages;
      const promptId = `p-${this.transcript.rows.length - 1}`;
      this.prompts.push({ id: promptId, before: this.#messages });
      const row =
        from === null
          ? this.transcript.prompt(`Prompt ${turns}.`)
          : this.transcript.prompt(`Prompt ${turns}.`, from.row);
      this.#add(row);
      for (let steps = random.integer(4); steps > 0; steps -= 1) {
        if (random.integer(3) === 0) this.transcript.note();
        const message = nextId('m');
        const ids = Array.from({ length: 1 + random.integer(3) }, () => nextId('c'));
        const begun = new Map(ids.map((id) => [id, this.transcript.call(message, id)]));
        this.#add(message);
        for (const id of random.sample(ids, ids.length)) {
          this.#add(this.transcript.result(id, begun.get(id)));
          this.calls.push({ id, after: this.#messages });
        }
      }
      const answer = nextId('m');
      const end = this.transcript.answer(answer, `Answer ${turns}.`);
      this.#add(answer);
      this.#ends.push({ row: end, messages: this.#messages });
    }
  }

  #add(id: string): void {
    this.#messages = [...this.#messages, id];
  }
}

test('from random trees of rows, each place gives the conversation up to it, complete for the model', async () => {
  const count = testEffort({ quick: 20, ci: 60, long: 1_000 });
  const first = Number(process.env['SAVEPOINT_SEED'] ?? 1);
  for (let seed = first; seed < first + count; seed += 1) {
    const random = new RandomConversation(seed);
    const files = new ClaudeFiles(random.transcript.rows);
    const places = [
      ...random.prompts.map(({ id, before }) => ({ end: beforePrompt(id), messages: before })),
      ...random.calls.map(({ id, after }) => ({ end: afterCall(id), messages: after })),
    ];
    for (const { end, messages } of places) {
      const { session } = await files.rewind(end);
      if (messages.length === 0) continue;
      const rows = files.rows(session);
      const found = messagesOf(rows).map(({ id }) => id);
      expect(found.slice(0, messages.length), `seed ${seed}`).toEqual(messages);
      // Only the results that were not known are added.
      const added = messagesOf(rows).slice(messages.length);
      expect(added.every(({ role }) => role === 'tool')).toBe(true);
      expectComplete(rows);
    }
  }
});

/** Every row continues one of the copy, and every call has its result. */
function expectComplete(rows: readonly Readonly<Record<string, unknown>>[]): void {
  const ids = new Set(rows.map(({ uuid }) => uuid));
  for (const { parentUuid } of rows)
    expect(parentUuid === undefined || parentUuid === null || ids.has(parentUuid)).toBe(true);
  const text = JSON.stringify(rows);
  const calls = [...text.matchAll(/"type":"tool_use","id":"([^"]+)"/g)].map(([, id]) => id);
  const results = [...text.matchAll(/"tool_use_id":"([^"]+)"/g)].map(([, id]) => id);
  expect(results.toSorted()).toEqual(calls.toSorted());
}
