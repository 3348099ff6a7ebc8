/**
 * git's `packed-refs`: many refs in one file. Each has a line `<id> <name>`; an annotated tag has a second line
 * `^<id>`.
 */
import { readEntireFile } from '../../io/durable-write.ts';
import { type Fs, isFsError } from '../../io/fs.ts';
import type { SavepointError } from '../../model/errors.ts';
import { isObjectId, type ObjectId } from '../../model/ids.ts';
import type { DiskPath } from '../../model/names.ts';
import { damaged } from '../objects/damage.ts';
import type { DamagedRef } from './ref-listing.ts';
import { isRefName } from './ref-name.ts';

export interface PackedRefs {
  readonly ids: ReadonlyMap<string, ObjectId>;
  /** The comment lines of the file. */
  readonly header: readonly string[];
  /** What git adds to an annotated tag, by the tag's name. */
  readonly peeled: ReadonlyMap<string, ObjectId>;
  /** Null if the file is intact. Otherwise, it may hide any ref, and must not be written. */
  readonly problem: string | null;
}

export const NO_PACKED_REFS: PackedRefs = { ids: new Map(), header: [], peeled: new Map(), problem: null };

const SORTED = /^# pack-refs with:.* sorted(?: |$)/;
const SORTED_HEADER = '# pack-refs with: sorted ';
const ID_LENGTH = 40;
/** Almost all lines, of which there may be many: this is several times faster than to check the parts of each one. */
const COMMON_LINE = /([0-9a-f]{40}) (refs(?:\/[\w-]{1,100}){1,8})\n/y;
const MAX_BYTES = 256 * 1024 * 1024;

/** Returns null if the file does not exist, and what is wrong with it if it cannot be such a file. */
export function readPackedRefs(fs: Fs, path: DiskPath): Buffer | string | null {
  try {
    return readEntireFile(fs, path, MAX_BYTES);
  } catch (error) {
    if (isFsError(error, 'ENOENT')) return null;
    if (isFsError(error, 'EFBIG', 'EINVAL', 'ELOOP', 'EISDIR')) return 'is invalid';
    if (isFsError(error, 'EIO', 'EACCES', 'EPERM')) return `cannot be read (${error.code})`;
    throw error;
  }
}

/** Returns the lines that can be read, and what is wrong with the others. */
export function parsePackedRefs(data: Buffer): PackedRefs {
  const text = data.toString('latin1');
  const header: string[] = [];
  const ids = new Map<string, ObjectId>();
  const peeled = new Map<string, ObjectId>();
  // Savepoint and git always write a header.
  let problem = text === '' ? 'is empty' : text.endsWith('\n') ? null : 'is cut off';
  let last = '';
  let mayBePeeled = false;
  let sorted = false;
  const addRef = (id: ObjectId, name: string): void => {
    if (ids.has(name) || (sorted && name <= last)) problem ??= 'is not in order';
    mayBePeeled = !ids.has(name);
    if (!mayBePeeled) return;
    ids.set(name, id);
    last = name;
  };
  for (let at = 0, end = 0; at < text.length; at = end) {
    COMMON_LINE.lastIndex = at;
    const [, commonId, commonName] = COMMON_LINE.exec(text) ?? [];
    if (commonName !== undefined) {
      end = COMMON_LINE.lastIndex;
      addRef(commonId as ObjectId, commonName);
      continue;
    }
    end = text.indexOf('\n', at) + 1;
    if (end === 0) break;
    const line = text.slice(at, end - 1);
    if (line.startsWith('#')) {
      if (ids.size > 0) problem ??= 'has a comment among its refs';
      header.push(line);
      sorted ||= SORTED.test(line);
    } else if (line.startsWith('^')) {
      const id = line.slice(1);
      if (!mayBePeeled || !isObjectId(id)) problem ??= 'has a malformed line';
      else peeled.set(last, id);
      mayBePeeled = false;
    } else {
      const id = line.slice(0, ID_LENGTH);
      const name = line.slice(ID_LENGTH + 1);
      mayBePeeled = false;
      if (isObjectId(id) && line[ID_LENGTH] === ' ' && isRefName(name)) addRef(id, name);
      else problem ??= 'has a malformed line';
    }
  }
  return { ids, header, peeled, problem };
}

/** Whether `name` exists, is below a ref, or has one below it. */
export function clashes({ ids }: PackedRefs, name: string): boolean {
  if (ids.size === 0) return false;
  for (let cut = name.length; cut > 0; cut = name.lastIndexOf('/', cut - 1))
    if (ids.has(name.slice(0, cut))) return true;
  for (const other of ids.keys()) if (other.startsWith(`${name}/`)) return true;
  return false;
}

/** Keeps everything else as it is. */
export function withoutRefs({ header, ids, peeled }: PackedRefs, names: ReadonlySet<string>): Buffer {
  const lines = [...header];
  for (const [name, id] of ids) {
    if (names.has(name)) continue;
    lines.push(`${id} ${name}`);
    const tagged = peeled.get(name);
    if (tagged !== undefined) lines.push(`^${tagged}`);
  }
  return Buffer.from(lines.map((line) => `${line}\n`).join(''), 'latin1');
}

export function encodePackedRefs(ids: ReadonlyMap<string, ObjectId>): Buffer {
  const sorted = [...ids].sort(([a], [b]) => (a < b ? -1 : 1));
  const lines = [SORTED_HEADER, ...sorted.map(([name, id]) => `${id} ${name}`)];
  return Buffer.from(`${lines.join('\n')}\n`, 'latin1');
}

/** The error of calls that need every ref, or that would write the file. */
export function packedDamage({ file, problem }: Pick<DamagedRef, 'file' | 'problem'>): SavepointError {
  return damaged(`A file of refs ${problem}`, { file });
}
