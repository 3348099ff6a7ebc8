/**
 * opencode (1.18): sessions are in its database, so opencode itself exports the session and imports what stays of it as
 * a new one. Both touch no file of the project. (Its own way back, a revert, would also restore files.)
 */

import { join } from 'node:path';
import { bytesFromText, SavepointError } from '@savepoint/core';
import {
  type ConversationPlace,
  type DiskPath,
  type Fs,
  JsonProblem,
  type Random,
  type RewoundConversation,
  readJson,
} from '@savepoint/core/ports';
import { type Fields, field, fieldsOf, idIn, momentIn, textIn } from '../fields.ts';
import type { AgentConversation, ConversationMachine, SessionPlace } from './agent-conversation.ts';
import { findCut, type KeptMessage, planFound, shorten } from './cut.ts';
import { conversationRefused } from './refused.ts';
import { sessionFolder } from './session-folder.ts';

export const opencodeConversation: AgentConversation = {
  canMove: false,
  plan: (place, machine) => planFound(place, () => findPlace(place, machine)),
  rewind: async (place, machine) => {
    const { exported, kept } = await findPlace(place, machine);
    const { session, text } = shortened(exported, kept, machine.ports.random);
    await importSession(text, place, machine);
    return continuation(machine.ports.fs, session, textIn(fieldsOf(exported.info), 'directory'), place.dir);
  },
  resume: async (place, { ports: { fs } }) => {
    checkSession(place);
    return continuation(fs, place.nativeSession, null, place.dir);
  },
};

/** A session as opencode exports it; untrusted. */
interface Exported {
  readonly info: Fields;
  readonly messages: readonly Fields[];
}

const SESSION = /^ses_[A-Za-z0-9]{10,60}$/;
const TIMEOUT_MS = 60_000;
const MAX_EXPORT_BYTES = 256 * 1024 * 1024;

function checkSession(place: SessionPlace): void {
  if (!SESSION.test(place.nativeSession)) {
    throw conversationRefused(place, 'the id of its session is not one of opencode');
  }
}

async function findPlace(
  place: ConversationPlace,
  machine: ConversationMachine,
): Promise<{ readonly exported: Exported; readonly messages: readonly KeptMessage[]; readonly kept: number }> {
  checkSession(place);
  const exported = await exportSession(place, machine);
  const messages = exported.messages.map(messageOf);
  const cut = findCut(messages, place.end);
  if ('reason' in cut) throw conversationRefused(place, cut.reason.replace('its transcript', 'its session'));
  return { exported, messages, kept: cut.kept };
}

async function exportSession(place: ConversationPlace, machine: ConversationMachine): Promise<Exported> {
  const text = await runOpencode(['export', place.nativeSession], place, machine);
  const { info, messages } = fieldsOf(parse(text, place));
  if (textIn(fieldsOf(info), 'id') !== place.nativeSession || !Array.isArray(messages)) {
    throw conversationRefused(place, 'opencode has exported another session');
  }
  return { info: fieldsOf(info), messages: messages.map(fieldsOf) };
}

function parse(text: string, place: ConversationPlace): unknown {
  try {
    return readJson(text, { keys: 'any' });
  } catch (error) {
    if (error instanceof JsonProblem) throw conversationRefused(place, 'what opencode exports is not valid JSON');
    throw error;
  }
}

/** One answer of the model with its calls and their results, or a prompt. */
function messageOf(message: Fields): KeptMessage {
  const info = fieldsOf(field(message, 'info'));
  const parts = partsOf(message);
  const isPrompt = textIn(info, 'role') === 'user';
  // What is shown to the user only is marked.
  const isSaid = (part: Fields): boolean => textIn(part, 'type') === 'text' && field(part, 'ignored') !== true;
  const texts = parts.filter(isSaid).map((part) => textIn(part, 'text') ?? '');
  const text = texts.join('') === '' ? null : texts.join('');
  return {
    role: isPrompt ? 'user' : 'assistant',
    text: isPrompt ? text : shorten(text),
    prompt: isPrompt ? idIn(info, 'id') : null,
    time: momentIn(fieldsOf(field(info, 'time')), 'created'),
    results: parts.flatMap((part) => idIn(part, 'callID') ?? []),
  };
}

function partsOf(message: Fields): readonly Fields[] {
  const parts = field(message, 'parts');
  return Array.isArray(parts) ? parts.map(fieldsOf) : [];
}

/** The first messages as a session of their own: no id is that of the original, which would be changed. */
function shortened(
  { info, messages }: Exported,
  kept: number,
  random: Random,
): { readonly session: string; readonly text: string } {
  const staying = messages.slice(0, kept);
  const renamed = new Map<string, string>();
  const rename = (fields: Fields): void => {
    const id = textIn(fields, 'id');
    if (id !== null) renamed.set(id, newId(id, random));
  };
  rename(info);
  for (const message of staying) {
    rename(fieldsOf(field(message, 'info')));
    for (const part of partsOf(message)) rename(part);
  }
  // The revert and the public copy are those of the original.
  const { revert: _, share: __, ...about } = info;
  const text = JSON.stringify({ info: about, messages: staying }, (_key, value: unknown) =>
    typeof value === 'string' ? (renamed.get(value) ?? value) : value,
  );
  return { session: renamed.get(textIn(info, 'id') ?? '') ?? '', text };
}

/** Ids begin with a time, by which opencode sorts. Only what follows it is random. */
function newId(id: string, random: Random): string {
  const start = /^[a-z]+_[0-9a-f]{12}/.exec(id)?.[0] ?? id.slice(0, 16);
  return `${start}${random.hex(7)}`;
}

async function importSession(text: string, place: ConversationPlace, machine: ConversationMachine): Promise<void> {
  const { fs, random } = machine.ports;
  const folder = machine.env['TMPDIR'] ?? machine.env['TEMP'] ?? '/tmp';
  const name = join(folder, `savepoint-${random.hex(8)}.json`);
  const path = bytesFromText(name) as DiskPath;
  const file = fs.openNew(path, 0o600);
  try {
    try {
      fs.write(file, Buffer.from(text), 0);
    } finally {
      fs.close(file);
    }
    await runOpencode(['import', name], place, machine);
  } finally {
    fs.unlink(path);
  }
}

/** @returns what it prints */
async function runOpencode(
  args: readonly string[],
  place: ConversationPlace,
  { ports, env }: ConversationMachine,
): Promise<string> {
  const set = Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
  try {
    const { exit, ended, stdout, stderr } = await ports.programs.run({
      file: 'opencode',
      // Without plugins: ours would report events.
      args: [...args, '--pure'],
      cwd: place.dir,
      env: { ...Object.fromEntries(set), OPENCODE_DISABLE_AUTOUPDATE: '1' },
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_EXPORT_BYTES,
    });
    if (exit === 0) return stdout.toString('utf8');
    const how = ended === 'exit' ? `failed (${lastLine(stderr)})` : `was stopped (${ended})`;
    throw conversationRefused(place, `\`opencode ${args[0]}\` ${how}`);
  } catch (error) {
    if (error instanceof SavepointError && error.code === 'IO' && error.data.code === 'ENOENT') {
      throw conversationRefused(place, 'the program `opencode` is not on the PATH');
    }
    throw error;
  }
}

const MAX_LINE_CHARACTERS = 200;

function lastLine(output: Buffer): string {
  const lines = output.toString('utf8').trim().split('\n');
  return (lines.at(-1) ?? '').replace(/\x1b\[[0-9;]*m/g, '').slice(0, MAX_LINE_CHARACTERS);
}

function continuation(fs: Fs, session: string, folder: string | null, workspace: DiskPath): RewoundConversation {
  return { session, command: ['opencode', '--session', session], dir: sessionFolder(fs, folder, workspace) };
}
