/** Trees of somebody else's bundle, by our own rules: only what a capture of ours could have written passes. */

import type { Ports } from '../../io/ports.ts';
import { checkName } from '../../io/safe-path.ts';
import type { ObjectId } from '../../model/ids.ts';
import { PURGED } from '../../model/ids.ts';
import type { Name } from '../../model/names.ts';
import { idAt, KEY_BYTES } from '../../store/objects/object-hash.ts';

export interface CheckedEntry {
  readonly name: Name;
  readonly kind: 'file' | 'link' | 'folder';
  readonly id: ObjectId;
}

/** What is wrong with a tree; `why` reads as the end of "the bundle has a tree that …". */
export class TreeProblem extends Error {
  constructor(
    readonly why: string,
    /** The entry; null where it has no name. */
    readonly entry: string | null,
  ) {
    super(why);
  }
}

const KINDS: ReadonlyMap<string, CheckedEntry['kind']> = new Map([
  ['100644', 'file'],
  ['100755', 'file'],
  ['120000', 'link'],
  ['40000', 'folder'],
]);
const SPACE = 0x20;
const MAX_MODE_DIGITS = 7;

/**
 * @param names what may be called how: the names of files on disk, or those of a tree of Savepoint's own
 * @throws TreeProblem
 */
export function checkTree(data: Buffer, names: (name: string) => string | null): readonly CheckedEntry[] {
  const entries: CheckedEntry[] = [];
  const seen = new Set<string>();
  let previous = '';
  for (let at = 0; at < data.length; ) {
    const space = data.indexOf(SPACE, at);
    const end = space < 0 ? -1 : data.indexOf(0, space + 1);
    if (space < 0 || space - at > MAX_MODE_DIGITS || end < 0 || end + 1 + KEY_BYTES > data.length) {
      throw new TreeProblem('ends in the middle of an entry', null);
    }
    const mode = data.toString('latin1', at, space);
    const name = data.toString('latin1', space + 1, end) as Name;
    const id = idAt(data, end + 1);
    const kind = KINDS.get(mode);
    if (kind === undefined) throw new TreeProblem(modeProblem(mode), name);
    const refusal = names(name);
    if (refusal !== null) throw new TreeProblem(`has a name that ${refusal}`, name);
    if (seen.has(name)) throw new TreeProblem('has a duplicate name', name);
    if (id === PURGED) throw new TreeProblem('has an invalid object id', name);
    const key = kind === 'folder' ? `${name}/` : name;
    if (entries.length > 0 && previous >= key) throw new TreeProblem('is not in order', name);
    seen.add(name);
    previous = key;
    entries.push({ name, kind, id });
    at = end + 1 + KEY_BYTES;
  }
  return entries;
}

/** Names of files: those that may stand in a checkpoint and on this machine's disk. */
export function fileNameChecker(platform: Ports['platform']): (name: string) => string | null {
  // What means `.git` anywhere is refused everywhere, so that a checkpoint does not depend on where it was looked at.
  return (name) => checkName(name, platform) ?? (platform === 'linux' ? null : checkName(name, 'linux'));
}

/** Names in a tree of Savepoint's own: nothing that a path could be led astray by. */
export function checkPlainName(name: string): string | null {
  if (name === '' || name === '.' || name === '..' || name.includes('/')) return 'no folder can have';
  return null;
}

function modeProblem(mode: string): string {
  if (mode === '160000') return 'has a submodule (gitlink), which a checkpoint cannot have';
  if (mode.startsWith('0')) return `has a mode with a leading zero (${shown(mode)})`;
  return `has the mode ${shown(mode)}`;
}

function shown(mode: string): string {
  return /^[0-7]+$/.test(mode) ? mode : 'that is not a number';
}
