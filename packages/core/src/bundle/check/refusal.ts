/** Errors for refused and incomplete bundles, with the location of the problem. */

import { showName } from '../../content/show-name.ts';
import { type ErrorData, SavepointError } from '../../model/errors.ts';
import type { CheckpointId, ObjectId } from '../../model/ids.ts';
import { nameToJson } from '../../model/names.ts';

/** The known parts of a location in a bundle. */
export interface BundleLocation {
  readonly checkpoint?: CheckpointId;
  readonly object?: ObjectId;
  /** Path in the workspace, one character per byte. */
  readonly path?: string;
  /** Offset in bytes from the beginning of the file. */
  readonly offset?: number;
}

/** @param why completes the sentence "the bundle …" */
export function bundleRefused(why: string, place: BundleLocation = {}, cause?: unknown): SavepointError {
  const data = { why, ...dataOf(place) };
  return new SavepointError('BUNDLE_REFUSED', `The bundle ${why}${locationText(place)}.`, data, { cause });
}

/** Returns the error for a bundle that needs something that neither it nor the store has. */
export function bundleIncomplete(
  what: string,
  place: BundleLocation,
  data: Pick<ErrorData<'BUNDLE_INCOMPLETE'>, 'needs' | 'newest'> = {},
): SavepointError {
  return new SavepointError('BUNDLE_INCOMPLETE', `The bundle ${what}${locationText(place)}.`, {
    ...dataOf(place),
    ...data,
  });
}

function locationText({ checkpoint, object, path, offset }: BundleLocation): string {
  const parts = [
    ...(path === undefined ? [] : [`at ${path === '' ? 'the top' : showName(path)}`]),
    ...(checkpoint === undefined ? [] : [`in ${checkpoint}`]),
    ...(object === undefined ? [] : [`object ${object}`]),
    ...(offset === undefined ? [] : [`at byte ${offset}`]),
  ];
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

function dataOf({ checkpoint, object, path, offset }: BundleLocation) {
  return {
    ...(object === undefined ? {} : { object }),
    ...(checkpoint === undefined ? {} : { checkpoint }),
    ...(path === undefined ? {} : { path: nameToJson(path) }),
    ...(offset === undefined ? {} : { offset }),
  };
}
