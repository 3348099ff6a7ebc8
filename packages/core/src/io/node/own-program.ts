/** Programs of our own that run in processes of their own. */

import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * Returns where a program is; null: it is not installed, as in a sandbox.
 * @param places relative to this module: next to the bundled command, in the built package, and, if the sources are
 *   loaded, in what is built of them
 */
export function ownProgram(places: readonly string[]): string | null {
  return places.map((place) => fileURLToPath(new URL(place, import.meta.url))).find((path) => existsSync(path)) ?? null;
}
