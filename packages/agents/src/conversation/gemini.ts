/**
 * Gemini CLI (0.61): the transcript is a log of messages and of changes to them. A conversation goes back as a new file
 * with the messages that stay, under a new id, which `gemini --resume` finds by the first part of the id in its name.
 */

import { dirname, join } from 'node:path';
import { textFromBytes } from '@savepoint/core';
import {
  type ConversationPlace,
  type DiskPath,
  type Fs,
  isFsError,
  type RewoundConversation,
} from '@savepoint/core/ports';
import { type Fields, field, fieldsOf, momentIn, textIn } from '../fields.ts';
import { homeFolder } from '../settings/home-folder.ts';
import { geminiRow } from '../transcript/gemini.ts';
import type { AgentConversation, ConversationMachine, SessionPlace } from './agent-conversation.ts';
import { findCut, type KeptMessage, planFound, shorten } from './cut.ts';
import { type TimedCall, withCall } from './equal-calls.ts';
import { writeTranscript } from './new-transcript.ts';
import { conversationRefused } from './refused.ts';
import { sessionFolder } from './session-folder.ts';
import { isUuid, newUuid } from './session-id.ts';
import { type OpenTranscript, type TranscriptFolder, withTranscript } from './transcript-file.ts';

export const geminiConversation: AgentConversation = {
  canMove: false,
  plan: (place, machine) =>
    planFound(place, () => withTranscript(place, machine, transcriptsOf(machine), (open) => findPlace(open, place))),
  rewind: async (place, machine) =>
    withTranscript(place, machine, transcriptsOf(machine), (open) =>
      writeKept(open, findPlace(open, place), { place, machine }),
    ),
  resume: async (place, { ports: { fs } }) => {
    checkSession(place);
    const { nativeSession: session } = place;
    return { session, command: ['gemini', '--resume', session], dir: folderOf(fs, place) };
  },
};

function transcriptsOf({ env }: ConversationMachine): TranscriptFolder {
  return { title: 'Gemini CLI', root: join(homeFolder(env), '.gemini', 'tmp'), name: /^session-[\w-]+\.jsonl$/ };
}

/** A message, with its place in the file: a later row replaces an earlier one. */
interface GeminiMessage extends KeptMessage {
  readonly id: string;
  /** Offset of its row. */
  readonly start: number;
  /** In the list of messages of its row; null: the row is the message. */
  readonly index: number | null;
  readonly isShown: boolean;
  readonly calls: readonly TimedCall[];
}

interface Found {
  /** What a user or a model has said. Notes of the program are not in it. */
  readonly messages: readonly GeminiMessage[];
  readonly kept: number;
  /** All messages, with the notes. */
  readonly all: readonly GeminiMessage[];
  /** The fields of the session. */
  readonly about: Fields;
}

function findPlace(open: OpenTranscript, place: ConversationPlace): Found {
  checkSession(place);
  const { all, about } = replay(open);
  if (textIn(about, 'sessionId') !== place.nativeSession || textIn(about, 'projectHash') === null) {
    throw conversationRefused(place, 'its transcript is that of another session');
  }
  const shown = all.filter(({ isShown }) => isShown);
  const messages = place.end.kind === 'after-call' ? withCall(shown, place.end.call, endedCalls) : shown;
  const cut = findCut(messages, place.end);
  if ('reason' in cut) throw conversationRefused(place, cut.reason);
  return { messages, kept: cut.kept, all, about };
}

/** In a resumed session, the result of a call is in the next message. */
function endedCalls(message: GeminiMessage, index: number, all: readonly GeminiMessage[]): readonly TimedCall[] {
  return message.calls.filter(({ ended }) => ended !== null || all[index + 1]?.role === 'tool');
}

function checkSession(place: SessionPlace): void {
  if (!isUuid(place.nativeSession)) throw conversationRefused(place, 'the id of its session is not one of Gemini CLI');
}

/** Builds up the messages as Gemini CLI does when it resumes a session. */
function replay(open: OpenTranscript): { readonly all: readonly GeminiMessage[]; readonly about: Fields } {
  const messages = new Map<string, GeminiMessage>();
  let about: Fields = {};
  for (const { row, start } of open.lines()) {
    const rewindTo = textIn(row, '$rewindTo');
    const changed = fieldsOf(field(row, '$set'));
    const list = field(changed, 'messages') ?? field(row, 'messages');
    if (rewindTo !== null) cutFrom(messages, rewindTo);
    else if (textIn(row, 'id') !== null) put(messages, row, start, null);
    else {
      const { messages: _, ...fields } = textIn(row, 'sessionId') === null ? changed : row;
      about = { ...about, ...fields };
      if (!Array.isArray(list)) continue;
      if (field(changed, 'messages') !== undefined) messages.clear();
      for (const [index, one] of list.entries()) put(messages, fieldsOf(one), start, index);
    }
  }
  return { all: [...messages.values()], about };
}

/** If the message is not known, all are gone. */
function cutFrom(messages: Map<string, GeminiMessage>, id: string): void {
  const ids = [...messages.keys()];
  for (const one of ids.slice(Math.max(0, ids.indexOf(id)))) messages.delete(one);
}

function put(messages: Map<string, GeminiMessage>, row: Fields, start: number, index: number | null): void {
  const id = textIn(row, 'id');
  if (id === null) return;
  const [shown] = geminiRow(row);
  const { role, text } = shown?.kind === 'message' ? shown : { role: 'tool' as const, text: null };
  messages.set(id, {
    id,
    start,
    index,
    role,
    text: role === 'user' ? text : shorten(text),
    prompt: null,
    time: momentIn(row, 'timestamp'),
    results: [],
    isShown: shown?.kind === 'message',
    calls: callsOf(row),
  });
}

/** In a resumed session, the calls are in the content, and their results in the next message. */
function callsOf(row: Fields): readonly TimedCall[] {
  const calls = listIn(row, 'toolCalls').filter((call) => field(call, 'result') !== undefined);
  const content = listIn(row, 'content').map((part) => fieldsOf(field(part, 'functionCall')));
  return [...calls, ...content].flatMap((call) => {
    const tool = textIn(call, 'name');
    // Gemini CLI itself makes these ids: tool, time and number.
    const asked = /_(\d{13})_\d+$/.exec(textIn(call, 'id') ?? '')?.[1];
    if (tool === null) return [];
    return [
      {
        tool,
        input: field(call, 'args'),
        asked: asked === undefined ? null : Number(asked),
        ended: momentIn(call, 'timestamp'),
      },
    ];
  });
}

function listIn(fields: Fields, key: string): readonly Fields[] {
  const value = field(fields, key);
  return Array.isArray(value) ? value.map(fieldsOf) : [];
}

interface WriteTask {
  readonly place: ConversationPlace;
  readonly machine: ConversationMachine;
}

function writeKept(open: OpenTranscript, found: Found, { place, machine }: WriteTask): RewoundConversation {
  const { fs, random, clock } = machine.ports;
  const { messages, kept, all, about } = found;
  const session = newUuid(random);
  const dir = folderOf(fs, place);
  // Gemini CLI resumes no session without a message.
  if (kept === 0) return { session, command: ['gemini', '--session-id', session], dir };
  const now = new Date(clock.now()).toISOString();
  const name = `session-${now.slice(0, 16).replace(':', '-')}-${session.slice(0, 8)}.jsonl`;
  const next = messages[kept]?.id;
  const staying =
    next === undefined
      ? all
      : all.slice(
          0,
          all.findIndex(({ id }) => id === next),
        );
  const wanted = new Map<number, (number | null)[]>();
  for (const { start, index } of staying) wanted.set(start, [...(wanted.get(start) ?? []), index]);
  writeTranscript(machine.ports, { path: join(open.folder, name) as DiskPath }, (add) => {
    const addRow = (row: unknown): void => add(Buffer.from(`${JSON.stringify(row)}\n`));
    // Without its summary, which is that of the whole conversation.
    const { projectHash, kind, directories } = about;
    addRow({ sessionId: session, projectHash, startTime: now, lastUpdated: now, kind, directories });
    for (const { row, start, bytes } of open.lines()) {
      const indexes = wanted.get(start);
      if (indexes === undefined) continue;
      const list = field(fieldsOf(field(row, '$set')), 'messages') ?? field(row, 'messages');
      for (const index of indexes) {
        if (index === null) add(Buffer.concat([bytes, Buffer.from('\n')]));
        else if (Array.isArray(list)) addRow(list[index]);
      }
    }
  });
  return { session, command: ['gemini', '--resume', session], dir };
}

/** Next to the folder of its sessions, Gemini CLI records to which project they belong. */
function folderOf(fs: Fs, { transcript, dir }: SessionPlace): DiskPath {
  if (transcript === null) return dir;
  const path = join(dirname(transcript), '..', '.project_root') as DiskPath;
  return sessionFolder(fs, readShortFile(fs, path), dir);
}

const MAX_PATH_BYTES = 4096;

/** Returns null if there is no such file. */
function readShortFile(fs: Fs, path: DiskPath): string | null {
  try {
    const file = fs.openRead(path);
    try {
      const bytes = Buffer.alloc(MAX_PATH_BYTES);
      const read = fs.read(file, bytes, 0, MAX_PATH_BYTES, 0);
      return textFromBytes(bytes.toString('latin1', 0, read))?.trim() ?? null;
    } finally {
      fs.close(file);
    }
  } catch (error) {
    if (isFsError(error)) return null;
    throw error;
  }
}
