/** The three sides of a conflict. */
import { type JsonName, nameFromJson } from '@savepoint/core';
import { type OutputOf, showContent, type VERBS } from '@savepoint/core/frontend';
import type { Style } from '../view.ts';
import { pathText } from './format.ts';

type SidesJson = OutputOf<(typeof VERBS)['rollback']>['results'][number]['sides'];
type EntryJson = NonNullable<SidesJson>['base'];

export function sidesLines(path: JsonName, sides: SidesJson, style: Style): string[] {
  if (sides === null) return [];
  const { base, ours, theirs, text, cut } = sides;
  const three = `base: ${entryText(base)}; ours (current): ${entryText(ours)}; theirs (as the operation would write it): ${entryText(theirs)}`;
  if (text === null) return [`${pathText(path)}  ${three}`];
  const lines = showContent(nameFromJson(text)).replace(/\n$/, '').split('\n');
  return [
    `${style.strong(pathText(path))}  ${three}`,
    ...lines.map((line) => (/^(?:<<<<<<<|\|\|\|\|\|\|\||=======|>>>>>>>|@@)/.test(line) ? style.id(line) : line)),
    ...(cut ? ['… (cut)'] : []),
  ];
}

function entryText(entry: EntryJson): string {
  if (entry === null) return 'nothing';
  return entry.kind === 'folder' ? 'a folder' : `${entry.kind} ${entry.id.slice(0, 10)}`;
}
