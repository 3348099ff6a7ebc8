/** The rows of a transcript of Claude Code as the conversations that they form, without the texts. */

import { type Fields, field, fieldsOf, idIn, momentIn, textIn } from '../fields.ts';
import { claudeRow } from '../transcript/claude.ts';
import type { MessageRow } from '../transcript/row.ts';
import type { TranscriptLine } from './transcript-file.ts';

/** One row of a conversation. */
export interface TreeRow {
  /** Offsets of its line and of the next one in the file, in bytes. */
  readonly start: number;
  readonly end: number;
  /** The row before it in its conversation. */
  readonly parent: TreeRow | null;
  /** Null for a row without a message, such as an attachment. */
  readonly message: Pick<MessageRow, 'id' | 'role'> | null;
  /** Whether it is what the user said, and not a note of the program under the user's name. */
  readonly isPrompt: boolean;
  /** Claude Code's own id of the prompt that the row belongs to. */
  readonly promptId: string | null;
  /** Of a prompt: when it was written, in milliseconds since 1970; null if it is not known. */
  readonly time: number | null;
  /** Ids of the calls that it begins, and of those whose results it has. */
  readonly calls: readonly string[];
  readonly results: readonly string[];
}

export interface ConversationTree {
  /** In the order of the file. */
  readonly rows: readonly TreeRow[];
  /** The folder in which the session was started; null if no row names it. */
  readonly folder: string | null;
  /** The session of the last row; null if no row names it. */
  readonly session: string | null;
}

/** How the program names the folder of a project in its own folder. */
export function projectName(folder: string): string {
  return folder.replace(/[^a-zA-Z0-9]/g, '-');
}

/**
 * @param project the name of the folder that the transcript is in
 * @returns null if there are too many rows
 */
export function readTree(lines: Iterable<TranscriptLine>, project: string): ConversationTree | null {
  const rows: TreeRow[] = [];
  const byId = new Map<string, TreeRow>();
  const known = new Map<string, string>();
  let leaf: TreeRow | null = null;
  let folder: string | null = null;
  let session: string | null = null;
  for (const line of lines) {
    const [node, ...others] = claudeRow(line.row);
    if (node?.kind !== 'node') continue;
    if (rows.length === MAX_ROWS) return null;
    const message = others.find((row) => row.kind === 'message') ?? null;
    const parent: TreeRow | null = (node.after === null ? undefined : byId.get(node.after)) ?? leaf;
    leaf = treeRow(line, { parent, message, known });
    byId.set(node.id, leaf);
    rows.push(leaf);
    folder = folderAfter(folder, line.row, project);
    session = textIn(line.row, 'sessionId') ?? session;
  }
  return { rows, folder, session };
}

/** Returns the folder in which the session was started; null if the beginning of the file does not name it. */
export function startFolder(lines: Iterable<TranscriptLine>, project: string): string | null {
  let folder: string | null = null;
  for (const { end, row } of lines) {
    folder = folderAfter(folder, row, project);
    if ((folder !== null && projectName(folder) === project) || end > HEAD_BYTES) break;
  }
  return folder;
}

/** Returns the row and all before it in its conversation, oldest first. */
export function pathTo(row: TreeRow | null): readonly TreeRow[] {
  const newestFirst: TreeRow[] = [];
  for (let one = row; one !== null; one = one.parent) newestFirst.push(one);
  return newestFirst.reverse();
}

/** The first row with a folder is expected within this many bytes. */
const HEAD_BYTES = 1024 * 1024;
const MAX_ROWS = 500_000;
const NONE: readonly string[] = [];
/** Rows that the program writes under the user's name. */
const NOTES = /^(\[Request interrupted by user|<local-command-|<task-notification|<bash-std|<system-reminder)/;

/** A command may change the folder; the project stays the one in which the session was started. */
function folderAfter(known: string | null, row: Fields, project: string): string | null {
  if (known !== null && projectName(known) === project) return known;
  const cwd = textIn(row, 'cwd');
  return cwd !== null && (known === null || projectName(cwd) === project) ? cwd : known;
}

/** @param given.known ids that were seen before, so that each is in memory once */
function treeRow(
  { start, end, row: fields }: TranscriptLine,
  {
    parent,
    message,
    known,
  }: Pick<TreeRow, 'parent'> & { readonly message: MessageRow | null; readonly known: Map<string, string> },
): TreeRow {
  const content = field(fieldsOf(field(fields, 'message')), 'content');
  const parts = Array.isArray(content) ? content.map(fieldsOf) : [];
  const idsOf = (type: string, key: string): readonly string[] => {
    const ids = parts.flatMap((part) => (textIn(part, 'type') === type ? (idIn(part, key) ?? []) : []));
    return ids.length === 0 ? NONE : ids;
  };
  const promptId = idIn(fields, 'promptId');
  if (promptId !== null && !known.has(promptId)) known.set(promptId, promptId);
  const text = message?.role === 'user' ? message.text : null;
  return {
    start,
    end,
    parent,
    message: message && { id: message.id, role: message.role },
    isPrompt: text !== null && field(fields, 'isCompactSummary') !== true && !NOTES.test(text.trimStart()),
    promptId: promptId === null ? null : (known.get(promptId) ?? null),
    time: text === null ? null : momentIn(fields, 'timestamp'),
    calls: message?.role === 'assistant' ? idsOf('tool_use', 'id') : NONE,
    results: message?.role === 'tool' ? idsOf('tool_result', 'tool_use_id') : NONE,
  };
}
