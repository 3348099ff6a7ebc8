/**
 * Claude Code: a conversation goes back as a copy of its transcript under a new session id, in the same folder, without
 * the rows after the place. The rows keep their ids. The original is only read.
 */

import { basename, dirname, join } from 'node:path';
import { bytesFromText, textFromBytes } from '@savepoint/core';
import {
  type ConversationPlace,
  type ConversationPlan,
  type DiskPath,
  type Fs,
  MAX_REMOVED,
  type RemovedMessage,
} from '@savepoint/core/ports';
import { type Fields, field, fieldsOf, idIn, textIn } from '../fields.ts';
import { claudeRow } from '../transcript/claude.ts';
import type { AgentConversation, ConversationMachine, SessionPlace } from './agent-conversation.ts';
import { type Cut, cut } from './claude-cut.ts';
import { projectName, readTree, startFolder, type TreeRow } from './claude-tree.ts';
import { shorten } from './cut.ts';
import { folderInCopy, pathsMover } from './moved-paths.ts';
import { writeTranscript } from './new-transcript.ts';
import { conversationRefused } from './refused.ts';
import { sessionFolder } from './session-folder.ts';
import { isUuid, newUuid } from './session-id.ts';
import { type OpenTranscript, planOrReason, reasonFor, withTranscript } from './transcript-file.ts';

export const claudeConversation: AgentConversation = {
  canMove: true,
  plan: (place, machine) =>
    planOrReason(() => withOwnTranscript(place, machine, (open) => planOf(open, cutOf(open, place).cut))),

  rewind: async (place, machine) =>
    withOwnTranscript(place, machine, (open) => {
      const { cut: found, folder } = cutOf(open, place);
      const session = newUuid(machine.ports.random);
      const { fs } = machine.ports;
      const dir = folderInCopy(fs, place, sessionFolder(fs, folder, place.dir));
      // The program cannot resume a session without messages.
      if (!found.kept.some(({ message }) => message !== null)) {
        return { session, command: ['claude', '--session-id', session], dir };
      }
      const path = join(projectFolder(open, place, { dir, fs }), `${session}.jsonl`) as DiskPath;
      const move = pathsMover(place);
      writeTranscript(machine.ports, { path }, (add) => {
        for (const row of copiedRows(open, found, { session, original: place.nativeSession, machine })) {
          add(Buffer.from(`${JSON.stringify(move(row))}\n`));
        }
      });
      return { session, command: resumeCommand(session), dir };
    }),

  resume: async (place, machine) => {
    const session = place.nativeSession;
    const folder = startFolderOf(place, machine);
    return { session, command: resumeCommand(session), dir: sessionFolder(machine.ports.fs, folder, place.dir) };
  },
};

/** In characters. */
const MAX_WORDS = 64 * 1024;
const MAX_TITLE = 200;

interface FoundCut {
  readonly cut: Cut;
  /** The folder in which the session was started. */
  readonly folder: string | null;
}

/** @throws SavepointError CONVERSATION_REFUSED; FsError */
function withOwnTranscript<T>(place: SessionPlace, machine: ConversationMachine, use: (open: OpenTranscript) => T): T {
  const { nativeSession: session, dir } = place;
  if (!isUuid(session)) throw conversationRefused(place, 'its session has no valid id');
  const root = projectsFolder(machine);
  if (root === null) throw conversationRefused(place, 'the home folder is not known');
  // Hooks of an earlier version did not record the path.
  const usual = join(root, projectName(textFromBytes(dir) ?? ''), `${session}.jsonl`);
  const transcript = place.transcript ?? (bytesFromText(usual) as DiskPath);
  const where = { title: 'Claude Code', root, name: new RegExp(`^${session}\\.jsonl$`) };
  return withTranscript({ ...place, transcript }, machine, where, use);
}

function projectsFolder({ env }: ConversationMachine): string | null {
  const config = env['CLAUDE_CONFIG_DIR'];
  const home = env['HOME'] ?? env['USERPROFILE'];
  if (config !== undefined && config !== '') return join(config, 'projects');
  return home === undefined || home === '' ? null : join(home, '.claude', 'projects');
}

/** In a copy, the program looks for the sessions of that folder. */
function projectFolder(
  { folder }: OpenTranscript,
  place: SessionPlace,
  { dir, fs }: { readonly dir: DiskPath; readonly fs: Fs },
): string {
  if (place.copy === undefined) return folder;
  const own = join(dirname(folder), projectName(textFromBytes(dir) ?? '')) as DiskPath;
  if (fs.lstat(own) === null) fs.makeFolder(own, 0o700);
  return own;
}

function projectOf({ folder }: OpenTranscript): string {
  return basename(folder);
}

/** Null if the transcript cannot be read. */
function startFolderOf(place: SessionPlace, machine: ConversationMachine): string | null {
  try {
    return withOwnTranscript(place, machine, (open) => startFolder(open.lines(), projectOf(open)));
  } catch (error) {
    reasonFor(error);
    return null;
  }
}

/** @throws SavepointError CONVERSATION_REFUSED */
function cutOf(open: OpenTranscript, place: ConversationPlace): FoundCut {
  const tree = readTree(open.lines(), projectOf(open));
  if (tree === null) throw conversationRefused(place, 'its transcript has too many rows');
  // Earlier rows may be those of the session that this one continues.
  if (tree.session !== place.nativeSession) {
    throw conversationRefused(place, 'its transcript is that of another session');
  }
  const found = cut(tree, place.end, (row) => textOf(open.row(row)));
  if (typeof found === 'string') throw conversationRefused(place, found);
  return { cut: found, folder: tree.folder };
}

function planOf(open: OpenTranscript, { removed, prompt }: Cut): ConversationPlan {
  return {
    isPossible: true,
    messages: removed.length,
    prompts: removed.filter(({ isPrompt }) => isPrompt).length,
    removed: removedMessages(open, removed.slice(0, MAX_REMOVED)),
    words: prompt === null ? null : (textOf(open.row(prompt))?.slice(0, MAX_WORDS) ?? null),
  };
}

/** Messages without words are calls of tools and their results, so they get the names of the tools. */
function removedMessages(open: OpenTranscript, removed: readonly TreeRow[]): readonly RemovedMessage[] {
  const tools = new Map<string, string>();
  return removed.map((row) => {
    const fields = open.row(row);
    for (const [id, name] of calledTools(fields)) tools.set(id, name);
    const names = [...row.calls, ...row.results].flatMap((id) => tools.get(id) ?? []);
    const text = textOf(fields) ?? (names.length === 0 ? null : names.join(', '));
    return { role: row.message?.role ?? 'tool', text: shorten(text) };
  });
}

/** The id and the tool of each call in a row. */
function calledTools(row: Fields): readonly (readonly [id: string, name: string])[] {
  const content = field(fieldsOf(field(row, 'message')), 'content');
  if (!Array.isArray(content)) return [];
  return content.map(fieldsOf).flatMap((part) => {
    const [id, name] = [idIn(part, 'id'), textIn(part, 'name')];
    return id === null || name === null || textIn(part, 'type') !== 'tool_use' ? [] : [[id, name] as const];
  });
}

function textOf(row: Fields): string | null {
  const message = claudeRow(row).find(({ kind }) => kind === 'message');
  return message?.kind === 'message' ? message.text : null;
}

function resumeCommand(session: string): readonly string[] {
  return ['claude', '--resume', session];
}

interface CopyOf {
  readonly session: string;
  readonly original: string;
  readonly machine: ConversationMachine;
}

/** The rows as Claude Code itself writes them into a fork, and what makes them complete. */
function* copiedRows(
  transcript: OpenTranscript,
  { kept, open }: Cut,
  { session, original, machine }: CopyOf,
): Generator<Fields> {
  let last: string | null = null;
  let title: string | null = null;
  for (const row of kept) {
    const fields = transcript.row(row);
    last = textIn(fields, 'uuid') ?? last;
    if (row.isPrompt) title = textOf(fields);
    // `requestRef` names a row of the session that made the request.
    const hasRequest = field(fields, 'requestRef') !== undefined && field(fields, 'requestSessionId') === undefined;
    yield { ...fields, sessionId: session, ...(hasRequest ? { requestSessionId: original } : {}) };
  }
  for (const { call, row } of open) {
    const begun = transcript.row(row);
    last = newUuid(machine.ports.random);
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
