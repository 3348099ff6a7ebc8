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
  if (text === null) {
    const three = [
      `base (the state that both started from): ${entryText(base)}`,
      `ours (the current state): ${entryText(ours)}`,
      `theirs (the state that would be written): ${entryText(theirs)}`,
    ];
    return [`${style.strong(pathText(path))}:`, ...three.map((line) => `  ${line}`)];
  }
  const lines = showContent(nameFromJson(text)).replace(/\n$/, '').split('\n');
  return [
    `${style.strong(pathText(path))}:`,
    ...lines.map((line) => (/^(?:<<<<<<<|\|\|\|\|\|\|\||=======|>>>>>>>|@@)/.test(line) ? style.id(line) : line)),
    ...(cut ? ['… (cut)'] : []),
  ];
}

function entryText(entry: EntryJson): string {
  return entry === null ? 'nothing' : `a ${entry.kind}`;
}
