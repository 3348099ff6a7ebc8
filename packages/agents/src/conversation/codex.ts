/**
 * Codex (0.169): the transcript is a log of rows, and Codex rebuilds the conversation from it. A conversation goes back
 * as a copy of the first rows under a new id, which `codex resume` finds by its name.
 */

import { join } from 'node:path';
import type { ConversationPlace, DiskPath, Fs, RewoundConversation } from '@savepoint/core/ports';
import { type Fields, field, fieldsOf, idIn, momentIn, textIn } from '../fields.ts';
import { homeFolder } from '../settings/home-folder.ts';
import { codexRow } from '../transcript/codex.ts';
import type { AgentConversation, ConversationMachine, SessionPlace } from './agent-conversation.ts';
import { findCut, type KeptMessage, planFound, shorten } from './cut.ts';
import { folderInCopy, pathsMover } from './moved-paths.ts';
import { writeTranscript } from './new-transcript.ts';
import { conversationRefused } from './refused.ts';
import { sessionFolder } from './session-folder.ts';
import { isUuid, newUuid } from './session-id.ts';
import { type OpenTranscript, type TranscriptFolder, withTranscript } from './transcript-file.ts';

export const codexConversation: AgentConversation = {
  canMove: true,
  plan: (place, machine) =>
    planFound(place, () =>
      withTranscript(place, machine, transcriptsOf(place, machine), (open) => findPlace(open, place)),
    ),
  rewind: async (place, machine) =>
    withTranscript(place, machine, transcriptsOf(place, machine), (open) => {
      const { messages, kept, cwd } = findPlace(open, place);
      return copyUntil(open, offsetOf(messages, kept), { place, machine, cwd });
    }),
  resume: async (place, { ports: { fs } }) => {
    checkSession(place);
    return continuation(fs, place.nativeSession, null, place.dir);
  },
};

function transcriptsOf(place: SessionPlace, { env }: ConversationMachine): TranscriptFolder {
  // The id becomes a part of a pattern.
  checkSession(place);
  const home = env['CODEX_HOME'] || join(homeFolder(env), '.codex');
  const name = new RegExp(`^rollout-[0-9T-]+-${place.nativeSession}\\.jsonl$`);
  return { title: 'Codex', root: join(home, 'sessions'), name };
}

/** A message, with its place in the file. */
interface CodexMessage extends KeptMessage {
  /** Offset of its first row. For the first prompt of a turn, the row that begins the turn. */
  readonly start: number;
  /** Offset after its last row. */
  readonly end: number;
}

interface Found {
  readonly messages: readonly CodexMessage[];
  readonly kept: number;
  /** The folder in which the session was started; untrusted. */
  readonly cwd: string | null;
}

function findPlace(open: OpenTranscript, place: ConversationPlace): Found {
  const { messages, meta } = readMessages(open);
  if (meta === null || textIn(meta, 'id') !== place.nativeSession) {
    throw conversationRefused(place, 'its transcript is that of another session');
  }
  const cut = findCut(messages, place.end);
  if ('kept' in cut) return { messages, kept: cut.kept, cwd: textIn(meta, 'cwd') };
  // A session that Codex itself has forked continues the file of another one.
  const base = textIn(fieldsOf(field(meta, 'history_base')), 'thread_id');
  throw conversationRefused(
    place,
    base === null ? cut.reason : `${cut.reason}, which continues that of another session`,
  );
}

function checkSession(place: SessionPlace): void {
  if (!isUuid(place.nativeSession)) throw conversationRefused(place, 'the id of its session is not one of Codex');
}

function readMessages(open: OpenTranscript): { readonly messages: CodexMessage[]; readonly meta: Fields | null } {
  const messages: CodexMessage[] = [];
  let meta: Fields | null = null;
  let turn: { readonly id: string | null; readonly start: number } | null = null;
  for (const { row, start, end } of open.lines()) {
    const payload = fieldsOf(field(row, 'payload'));
    const type = textIn(row, 'type');
    if (type === 'session_meta') meta ??= payload;
    if (type === 'event_msg' && textIn(payload, 'type') === 'task_started') {
      turn = { id: idIn(payload, 'turn_id'), start };
    }
    for (const one of codexRow(row)) {
      if (one.kind !== 'message') continue;
      const { role, text } = one;
      const call = role === 'tool' ? idIn(payload, 'call_id') : null;
      const isPrompt = role === 'user';
      messages.push({
        role,
        text: isPrompt ? text : shorten(text),
        prompt: isPrompt ? (turnOf(payload) ?? turn?.id ?? null) : null,
        time: isPrompt ? momentIn(row, 'timestamp') : null,
        results: call === null ? [] : [call],
        start: isPrompt ? (turn?.start ?? start) : start,
        end,
      });
      // A further prompt of the same turn begins at its own row.
      if (isPrompt) turn = null;
    }
  }
  return { messages, meta };
}

/** The turn to which a message belongs; hooks report it as the id of its prompt. */
function turnOf(payload: Fields): string | null {
  return idIn(fieldsOf(field(payload, 'internal_chat_message_metadata_passthrough')), 'turn_id');
}

/** Rows about the interface come before the message that they show, so they go with it. */
function offsetOf(messages: readonly CodexMessage[], kept: number): number {
  const next = messages[kept];
  if (next?.role === 'user') return next.start;
  return messages[kept - 1]?.end ?? 0;
}

interface CopyTask {
  readonly place: ConversationPlace;
  readonly machine: ConversationMachine;
  readonly cwd: string | null;
}

function copyUntil(open: OpenTranscript, offset: number, { place, machine, cwd }: CopyTask): RewoundConversation {
  const { fs, random } = machine.ports;
  const { nativeSession: old } = place;
  const session = newUuid(random);
  const path = join(open.folder, open.name.replace(old, session)) as DiskPath;
  const move = pathsMover(place);
  writeTranscript(machine.ports, { path }, (add) => {
    for (const line of open.lines()) {
      if (line.end > offset) break;
      const bytes = place.copy === undefined ? line.bytes : Buffer.from(JSON.stringify(move(line.row)));
      add(withSession(bytes, old, session));
    }
  });
  const found = continuation(fs, session, cwd, place.dir);
  return { ...found, dir: folderInCopy(fs, place, found.dir) };
}

/** In text, quotes are escaped, so only whole values are replaced. */
function withSession(line: Buffer, old: string, session: string): Buffer {
  const text = line.toString('latin1');
  return Buffer.from(`${text.replaceAll(`"${old}"`, `"${session}"`)}\n`, 'latin1');
}

function continuation(fs: Fs, session: string, cwd: string | null, workspace: DiskPath): RewoundConversation {
  return { session, command: ['codex', 'resume', session], dir: sessionFolder(fs, cwd, workspace) };
}
