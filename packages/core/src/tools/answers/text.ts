/** Parts of the lines for a model. Text from disk or from people is escaped. */
import { showName } from '../../content/show-name.ts';
import { type JsonName, nameFromJson } from '../../model/names.ts';

export interface Counted {
  readonly added?: number;
  readonly removed?: number;
}

export function pathText(path: JsonName): string {
  return path === '' ? '.' : showName(nameFromJson(path));
}

/** `  +3 -1`; empty if lines were not counted. */
export function linesText({ added, removed }: Counted): string {
  return added === undefined && removed === undefined ? '' : `  +${added ?? 0} -${removed ?? 0}`;
}

export function countText(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
