/** Validates the trees of an untrusted bundle by our own rules: only trees that our capture could have written pass. */

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

/** Reports what is wrong with a tree. `why` completes the sentence "the bundle has a tree that …". */
export class TreeProblem extends Error {
  constructor(
    readonly why: string,
    /** The name of the faulty entry; null if the fault is not in one entry. */
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
 * Decodes and validates a tree.
 * @param names returns what is wrong with a name, or null: {@link fileNameChecker} for files, {@link checkPlainName}
 *   for our own trees
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

/** Returns a check for file names: they must be allowed in a checkpoint and on this machine's disk. */
export function fileNameChecker(platform: Ports['platform']): (name: string) => string | null {
  // Refuse any name that some platform resolves to `.git`, so that the result does not depend on where the check runs.
  return (name) => checkName(name, platform) ?? (platform === 'linux' ? null : checkName(name, 'linux'));
}

/** Checks a name in one of our own trees: it must not be able to redirect a path. */
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
