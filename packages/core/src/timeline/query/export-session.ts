/**
 * Exports a session's changes as files for other tools: one snapshot per change, with full contents, and an index. The
 * layout is that of the file change trackers that such tools know. Fields that it lacks are under `savepoint`.
 */

import { createHash } from 'node:crypto';
import { showText } from '../../content/show-name.ts';
import { type Author, type Checkpoint, isDeletion, type RecordedChange } from '../../model/checkpoint.ts';
import type { Entry } from '../../model/entries.ts';
import { SavepointError } from '../../model/errors.ts';
import type { ChangeId, CheckpointId, SessionId } from '../../model/ids.ts';
import { nameToJson, textFromBytes } from '../../model/names.ts';
import type { ObjectReader } from '../../store/objects/object-reader.ts';
import { readBlob } from '../../store/snapshot/snapshot.ts';
import { Activity } from '../activity/activity.ts';
import { activitySource } from '../activity/source.ts';
import { isContentMissing } from '../diff/one-change.ts';
import type { DamagedCheckpoint, Timeline } from '../record/timeline.ts';
import { actorName } from './actors.ts';

export interface ExportedFile {
  /** Relative to the export's folder. */
  readonly path: string;
  readonly bytes: Buffer;
}

export interface SessionExport {
  readonly session: SessionId;
  readonly changes: number;
  /** Changes with a content that is no longer in the store. Their snapshots say so. */
  readonly incomplete: readonly ChangeId[];
  /** Damaged checkpoints. It is unknown whether they contain changes of the session. */
  readonly damaged: readonly DamagedCheckpoint[];
  /** Yields the index last. If it exists, the export is complete. */
  files(): Generator<ExportedFile>;
}

interface ExportedChange {
  readonly change: RecordedChange;
  readonly checkpoint: Checkpoint;
  readonly author: Author;
  /** The operation that reverted the change; null if it is in effect. */
  readonly revertedBy: CheckpointId | null;
}

/** @throws SavepointError UNKNOWN_SESSION */
export function prepareSessionExport(timeline: Timeline, objects: ObjectReader, session: SessionId): SessionExport {
  const listed: ExportedChange[] = [];
  const damaged: DamagedCheckpoint[] = [];
  const activity = new Activity(activitySource(objects, timeline.reader()));
  let began: number | null = null;
  for (const { checkpoint, damaged: damagedCheckpoint } of timeline.newestFirst()) {
    if (checkpoint === null) {
      damaged.push(damagedCheckpoint);
      continue;
    }
    const effectOf = activity.visit(checkpoint);
    if (checkpoint.session === session) began = checkpoint.time;
    for (const change of [...(checkpoint.changes ?? [])].reverse()) {
      const author = change.by.authors.find((one) => one.session === session);
      if (author === undefined) continue;
      listed.push({ change, checkpoint, author, revertedBy: effectOf(change).reversion?.by ?? null });
      began = checkpoint.time;
    }
  }
  if (began === null)
    throw new SavepointError('UNKNOWN_SESSION', `No checkpoint belongs to session ${showText(session)}.`, { session });
  listed.reverse();
  const createdAt = isoTime(began);
  return {
    session,
    changes: listed.length,
    incomplete: listed.flatMap(({ change }) =>
      isContentMissing(objects, change.before) || isContentMissing(objects, change.after) ? [change.id] : [],
    ),
    damaged,
    *files() {
      for (const one of listed) {
        yield { path: `snapshots/${one.change.id}.json`, bytes: encode(snapshotOf(objects, session, one)) };
      }
      yield { path: 'index.json', bytes: encode({ sessionId: session, createdAt, changes: listed.map(indexEntryOf) }) };
    },
  };
}

function snapshotOf(
  objects: ObjectReader,
  session: SessionId,
  { change, checkpoint, author, revertedBy }: ExportedChange,
): unknown {
  return {
    id: change.id,
    sessionId: session,
    agentId: actorName(author.actor),
    filePath: nameToJson(change.path),
    operation: operationOf(change),
    timestamp: isoTime(checkpoint.time),
    before: contentOf(objects, change.before),
    after: contentOf(objects, change.after),
    metadata: {
      ...(change.lines === null ? {} : { startLine: change.lines.first, endLine: change.lines.last }),
      linesAdded: change.added,
      linesRemoved: change.removed,
      isOverwrite: !isDeletion(change) && (change.before !== null || change.uncapturedBefore !== undefined),
    },
    savepoint: {
      checkpoint: checkpoint.id,
      operation: change.operation,
      from: change.from === null ? null : nameToJson(change.from),
      tool: author.tool,
      call: author.call,
      sure: change.by.grade === 'sure',
      grade: change.by.grade,
      evidence: change.by.evidence,
      takenBack: revertedBy,
    },
  };
}

function indexEntryOf({ change, checkpoint, author }: ExportedChange): unknown {
  return {
    id: change.id,
    filePath: nameToJson(change.path),
    operation: operationOf(change),
    timestamp: isoTime(checkpoint.time),
    agentId: actorName(author.actor),
    stats: {
      linesAdded: change.added,
      linesRemoved: change.removed,
      sizeBefore: change.beforeSize,
      sizeAfter: change.afterSize,
    },
  };
}

/** Those tools know three operations. Savepoint's own value is under `savepoint`. */
function operationOf({ operation }: RecordedChange): 'write' | 'patch' | 'delete' {
  return operation === 'delete' || operation === 'patch' ? operation : 'write';
}

/** Returns null if nothing existed. For a folder it returns only kind and mode. */
function contentOf(objects: ObjectReader, entry: Entry | null): unknown {
  if (entry === null) return null;
  if (entry.kind === 'folder') return { kind: 'folder', mode: octal(entry.mode) };
  const ofKind = entry.kind === 'file' ? { mode: octal(entry.mode) } : { kind: 'link' };
  if (isContentMissing(objects, entry)) return { content: null, missing: true, ...ofKind };
  const bytes = readBlob(objects, entry.id);
  const text = bytes.includes(0) ? null : textFromBytes(bytes.toString('latin1'));
  return {
    ...(text === null ? { content: bytes.toString('base64'), encoding: 'base64' } : { content: text }),
    hash: `sha256-${createHash('sha256').update(bytes).digest('hex')}`,
    size: bytes.length,
    ...ofKind,
  };
}

function octal(mode: number): string {
  return mode.toString(8).padStart(4, '0');
}

function encode(value: unknown): Buffer {
  return Buffer.from(`${JSON.stringify(value, null, 2)}\n`);
}

/** A damaged store can contain a time that no calendar can represent. */
function isoTime(time: number): string {
  return new Date(Number.isFinite(time) && Math.abs(time) <= 8.64e15 ? time : 0).toISOString();
}
