/**
 * Claude Code: a conversation goes back as a copy of its transcript under a new session id, in the same folder, without
 * the rows after the place. The rows keep their ids. The original is only read.
 */

import { bytesFromText, type DiskPath, SavepointError, textFromBytes } from '@savepoint/core';
import {
  type ConversationPlace,
  type Fd,
  type Fs,
  FsError,
  isFsError,
  kindOf,
  MAX_REMOVED,
  MAX_REMOVED_TEXT,
  permissions,
  type RemovedMessage,
  type RewoundConversation,
  type Stat,
} from '@savepoint/core/ports';
import { type Fields, field, textIn } from '../fields.ts';
import { claudeRow } from '../transcript/claude.ts';
import { fieldsOfLine } from '../transcript/read-rows.ts';
import type { AgentConversation, ConversationMachine, SessionPlace } from './agent-conversation.ts';
import { type Cut, cut } from './claude-cut.ts';
import { type ConversationTree, projectName, readTree, startFolder, type TreeRow } from './claude-tree.ts';
import { conversationRefused } from './refused.ts';

export const claudeConversation: AgentConversation = {
  plan: async (place, machine) =>
    withTranscript(
      place,
      machine,
      (transcript) => {
        const found = cutOf(transcript, place);
        if (typeof found === 'string') return notPossible(found);
        const { cut: planned, read } = found;
        const removed = planned.removed.slice(0, MAX_REMOVED).map((row) => removedMessage(row, read));
        return {
          isPossible: true,
          messages: planned.removed.length,
          prompts: planned.removed.filter(({ isPrompt }) => isPrompt).length,
          removed,
          words: planned.prompt === null ? null : (textOf(read(planned.prompt))?.slice(0, MAX_WORDS) ?? null),
        } as const;
      },
      notPossible,
    ),

  rewind: async (place, machine) =>
    withTranscript(
      place,
      machine,
      (transcript) => {
        const found = cutOf(transcript, place);
        if (typeof found === 'string') throw conversationRefused(place, found);
        const session = newSessionId(machine);
        const { dir } = continued(place.nativeSession, found.tree.folder, place);
        // The program cannot resume a session without messages.
        if (!found.cut.kept.some(({ message }) => message !== null)) {
          return { session, command: ['claude', '--session-id', session], dir };
        }
        writeCopy(transcript, found, { session, original: place.nativeSession, machine });
        return { session, command: resumeCommand(session), dir };
      },
      (reason) => {
        throw conversationRefused(place, reason);
      },
    ),

  resume: async (place, machine) =>
    withTranscript(
      place,
      machine,
      (transcript) => {
        return continued(place.nativeSession, startFolder(transcript.fs, transcript.file, transcript.project), place);
      },
      () => continued(place.nativeSession, null, place),
    ),
};

/** In characters: a prompt to be edited and sent again. */
const MAX_WORDS = 64 * 1024;
const MAX_TITLE = 200;
const SESSION_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** An open transcript. */
interface Transcript {
  readonly fs: Fs;
  readonly file: Fd;
  readonly stat: Stat;
  readonly folder: DiskPath;
  /** The name of the folder. */
  readonly project: string;
}

interface FoundCut {
  readonly cut: Cut;
  readonly tree: ConversationTree;
  readonly read: (row: TreeRow) => Fields;
}

function notPossible(reason: string) {
  return { isPossible: false, reason } as const;
}

/** @param otherwise called with a reason if there is no transcript that may be read */
function withTranscript<T>(
  place: SessionPlace,
  { ports, env }: ConversationMachine,
  work: (transcript: Transcript) => T,
  otherwise: (reason: string) => T,
): T {
  const { fs, uid } = ports;
  if (!SESSION_ID.test(place.nativeSession)) return otherwise('its session has no valid id');
  const projects = projectsFolder(env);
  if (projects === null) return otherwise('the home folder is not known');
  const given =
    place.transcript ?? `${projects}/${projectName(textFromBytes(place.dir) ?? '')}/${place.nativeSession}.jsonl`;
  try {
    const cutAt = given.lastIndexOf('/');
    if (given.slice(cutAt + 1) !== `${place.nativeSession}.jsonl`) return otherwise(OTHER_PLACE);
    // Resolved first, and then compared: the copy is written there.
    const folder = fs.realpath(given.slice(0, cutAt) as DiskPath);
    if (!folder.startsWith(`${fs.realpath(projects)}/`)) return otherwise(OTHER_PLACE);
    const file = fs.openRead(`${folder}/${given.slice(cutAt + 1)}` as DiskPath);
    try {
      const stat = fs.fstat(file);
      if (kindOf(stat) !== 'file') return otherwise('its transcript is not a file');
      if (uid !== null && stat.uid !== uid) return otherwise('its transcript belongs to another user');
      return work({ fs, file, stat, folder, project: folder.slice(folder.lastIndexOf('/') + 1) });
    } finally {
      fs.close(file);
    }
  } catch (error) {
    if (isFsError(error, 'ENOENT', 'ENOTDIR')) return otherwise('its transcript does not exist any more');
    if (isFsError(error, 'ELOOP')) return otherwise('its transcript is a link');
    if (isFsError(error, 'EACCES', 'EPERM')) return otherwise('its transcript cannot be read');
    throw error;
  }
}

const OTHER_PLACE = 'its transcript is not where Claude Code keeps it (see CLAUDE_CONFIG_DIR)';

function projectsFolder(env: ConversationMachine['env']): DiskPath | null {
  const config = env['CLAUDE_CONFIG_DIR'];
  const home = env['HOME'] ?? env['USERPROFILE'];
  const folder = config !== undefined && config !== '' ? config : home === undefined ? null : `${home}/.claude`;
  return folder === null ? null : (bytesFromText(`${folder}/projects`) as DiskPath);
}

function cutOf(transcript: Transcript, { end }: ConversationPlace): FoundCut | string {
  const { fs, file, stat, project } = transcript;
  const tree = readTree(fs, file, stat.size, project);
  if (typeof tree === 'string') return tree;
  const read = (row: TreeRow): Fields => readRow(fs, file, row);
  const found = cut(tree, end, (row) => textOf(read(row)));
  return typeof found === 'string' ? found : { cut: found, tree, read };
}

function readRow(fs: Fs, file: Fd, { start, end }: TreeRow): Fields {
  const line = Buffer.allocUnsafe(end - start);
  let length = 0;
  while (length < line.length) {
    const read = fs.read(file, line, length, line.length - length, start + length);
    if (read === 0) break;
    length += read;
  }
  return fieldsOfLine(line.subarray(0, length)) ?? {};
}

function textOf(row: Fields): string | null {
  const message = claudeRow(row).find(({ kind }) => kind === 'message');
  return message?.kind === 'message' ? message.text : null;
}

function removedMessage(row: TreeRow, read: FoundCut['read']): RemovedMessage {
  return { role: row.message?.role ?? 'tool', text: textOf(read(row))?.slice(0, MAX_REMOVED_TEXT) ?? null };
}

function continued(session: string, folder: string | null, { dir }: SessionPlace): RewoundConversation {
  return {
    session,
    command: resumeCommand(session),
    dir: folder === null ? dir : (bytesFromText(folder) as DiskPath),
  };
}

function resumeCommand(session: string): readonly string[] {
  return ['claude', '--resume', session];
}

/** A random UUID, version 4. */
function newSessionId({ ports }: ConversationMachine): string {
  const hex = ports.random.hex(16);
  const variant = '89ab'[Number.parseInt(hex[16] ?? '0', 16) % 4];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
}

interface CopyOf {
  readonly session: string;
  readonly original: string;
  readonly machine: ConversationMachine;
}

/** The program sees the file only when it is complete. @throws SavepointError IO, NO_SPACE */
function writeCopy({ fs, folder, stat }: Transcript, found: FoundCut, copy: CopyOf): void {
  const path = `${folder}/${copy.session}.jsonl` as DiskPath;
  const temporary = `${path}.new` as DiskPath;
  try {
    const file = fs.openNew(temporary, 0o600);
    try {
      let at = 0;
      for (const row of copiedRows(found, copy)) {
        const line = Buffer.from(`${JSON.stringify(row)}\n`);
        fs.write(file, line, at);
        at += line.length;
      }
      fs.fchmod(file, permissions(stat) & 0o666);
      fs.sync(file);
    } finally {
      fs.close(file);
    }
    fs.rename(temporary, path);
  } catch (error) {
    try {
      fs.unlink(temporary);
    } catch {
      // It was not created, or is left behind: the program does not read it.
    }
    throw error instanceof FsError ? writeFailed(error) : error;
  }
}

function writeFailed({ code, operation, path }: FsError): SavepointError {
  const message = 'The new transcript cannot be written';
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new SavepointError('NO_SPACE', `${message}: the disk is full.`, { path, code });
  return new SavepointError('IO', `${message} (${code}).`, { path, operation, code });
}

/** The rows as Claude Code itself writes them into a fork, and what makes them complete. */
function* copiedRows(
  { cut: { kept, open }, read }: FoundCut,
  { session, original, machine }: CopyOf,
): Generator<Fields> {
  let last: string | null = null;
  let title: string | null = null;
  for (const row of kept) {
    const fields = read(row);
    last = textIn(fields, 'uuid') ?? last;
    if (row.isPrompt) title = textOf(fields);
    // `requestRef` names a row of the session that made the request.
    const hasRequest = field(fields, 'requestRef') !== undefined && field(fields, 'requestSessionId') === undefined;
    yield { ...fields, sessionId: session, ...(hasRequest ? { requestSessionId: original } : {}) };
  }
  for (const { call, row } of open) {
    const begun = read(row);
    last = newSessionId(machine);
    yield openResult(begun, call, {
      uuid: last,
      sessionId: session,
      timestamp: new Date(machine.ports.clock.now()).toISOString(),
    });
  }
  if (last !== null) {
    yield { type: 'last-prompt', lastPrompt: (title ?? '').slice(0, MAX_TITLE), leafUuid: last, sessionId: session };
  }
}

/** The model's provider refuses a call without a result. */
function openResult(begun: Fields, call: string, own: Fields): Fields {
  const common = ['userType', 'entrypoint', 'cwd', 'version', 'gitBranch'].flatMap((key) => {
    const value = field(begun, key);
    return value === undefined ? [] : [[key, value] as const];
  });
  const uuid = textIn(begun, 'uuid');
  const content =
    'Savepoint took the conversation back to a time when this call had not ended. Its result is not known.';
  return {
    parentUuid: uuid,
    isSidechain: false,
    type: 'user',
    message: { role: 'user', content: [{ tool_use_id: call, type: 'tool_result', content, is_error: true }] },
    sourceToolAssistantUUID: uuid,
    ...Object.fromEntries(common),
    ...own,
  };
}
