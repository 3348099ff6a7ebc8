/**
 * The list of exported bundles of one timeline, `<workspace>/head.json`, in restore order. A copy of a timeline with a
 * name of its own (`export.name`) has its list in `<workspace>-<name>/head.json`. Writers replace the list
 * only if it has not changed since they read it. Bundle names are derived from the contents, so two processes that
 * export the same checkpoints write the same file.
 */

import type { BundleContentOptions } from '../bundle/write/derived-chain.ts';
import { readJson } from '../content/strict-json.ts';
import type { Checkpoint } from '../model/checkpoint.ts';
import { SavepointError } from '../model/errors.ts';
import type { CheckpointId, ObjectId, WorkspaceId } from '../model/ids.ts';
import { type BundleKey, isBundleKey } from '../store/bundles/bundle-store.ts';
import { integer, listOf, matching, objectOf, oneOf, optional, type Shape } from '../store/json-shape.ts';
import { FormatProblem } from '../store/objects/damage.ts';

/** What the bundles at a destination include. Descriptions are never exported without messages. */
export type ExportContent = Pick<BundleContentOptions, 'private' | 'messages'>;

export interface ExportHead extends ExportContent {
  readonly format: 1;
  readonly workspace: WorkspaceId;
  /** Oldest first. */
  readonly bundles: readonly ExportedBundle[];
}

export interface ExportedBundle {
  readonly key: BundleKey;
  /** Whether it needs none of the bundles before it. */
  readonly isWhole: boolean;
  readonly from: CheckpointId;
  readonly to: CheckpointId;
  /** The commit of `to` in the chain. */
  readonly tip: ObjectId;
  /** The commit and the time of `to` in the store that exported it. Absent in lists that older versions wrote. */
  readonly source?: ExportSource;
  readonly bytes: number;
  readonly sha256: string;
}

/** Tells whether a checkpoint with the same number is the same checkpoint. */
export interface ExportSource {
  readonly commit: ObjectId;
  /** Milliseconds since 1970. */
  readonly time: number;
}

export const HEAD_BYTES = 16 * 1024 * 1024;
const MAX_BUNDLES = 100_000;

const checkpoint = matching(/^cp_[1-9]\d{0,8}$/);
const key: Shape = (value, at) => {
  if (typeof value !== 'string' || !isBundleKey(value)) throw new FormatProblem(`${at} is not a key`);
};
const SHAPE = objectOf({
  format: oneOf(1),
  workspace: matching(/^[0-9a-f]{32}$/),
  private: oneOf(true, false),
  messages: oneOf(true, false),
  bundles: listOf(
    objectOf({
      key,
      isWhole: oneOf(true, false),
      from: checkpoint,
      to: checkpoint,
      tip: matching(/^[0-9a-f]{40}$/),
      source: optional(objectOf({ commit: matching(/^[0-9a-f]{40}$/), time: integer(0) })),
      bytes: integer(0),
      sha256: matching(/^[0-9a-f]{64}$/),
    }),
    MAX_BUNDLES,
  ),
});

/** @param name what tells this copy of the timeline from others in the same place; empty: nothing */
export function headKey(workspace: WorkspaceId, name: string): BundleKey {
  return `${exportFolder(workspace, name)}/head.json` as BundleKey;
}

export function exportFolder(workspace: WorkspaceId, name: string): string {
  return name === '' ? workspace : `${workspace}-${name}`;
}

/** Returns the key of a bundle: the same checkpoints in the same chain have the same key. */
export function bundleKey(folder: string, checkpoints: readonly Checkpoint[], tip: ObjectId): BundleKey {
  return `${folder}/${checkpoints[0]?.id}-${checkpoints.at(-1)?.id}-${tip.slice(0, 16)}.bundle` as BundleKey;
}

export function encodeHead(head: ExportHead): Buffer {
  return Buffer.from(`${JSON.stringify(head, null, 1)}\n`);
}

/** @throws SavepointError BUNDLE_STORE if the file is not one of ours, or is from a later version */
export function decodeHead(bytes: Buffer, place: string): ExportHead {
  try {
    const json: unknown = readJson(bytes);
    SHAPE(json, '');
    return json as ExportHead;
  } catch (error) {
    const why = error instanceof Error ? error.message : '';
    const message = `The list of bundles in ${place} is invalid (${why}).`;
    throw new SavepointError('BUNDLE_STORE', message, { place, status: 'EINVAL' }, { cause: error });
  }
}
