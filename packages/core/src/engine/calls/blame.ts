/** The call that reports who wrote each line of a file. */

import { countLines } from '../../content/lines.ts';
import { showName } from '../../content/show-name.ts';
import { TEXT_MAX_BYTES, textOrBinary } from '../../content/text-or-binary.ts';
import { givenPath } from '../../io/given-path.ts';
import type { Pace } from '../../io/pace.ts';
import type { Checkpoint } from '../../model/checkpoint.ts';
import type { FileEntry, Snapshot } from '../../model/entries.ts';
import { SavepointError } from '../../model/errors.ts';
import { type JsonName, nameToJson, type TreePath } from '../../model/names.ts';
import type { ObjectReader } from '../../store/objects/object-reader.ts';
import { cachedFolderReader, readBlob } from '../../store/snapshot/snapshot.ts';
import { blameLines, type LineRange } from '../../timeline/blame/blame.ts';
import { scanWorkspace } from '../../timeline/capture/capture.ts';
import { previewCheckpoint } from '../../timeline/capture/compose.ts';
import type { Workspace } from '../../timeline/capture/workspace.ts';
import { stateAt } from '../../timeline/diff/snapshot-diff.ts';
import type { Engine } from '../engine.ts';

/** Which lines of which file. */
export interface BlameQuery {
  readonly path: JsonName;
  /** A checkpoint. Default: the file as it is now. */
  readonly at?: string;
  /** Only these lines, from 1. A last line after the end of the file means the end. Default: all. */
  readonly lines?: { readonly first: number; readonly last: number };
}

/** Who wrote each line of a file. */
export interface Blame {
  /** The checkpoint that was asked about; null: the file as it is now. */
  readonly at: Checkpoint | null;
  readonly content: Buffer;
  /** The number of lines of the file. */
  readonly total: number;
  /** In the order of the lines. */
  readonly ranges: readonly LineRange[];
}

export async function blame(
  engine: Engine,
  workspace: Workspace,
  { path: given, at: name, lines }: BlameQuery,
  pace: Pace,
): Promise<Blame> {
  const path = givenPath(workspace, given);
  const at = name === undefined ? null : engine.resolve(workspace, name);
  const { objects, snapshot, uncaptured } = await stateOf(engine, workspace, at, pace);
  const entry = textFileAt(objects, snapshot, path, at);
  const content = readBlob(objects, entry.id);
  if (textOrBinary(content) === 'binary') throw refused(path, 'is not a text file');
  const total = countLines(content);
  const { first, last } = linesWithin(path, total, lines);
  const readable = workspace.timeline.reader();
  const ranges = await blameLines(objects, readable, { path, entry, first, last, uncaptured, at }, pace);
  return { at, content, total, ranges };
}

interface AskedState {
  readonly objects: ObjectReader;
  readonly snapshot: Snapshot;
  readonly uncaptured: Checkpoint | null;
}

async function stateOf(engine: Engine, workspace: Workspace, at: Checkpoint | null, pace: Pace): Promise<AskedState> {
  if (at !== null) return { objects: workspace.store.objects, snapshot: at.snapshot, uncaptured: null };
  const latest = workspace.timeline.latest() ?? engine.resolve(workspace, 'last');
  const { objects, scan } = await scanWorkspace(workspace, pace, { missing: 'empty' });
  // Damage leaves lines of unknown origin.
  const { snapshot, roots } = scan;
  const state = { objects, snapshot, roots, onDamage: () => undefined };
  const uncaptured = await previewCheckpoint(workspace, state, latest, pace);
  return { objects, snapshot, uncaptured };
}

/** @throws SavepointError PATH_REFUSED */
function textFileAt(objects: ObjectReader, snapshot: Snapshot, path: TreePath, at: Checkpoint | null): FileEntry {
  const { entry, skip } = stateAt(cachedFolderReader(objects), snapshot, path);
  if (skip !== null) throw refused(path, `is not captured (${skip.reason})`);
  if (entry === null) throw refused(path, at === null ? 'does not exist' : `does not exist in ${at.id}`);
  if (entry.kind !== 'file') throw refused(path, `is a ${entry.kind}`);
  const size = objects.info(entry.id)?.size ?? null;
  if (size === null) throw refused(path, 'is no longer in the store with this content');
  if (size > TEXT_MAX_BYTES) throw refused(path, `is too large: ${size} bytes, and the limit is ${TEXT_MAX_BYTES}`);
  return entry;
}

/** @throws SavepointError USAGE */
function linesWithin(path: TreePath, total: number, asked: BlameQuery['lines']): NonNullable<BlameQuery['lines']> {
  if (asked === undefined) return { first: 1, last: total };
  const { first, last } = asked;
  if (first >= 1 && first <= last && first <= total) return { first, last: Math.min(last, total) };
  const has = `${showName(path)} has ${total} line${total === 1 ? '' : 's'}`;
  throw new SavepointError('USAGE', `There are no lines ${first} to ${last}: ${has}.`, { argument: 'lines' });
}

function refused(path: TreePath, why: string): SavepointError {
  return new SavepointError(
    'PATH_REFUSED',
    `${path === '' ? 'The workspace itself' : showName(path)} ${why}.`,
    { path: nameToJson(path), why },
    {
      hint: 'Only captured text files have authors by line. `savepoint history --file PATH` lists the changes of any path.',
    },
  );
}
