/**
 * git's `packed-refs`: many refs in one file. Each has a line `<id> <name>`; an annotated tag has a second line
 * `^<id>`.
 */
import { isObjectId, type ObjectId } from '../../model/ids.ts';
import { FormatProblem } from '../objects/damage.ts';
import { isRefName } from './ref-name.ts';

export interface PackedRefs {
  readonly ids: ReadonlyMap<string, ObjectId>;
  /** The comment lines of the file. They, and the lines of each ref, are preserved when other refs are removed. */
  readonly header: readonly string[];
  readonly lines: ReadonlyMap<string, string>;
}

export const NO_PACKED_REFS: PackedRefs = { ids: new Map(), header: [], lines: new Map() };

const SORTED = /^# pack-refs with:.* sorted(?: |$)/;
const SORTED_HEADER = '# pack-refs with: sorted ';
const ID_LENGTH = 40;

/** @throws FormatProblem if any line is malformed */
export function parsePackedRefs(data: Buffer): PackedRefs {
  const text = data.toString('latin1');
  // Savepoint and git always write a header.
  if (text === '') throw new FormatProblem('is empty');
  if (!text.endsWith('\n')) throw new FormatProblem('is cut off');
  const header: string[] = [];
  const ids = new Map<string, ObjectId>();
  const lines = new Map<string, string>();
  let last = '';
  let peeled = true;
  let sorted = false;
  for (const line of text.split('\n').slice(0, -1)) {
    if (line.startsWith('#')) {
      if (ids.size > 0) throw new FormatProblem('has a comment among its refs');
      header.push(line);
      sorted ||= SORTED.test(line);
    } else if (line.startsWith('^')) {
      if (peeled || !isObjectId(line.slice(1))) throw new FormatProblem('has a malformed line');
      lines.set(last, `${lines.get(last)}${line}\n`);
      peeled = true;
    } else {
      const id = line.slice(0, ID_LENGTH);
      const name = line.slice(ID_LENGTH + 1);
      if (!isObjectId(id) || line[ID_LENGTH] !== ' ' || !isRefName(name))
        throw new FormatProblem('has a malformed line');
      if (ids.has(name) || (sorted && name <= last)) throw new FormatProblem('is not in order');
      ids.set(name, id);
      lines.set(name, `${line}\n`);
      last = name;
      peeled = false;
    }
  }
  return { ids, header, lines };
}

export function withoutRefs({ header, lines }: PackedRefs, names: ReadonlySet<string>): Buffer {
  const kept = [...lines].filter(([name]) => !names.has(name)).map(([, text]) => text);
  return Buffer.from(`${header.map((line) => `${line}\n`).join('')}${kept.join('')}`, 'latin1');
}

export function encodePackedRefs(ids: ReadonlyMap<string, ObjectId>): Buffer {
  const sorted = [...ids].sort(([a], [b]) => (a < b ? -1 : 1));
  const lines = [SORTED_HEADER, ...sorted.map(([name, id]) => `${id} ${name}`)];
  return Buffer.from(`${lines.join('\n')}\n`, 'latin1');
}
