/** Encodes and decodes the checkpoint record, `checkpoint.json`. `checkpoint-record.ts` describes the format. */

import { readJson } from '../../content/strict-json.ts';
import type { Ports } from '../../io/ports.ts';
import { type Author, type Checkpoint, isOperation, OUTSIDE, type RecordedChange } from '../../model/checkpoint.ts';
import type { Snapshot } from '../../model/entries.ts';
import { SavepointError } from '../../model/errors.ts';
import { changeId, checkpointId, type ObjectId } from '../../model/ids.ts';
import { formatProblem, objectOf } from '../../store/json-shape.ts';
import { FormatProblem } from '../../store/objects/damage.ts';
import { Authors, areListed, recordedChange, storedChange, withoutContents } from './change-record.ts';
import { CHECKPOINT, redactCheckpoint, type StoredCheckpoint } from './checkpoint-record.ts';
import type { Redaction } from './codec.ts';

const FORMAT = 1;

export type CheckpointRecord = Omit<Checkpoint, 'id' | 'commit' | 'snapshot'>;

export function encodeRecord(record: CheckpointRecord): Buffer {
  const authors = new Authors();
  const changes =
    record.changes === null || !areListed(record.changes)
      ? null
      : record.changes.map((change) => storedChange(change, authors));
  const json = CHECKPOINT.encode({ ...record, id: checkpointId(record.number), authors: authors.list, changes });
  return Buffer.from(`${JSON.stringify({ format: FORMAT, ...(json as object) })}\n`);
}

/** @throws SavepointError STORE_DAMAGED, STORE_TOO_NEW */
export function decodeRecord(data: Buffer, commit: ObjectId, snapshot: Snapshot): Checkpoint {
  let format: unknown;
  try {
    const json: unknown = JSON.parse(data.toString('utf8'));
    format = formatOf(json);
    if (format === FORMAT) return checkpointOf(CHECKPOINT.decode(json), commit, snapshot);
  } catch (cause) {
    throw damagedError(commit, cause);
  }
  if (typeof format !== 'number' || format < FORMAT) throw damagedError(commit, null);
  throw new SavepointError('STORE_TOO_NEW', `Checkpoint ${commit} was written in format ${format}.`, {
    found: format,
    known: FORMAT,
  });
}

/**
 * Checks a record from another machine before it is decoded.
 * @param platform the platform whose rules paths must follow
 * @throws FormatProblem
 */
export function checkRecord(data: Buffer, platform: Ports['platform']): void {
  let json: unknown;
  try {
    json = readJson(data, { keys: 'once-any-name' });
  } catch (cause) {
    throw new FormatProblem('it is not JSON', { cause });
  }
  KNOWN_FORMAT(json, '');
  CHECKPOINT.check(json, '', platform);
}

const KNOWN_FORMAT = objectOf({
  format: (value, at) => {
    if (value !== FORMAT) throw formatProblem(at, `is not supported by this version (which supports ${FORMAT})`);
  },
});

/**
 * @param isRedacted whether to remove the contents of a change
 * @returns the same object if nothing is removed
 */
export function redactRecord(
  checkpoint: Checkpoint,
  redaction: Redaction,
  isRedacted: (change: RecordedChange) => boolean,
): Checkpoint {
  const changes = checkpoint.changes?.some(isRedacted)
    ? checkpoint.changes.map((change) => (isRedacted(change) ? withoutContents(change) : change))
    : checkpoint.changes;
  const left = redactCheckpoint(checkpoint, redaction);
  return changes === checkpoint.changes ? left : { ...left, changes };
}

function checkpointOf(stored: StoredCheckpoint, commit: ObjectId, snapshot: Snapshot): Checkpoint {
  const { authors, changes, ...record } = stored;
  const number = Number(/^cp_([1-9]\d{0,8})$/.exec(stored.id)?.[1] ?? Number.NaN);
  if (Number.isNaN(number)) throw new TypeError('not the id of a checkpoint');
  const known = authors ?? earlyAuthors(stored);
  return {
    ...record,
    number,
    commit,
    snapshot,
    changes:
      changes?.map((change, index) => recordedChange(change, changeId(number, index + 1), record, known)) ?? null,
  };
}

/** Checkpoints of early versions name no authors. An operation is its actor's; a scan found all other changes. */
function earlyAuthors({ trigger, actor, session, toolCall }: StoredCheckpoint): readonly Author[] {
  return [{ actor: isOperation(trigger) ? actor : OUTSIDE, session, call: toolCall, tool: null }];
}

function formatOf(json: unknown): unknown {
  return typeof json === 'object' && json !== null && 'format' in json ? json.format : undefined;
}

function damagedError(commit: ObjectId, cause: unknown): SavepointError {
  return new SavepointError(
    'STORE_DAMAGED',
    `The record of checkpoint commit ${commit} cannot be read.`,
    { object: commit },
    { cause },
  );
}
