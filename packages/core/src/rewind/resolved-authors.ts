/** The authors of files that a person merged by hand. */

import type { Author } from '../model/checkpoint.ts';
import { type Attribution, attributionTo, together } from '../timeline/capture/attribution.ts';
import type { ConflictChoices } from './conflict-choices.ts';

/**
 * Such a file may have lines of the authors of the changes, and of the person who merged it.
 * @param made the authors of the changes that the operation brings
 * @param by the author of the resolutions
 */
export function withResolved(
  made: Attribution,
  { resolutions }: Pick<ConflictChoices, 'resolutions'>,
  by: Author,
): Attribution {
  const merger = attributionTo(by);
  return (path) => (resolutions.has(path) ? together(made(path), merger(path)) : made(path));
}
