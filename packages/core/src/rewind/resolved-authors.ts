/** Who made the contents that a person merged by hand. */

import type { Author } from '../model/checkpoint.ts';
import { type Attribution, attributionTo, together } from '../timeline/capture/attribution.ts';
import type { ConflictChoices } from './conflict-choices.ts';

/**
 * Such a file may have lines of those who made the changes, and of the one who merged it.
 * @param made who made the changes that the operation brings
 * @param by who gives the resolutions
 */
export function withResolved(
  made: Attribution,
  { resolutions }: Pick<ConflictChoices, 'resolutions'>,
  by: Author,
): Attribution {
  const merger = attributionTo(by);
  return (path) => (resolutions.has(path) ? together(made(path), merger(path)) : made(path));
}
