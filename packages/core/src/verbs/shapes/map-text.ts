/** A map of the code, as lines of text. */

import { showName } from '../../content/show-name.ts';
import { unsaidText } from '../../content/unsaid-text.ts';
import { linesInMap } from '../../engine/code/map-lines.ts';
import { type JsonName, nameFromJson, treePathFromJson } from '../../model/names.ts';
import type { map } from '../checkpoints/map.ts';
import type { OutputOf } from '../verb.ts';

/** All of them are safe to print. */
export function mapLines({ files, left, unknownFocus, unsaid }: OutputOf<typeof map>): readonly string[] {
  return [
    ...files.flatMap(({ path, symbols }) => linesInMap({ path: treePathFromJson(path), symbols })),
    ...(files.length === 0 && left === 0 ? ['No file defines a symbol.'] : []),
    ...(left === 0 ? [] : [`${left} more ${left === 1 ? 'file' : 'files'} did not fit.`]),
    ...unknownFocus.map((path) => `Not in focus: ${shown(path)} has no source file.`),
    ...unsaid.map((one) => unsaidText(one, one.paths.map(shown))),
  ];
}

function shown(path: JsonName): string {
  return path === '' ? 'the workspace folder itself' : showName(nameFromJson(path));
}
