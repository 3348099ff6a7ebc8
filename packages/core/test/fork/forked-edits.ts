/** Random edits of a folder on the simulated disk, for three forks and the workspace that they left. */

import { type DiskPath, isFsError, kindOf, permissions } from '@savepoint/core/ports';
import type { SeededRandom, SimDisk } from '@savepoint/testkit';

/** By path: its kind with its permissions, and its content or target. */
export type FolderState = Readonly<Record<string, string>>;

const TEXTS = ['one.txt', 'two.txt', 'sub/three.txt', 'sub/deep/four.txt'];
const BINARY = 'sub/picture';
const LINK = 'link';
const NEW_NAMES = ['new.txt', 'sub/new.txt', 'other/new.txt', 'other'];
const LINES = 24;
/** Few different ones, so that several actors insert the same. */
const INSERTED = ['an insertion', 'another one', '', '}'];

/** The files that all of them start from. Some lines are equal, as in code. */
export function makeFiles(disk: SimDisk, folder: string): void {
  for (const path of TEXTS) {
    const lines = Array.from({ length: LINES }, (_, at) => (at % 6 === 5 ? '' : `line ${at} of ${path}`));
    put(disk, `${folder}/${path}`, `${lines.join('\n')}\n`);
  }
  put(disk, `${folder}/${BINARY}`, 'a\0picture\n');
  disk.makeLink('one.txt', `${folder}/${LINK}` as DiskPath);
}

/** @param who names the one who edits: some edits are only its own */
export function editRandomly(disk: SimDisk, folder: string, who: string, random: SeededRandom): void {
  const path = random.pick(TEXTS);
  const file = `${folder}/${path}` as DiskPath;
  const isThere = textAt(disk, file) !== null;
  const mine = random.integer(3) === 0 ? 'the same' : who;
  const edits: readonly (() => void)[] = [
    () => editLines(disk, file, mine, random),
    () => editLines(disk, file, mine, random),
    () => editLines(disk, file, mine, random),
    () => editLines(disk, file, mine, random),
    () => (isThere ? disk.unlink(file) : undefined),
    () => (isThere ? rename(disk, file, `${folder}/${random.pick(['renamed.txt', 'sub/renamed.txt'])}`) : undefined),
    () => (isThere ? disk.chmod(file, random.pick([0o755, 0o750, 0o600])) : undefined),
    () => put(disk, `${folder}/${BINARY}`, `\0${random.pick([who, 'the same'])}`),
    () => relink(disk, `${folder}/${LINK}`, random.pick(['two.txt', 'sub', who])),
    () => put(disk, `${folder}/${random.pick(NEW_NAMES)}`, `new by ${mine}\n`),
    () => removeAll(disk, `${folder}/${random.pick(['sub', 'sub/deep', 'other'])}`),
  ];
  random.pick(edits)();
}

export function stateOf(disk: SimDisk, folder: string, below = ''): FolderState {
  const found: Record<string, string> = {};
  for (const name of disk.list(`${folder}/${below}` as DiskPath).sort()) {
    const path = `${below}${name}`;
    const at = `${folder}/${path}` as DiskPath;
    const stat = disk.lstat(at);
    if (stat === null) continue;
    const mode = permissions(stat).toString(8);
    const kind = kindOf(stat);
    if (kind === 'folder') Object.assign(found, { [path]: `folder ${mode}` }, stateOf(disk, folder, `${path}/`));
    else found[path] = kind === 'link' ? `link ${disk.readLink(at)}` : `file ${mode} ${textAt(disk, at) ?? ''}`;
  }
  return found;
}

/** One to three places: lines are replaced, inserted or removed. */
function editLines(disk: SimDisk, file: DiskPath, who: string, random: SeededRandom): void {
  const text = textAt(disk, file);
  if (text === null) return;
  const lines = text.split('\n');
  for (let more = random.integer(3); more >= 0; more--) {
    const at = random.integer(lines.length);
    const count = 1 + random.integer(2);
    const inserted = random.pick([...INSERTED, `by ${who}`]);
    const [removed, added]: readonly [number, readonly string[]] = random.pick([
      [count, Array.from({ length: count }, () => `changed by ${who}`)],
      [0, Array.from({ length: count }, () => inserted)],
      [count, []],
    ]);
    lines.splice(at, removed, ...added);
  }
  const { mode } = disk.lstat(file) ?? { mode: 0o644 };
  disk.unlink(file);
  write(disk, file, lines.join('\n'), mode & 0o777);
}

function put(disk: SimDisk, path: string, text: string): void {
  const at = path as DiskPath;
  const parent = at.slice(0, at.lastIndexOf('/')) as DiskPath;
  makeFolders(disk, parent);
  const before = disk.lstat(at);
  if (before !== null && kindOf(before) === 'folder') return;
  if (before !== null) disk.unlink(at);
  write(disk, at, text, 0o644);
}

function makeFolders(disk: SimDisk, folder: DiskPath): void {
  const stat = disk.lstat(folder);
  if (stat !== null && kindOf(stat) === 'folder') return;
  if (stat !== null) disk.unlink(folder);
  makeFolders(disk, folder.slice(0, folder.lastIndexOf('/')) as DiskPath);
  disk.makeFolder(folder, 0o755);
}

function rename(disk: SimDisk, from: DiskPath, to: string): void {
  makeFolders(disk, to.slice(0, to.lastIndexOf('/')) as DiskPath);
  disk.rename(from, to as DiskPath);
}

function relink(disk: SimDisk, path: string, target: string): void {
  const at = path as DiskPath;
  if (disk.lstat(at) !== null) disk.unlink(at);
  disk.makeLink(target, at);
}

function removeAll(disk: SimDisk, path: string): void {
  const at = path as DiskPath;
  const stat = disk.lstat(at);
  if (stat === null) return;
  if (kindOf(stat) !== 'folder') {
    disk.unlink(at);
    return;
  }
  for (const name of disk.list(at)) removeAll(disk, `${path}/${name}`);
  disk.removeFolder(at);
}

function write(disk: SimDisk, at: DiskPath, text: string, mode: number): void {
  const file = disk.openNew(at, mode);
  disk.write(file, Buffer.from(text), 0);
  disk.close(file);
}

/** Null if it is not a file. */
function textAt(disk: SimDisk, at: DiskPath): string | null {
  const stat = existsIn(disk, at) ? disk.lstat(at) : null;
  if (stat === null || kindOf(stat) !== 'file') return null;
  const file = disk.openRead(at);
  const bytes = Buffer.alloc(stat.size);
  disk.read(file, bytes, 0, bytes.length, 0);
  disk.close(file);
  return bytes.toString();
}

function existsIn(disk: SimDisk, at: DiskPath): boolean {
  try {
    return disk.lstat(at) !== null;
  } catch (error) {
    if (isFsError(error, 'ENOTDIR')) return false;
    throw error;
  }
}
