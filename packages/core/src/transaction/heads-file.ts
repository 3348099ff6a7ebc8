/** `heads.json`: the repositories that the open journal's operation moves (docs/format.md, "journal"). */

import type { RefUpdate } from '../git/head-moves.ts';
import { durableWrite, readEntireFile } from '../io/durable-write.ts';
import { isFsError } from '../io/fs.ts';
import { removeIfExists } from '../io/if-exists.ts';
import type { Ports } from '../io/ports.ts';
import type { HeadPosition } from '../model/checkpoint.ts';
import { SavepointError } from '../model/errors.ts';
import type { ObjectId } from '../model/ids.ts';
import {
  type DiskPath,
  diskChild,
  type JsonName,
  nameFromJson,
  nameToJson,
  type TreePath,
  treePathFromJson,
} from '../model/names.ts';
import type { StoreLayout } from '../store/layout.ts';

/** What is done to one repository, with everything needed to roll it back. */
export interface HeadStep {
  readonly path: TreePath;
  readonly before: HeadPosition;
  readonly after: HeadPosition;
  readonly refs: readonly RefUpdate[];
  /** Whether the repository has lost the commit after, and the store adds it again before the refs move. */
  readonly bringsBack: boolean;
  /** Blobs of the store; null: the index does not change. */
  readonly index: { readonly before: ObjectId | null; readonly after: ObjectId } | null;
  /** Blobs of the store that the new index names. The repository may have lost them. */
  readonly staged: readonly ObjectId[];
}

interface PositionJson {
  readonly branch: JsonName | null;
  readonly commit: string | null;
}

interface HeadsJson {
  /** Commit of the checkpoint after the operation. */
  readonly commit: ObjectId;
  readonly steps: readonly {
    readonly path: JsonName;
    readonly before: PositionJson;
    readonly after: PositionJson;
    readonly refs: readonly { readonly name: JsonName; readonly from: string | null; readonly to: string | null }[];
    /** Absent: false. */
    readonly bringsBack?: true;
    readonly index: HeadStep['index'];
    /** Absent: none. */
    readonly staged?: readonly ObjectId[];
  }[];
}

const MAX_BYTES = 64 * 1024 * 1024;

/** Writes the file durably, before the journal is. @param commit of the checkpoint after the operation */
export function writeHeads({ fs }: Ports, layout: StoreLayout, commit: ObjectId, steps: readonly HeadStep[]): void {
  const json: HeadsJson = {
    commit,
    steps: steps.map(({ path, before, after, refs, bringsBack, index, staged }) => ({
      path: nameToJson(path),
      before: toJson(before),
      after: toJson(after),
      refs: refs.map(({ name, from, to }) => ({ name: nameToJson(name), from, to })),
      ...(bringsBack ? { bringsBack } : {}),
      index,
      ...(staged.length === 0 ? {} : { staged }),
    })),
  };
  durableWrite(fs, fileOf(layout), Buffer.from(`${JSON.stringify(json)}\n`), 0o600);
}

/**
 * Returns the steps of the operation that makes this checkpoint; empty if the file belongs to an
 * operation that ended long ago.
 * @throws SavepointError STORE_DAMAGED
 */
export function readHeads({ fs }: Ports, layout: StoreLayout, commit: ObjectId): readonly HeadStep[] {
  const file = fileOf(layout);
  try {
    const json = JSON.parse(readEntireFile(fs, file, MAX_BYTES).toString()) as HeadsJson;
    if (json.commit !== commit) return [];
    return json.steps.map(({ path, before, after, refs, bringsBack, index, staged }) => ({
      path: treePathFromJson(path),
      before: fromJson(before),
      after: fromJson(after),
      refs: refs.map(({ name, from, to }) => ({ name: nameFromJson(name), from, to })),
      bringsBack: bringsBack === true,
      index,
      staged: staged ?? [],
    }));
  } catch (error) {
    if (isFsError(error, 'ENOENT')) return [];
    if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error;
    throw new SavepointError('STORE_DAMAGED', 'The record of an operation on repositories cannot be read.', { file });
  }
}

/** Removes the file once the operation has ended, either way. */
export function removeHeads({ fs }: Ports, layout: StoreLayout): void {
  removeIfExists(fs, fileOf(layout));
}

function fileOf(layout: StoreLayout): DiskPath {
  return diskChild(layout.path, 'heads.json');
}

function toJson({ branch, commit }: HeadPosition): PositionJson {
  return { branch: branch === null ? null : nameToJson(branch), commit };
}

function fromJson({ branch, commit }: PositionJson): HeadPosition {
  return { branch: branch === null ? null : nameFromJson(branch), commit };
}
