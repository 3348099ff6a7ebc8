/** Searches the whole store for purged contents and mentions of their ids. */

import { readEntireFile } from '../io/durable-write.ts';
import { type Fs, FsError, isFsError, kindOf } from '../io/fs.ts';
import type { Pace } from '../io/pace.ts';
import type { ObjectId } from '../model/ids.ts';
import { type DiskPath, diskChild } from '../model/names.ts';
import { holdsObjectsAside } from '../store/aside.ts';
import type { Workspace } from '../timeline/capture/workspace.ts';
import type { Secrets } from './secrets.ts';

/** Something that a purge should have removed. */
export interface Leftover {
  /** An object's id, or a file of the store. */
  readonly where: string;
  readonly what: string;
}

/** How much was searched. */
export interface SearchTotals {
  readonly objects: number;
  readonly files: number;
}

const FILE_BYTES = 2 ** 30;
/** No checkpoint record is larger. Larger blobs are file contents, so checking their ids is enough. */
const RECORD_BYTES = 64 * 1024 * 1024;
const RECORD_START = '{"format":';
const INDEX_START = 'DIRC';

export async function searchStore(
  { ports: { fs }, store }: Workspace,
  gone: ReadonlySet<ObjectId>,
  secrets: Secrets,
  pace: Pace,
): Promise<SearchTotals & { readonly leftovers: readonly Leftover[] }> {
  const left: Leftover[] = [];
  let objects = 0;
  let files = 0;
  store.objects.refresh();
  // Trees and git indexes contain ids as bytes, checkpoint records as hex digits.
  const asBytes = [...gone].map((id) => Buffer.from(id, 'hex'));
  for (const id of store.objects.ids()) {
    objects += 1;
    if (pace.isDue()) await pace.yieldNow({ phase: 'search', done: objects, total: null });
    if (gone.has(id)) left.push({ where: id, what: 'the content itself' });
    const info = store.objects.info(id);
    if (info === null || info.type === 'commit' || info.size > RECORD_BYTES) continue;
    const { type, data } = store.objects.read(id);
    const names =
      type === 'tree' || data.toString('latin1', 0, INDEX_START.length) === INDEX_START
        ? asBytes.some((each) => data.includes(each))
        : data.toString('latin1', 0, RECORD_START.length) === RECORD_START && containsId(data.toString('latin1'), gone);
    if (names) left.push({ where: id, what: `a ${type} that names it` });
  }
  for (const path of plainFiles(fs, store.layout.path, store.layout.objects)) {
    files += 1;
    if (pace.isDue()) await pace.yieldNow({ phase: 'search', done: files, total: null });
    if (holdsObjectsAside(store.layout.path, path)) {
      left.push({ where: path, what: 'damaged objects, moved aside by a repair; any content may be among them' });
      continue;
    }
    const bytes = readOrNull(fs, path);
    if (bytes === null) left.push({ where: path, what: 'a file that cannot be read' });
    else if (containsId(bytes, gone)) left.push({ where: path, what: 'a file that names it' });
    else if (secrets.isContainedIn(bytes)) left.push({ where: path, what: 'a file with the content' });
  }
  return { leftovers: left, objects, files };
}

/** Takes one pass for any number of ids. */
function containsId(text: string, ids: ReadonlySet<ObjectId>): boolean {
  if (ids.size === 0) return false;
  for (const [found] of text.matchAll(/[0-9a-f]{40}/g)) if (ids.has(found as ObjectId)) return true;
  return false;
}

/** All files of the store except its objects. */
function* plainFiles(fs: Fs, folder: DiskPath, objects: DiskPath): Generator<DiskPath> {
  for (const name of fs.list(folder)) {
    const path = diskChild(folder, name);
    if (path === `${objects}/objects`) continue;
    const stat = fs.lstat(path);
    if (stat === null) continue;
    if (kindOf(stat) === 'folder') yield* plainFiles(fs, path, objects);
    else if (kindOf(stat) === 'file') yield path;
  }
}

/** One character per byte. Null if the file cannot be read. */
function readOrNull(fs: Fs, path: DiskPath): string | null {
  try {
    return readEntireFile(fs, path, FILE_BYTES).toString('latin1');
  } catch (error) {
    if (isFsError(error, 'ENOENT')) return '';
    if (error instanceof FsError) return null;
    throw error;
  }
}
