import { type FileInMap, linesOfFile, type Shown } from '../../code/map/lines.ts';
import { showName, showText } from '../../content/show-name.ts';

/** What comes from files is untrusted. */
export const SHOWN_IN_MAP: Shown = { path: showName, text: showText };

/** The lines of a file in a map, whose length is counted. All of them are safe to print. */
export function linesInMap(file: FileInMap): readonly string[] {
  return linesOfFile(file, SHOWN_IN_MAP);
}
