/** Files of reviews of plans that go on, or were interrupted: `reviews/<8 hex digits>.json`. */

import { durableWrite, syncFolder } from '../../io/durable-write.ts';
import type { Ports } from '../../io/ports.ts';
import type { PlanId } from '../../model/ids.ts';
import { type DiskPath, diskChild } from '../../model/names.ts';
import type { Shape } from '../json-shape.ts';
import type { StoreLayout } from '../layout.ts';
import { makeFolderIfMissing } from './cache-file.ts';
import { readDecided } from './decided-file.ts';

/** @returns null if there is none @throws SavepointError STORE_DAMAGED */
export function readReviewFile({ fs }: Pick<Ports, 'fs'>, layout: StoreLayout, id: PlanId, shape: Shape): unknown {
  return readDecided<unknown>(fs, {
    path: fileOf(layout, id),
    maxBytes: MAX_BYTES,
    shape,
    unknown: `it is unknown what a review of ${id} decided last`,
    hint: 'Move the file to another folder to go on without these decisions.',
  });
}

/** Durable on return. The caller holds the store's lock. */
export function writeReviewFile({ fs }: Pick<Ports, 'fs'>, layout: StoreLayout, id: PlanId, json: unknown): void {
  makeFolderIfMissing(fs, layout.reviews);
  durableWrite(fs, fileOf(layout, id), Buffer.from(`${JSON.stringify(json)}\n`), 0o600);
}

/**
 * Once the plan has the decisions. Durable on return, because they would count again after later ones. The caller holds the
 * store's lock.
 */
export function removeReviewFile({ fs }: Pick<Ports, 'fs'>, layout: StoreLayout, id: PlanId): void {
  const file = fileOf(layout, id);
  if (fs.lstat(file) === null) return;
  fs.unlink(file);
  syncFolder(fs, layout.reviews);
}

const MAX_BYTES = 64 * 1024 * 1024;

function fileOf({ reviews }: StoreLayout, id: PlanId): DiskPath {
  return diskChild(reviews, `${id.slice('plan_'.length)}.json`);
}
