/** Why a bundle is refused, and where in it the reason lies. */

import { showName } from '../content/show-name.ts';
import { SavepointError } from '../model/errors.ts';
import type { CheckpointId, ObjectId } from '../model/ids.ts';
import { nameToJson } from '../model/names.ts';

/** As much as is known. */
export interface BundlePlace {
  readonly checkpoint?: CheckpointId;
  readonly object?: ObjectId;
  /** Inside the workspace, one character per byte. */
  readonly path?: string;
  /** Bytes from the beginning of the file. */
  readonly offset?: number;
}

/** @param why reads as the end of the sentence "the bundle …" */
export function refused(why: string, place: BundlePlace = {}, cause?: unknown): SavepointError {
  return new SavepointError('BUNDLE_REFUSED', `The bundle ${why}${placeText(place)}.`, dataOf(why, place), { cause });
}

/** Something that the bundle needs and neither it nor the store has. */
export function incomplete(
  what: string,
  place: BundlePlace,
  data: Readonly<Record<string, unknown>> = {},
): SavepointError {
  return new SavepointError('BUNDLE_INCOMPLETE', `The bundle ${what}${placeText(place)}.`, {
    ...dataOf(null, place),
    ...data,
  });
}

function placeText({ checkpoint, object, path, offset }: BundlePlace): string {
  const parts = [
    ...(path === undefined ? [] : [`at ${path === '' ? 'the top' : showName(path)}`]),
    ...(checkpoint === undefined ? [] : [`in ${checkpoint}`]),
    ...(object === undefined ? [] : [`object ${object}`]),
    ...(offset === undefined ? [] : [`at byte ${offset}`]),
  ];
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

function dataOf(why: string | null, { checkpoint, object, path, offset }: BundlePlace): Record<string, unknown> {
  return {
    ...(why === null ? {} : { why }),
    ...(object === undefined ? {} : { object }),
    ...(checkpoint === undefined ? {} : { checkpoint }),
    ...(path === undefined ? {} : { path: nameToJson(path) }),
    ...(offset === undefined ? {} : { offset }),
  };
}
