/**
 * Builds an index that matches a commit, as `git read-tree` does. The same commit always gives the same bytes.
 * The entries have no stat data, so git re-examines every file.
 */
import { createHash } from 'node:crypto';
import type { Pace } from '../io/pace.ts';
import { SavepointError } from '../model/errors.ts';
import { childPath, type TreePath, WORKSPACE_ITSELF } from '../model/names.ts';
import type { GitObjects } from './objects.ts';

const FOLDER = 0o40000;
const FIXED_BYTES = 62;
const MAX_LENGTH_IN_FLAGS = 0xfff;
const MAX_ENTRIES = 5_000_000;

/** @param commit null for an index without entries */
export async function buildIndex(objects: GitObjects, commit: string | null, pace: Pace): Promise<Buffer> {
  const entries = commit === null ? [] : await entriesOf(objects, objects.treeOf(commit), pace);
  entries.sort((a, b) => (a.path < b.path ? -1 : 1));
  const header = Buffer.alloc(12);
  header.write('DIRC', 0, 'latin1');
  header.writeUInt32BE(2, 4);
  header.writeUInt32BE(entries.length, 8);
  const body = Buffer.concat([header, ...entries.map(encodeEntry)]);
  return Buffer.concat([body, createHash('sha1').update(body).digest()]);
}

interface NewIndexEntry {
  readonly path: TreePath;
  readonly mode: number;
  readonly id: string;
}

async function entriesOf(objects: GitObjects, tree: string, pace: Pace): Promise<NewIndexEntry[]> {
  const entries: NewIndexEntry[] = [];
  const open: { readonly path: TreePath; readonly tree: string }[] = [{ path: WORKSPACE_ITSELF, tree }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (pace.isDue()) await pace.yieldNow();
    for (const { name, mode, id } of objects.tree(next.tree)) {
      const path = childPath(next.path, name);
      if (mode === FOLDER) open.push({ path, tree: id });
      else entries.push({ path, mode: indexMode(mode), id });
    }
    if (entries.length + open.length > MAX_ENTRIES) {
      throw new SavepointError('STORE_DAMAGED', `The commit has more than ${MAX_ENTRIES} files.`, {});
    }
  }
  return entries;
}

/** Returns the mode as git stores it in an index. */
function indexMode(mode: number): number {
  const type = mode & 0o170000;
  return type === 0o100000 ? ((mode & 0o100) === 0 ? 0o100644 : 0o100755) : type;
}

function encodeEntry({ path, mode, id }: NewIndexEntry): Buffer {
  // Padded with one to eight NULs to a multiple of eight bytes.
  const bytes = Buffer.alloc((FIXED_BYTES + path.length + 8) & ~7);
  bytes.writeUInt32BE(mode, 24);
  bytes.write(id, 40, 'hex');
  bytes.writeUInt16BE(Math.min(path.length, MAX_LENGTH_IN_FLAGS), 60);
  bytes.write(path, FIXED_BYTES, 'latin1');
  return bytes;
}
