/** Programs of our own that run in processes of their own. */

import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface OwnProgram {
  /** In the built package: its path relative to this folder. */
  readonly built: string;
  /** Its name next to the bundled command. */
  readonly bundled: string;
}

/** From this folder of the sources to what is built of it. */
const BUILT = '../../../dist/io/node';

/**
 * Returns where a program is; null: it is not installed, as in a sandbox.
 * @param from the URL of this module, or of the bundle that it is part of
 */
export function ownProgram({ built, bundled }: OwnProgram, from: string = import.meta.url): string | null {
  // A package may still have the file of an earlier build where a bundle has its program, so this place is not the first.
  const places = [`./${built}`, `./${bundled}`, `${BUILT}/${built}`];
  return places.map((place) => fileURLToPath(new URL(place, from))).find((path) => existsSync(path)) ?? null;
}
