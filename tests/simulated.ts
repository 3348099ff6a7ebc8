import { type DiskPath, type OpenOptions, open, type Savepoint, SavepointError } from '@savepoint/core';
import { type Fs, kindOf, type Ports, permissions } from '@savepoint/core/ports';
import { fakeProcesses, type SimDisk, simPorts } from '@savepoint/testkit';

/** A workspace on the simulated disk, read without code of the engine. */

export const ROOT = '/w' as DiskPath;
const HOME = '/home' as DiskPath;
const STORES = '/home/workspaces' as DiskPath;

/** By path: kind, permissions, and content or target. */
export type Tree = ReadonlyMap<string, string>;

/** Opens the library as a new process. Earlier processes are dead for it. */
export function engine(
  fs: Fs,
  pid: number,
  replace: Partial<Ports> = {},
  options: Pick<OpenOptions, 'backups'> = {},
): Savepoint {
  const processes = fakeProcesses({ pid, startedAt: `${pid}` });
  const ports = simPorts(fs, { processes, seed: pid, ...replace });
  const places = { home: HOME, userHome: null, globalIgnore: null, gitAttributes: () => [] };
  return open({ dir: ROOT, ports, places, ...options });
}

/** What the workspace contains, by a walk without any Savepoint code; staging folders are listed separately. */
export function treeOf(disk: SimDisk, folder = ROOT): { readonly tree: Tree; readonly staging: readonly string[] } {
  const tree = new Map<string, string>();
  const staging: string[] = [];
  const walk = (path: DiskPath, inside: string): void => {
    for (const name of disk.list(path).sort()) {
      if (name.startsWith('.savepoint-')) {
        staging.push(inside + name);
        continue;
      }
      const child = `${path}/${name}` as DiskPath;
      const stat = disk.lstat(child);
      if (stat === null) continue;
      const kind = kindOf(stat);
      const mode = permissions(stat).toString(8);
      if (kind === 'link') tree.set(inside + name, `link ${disk.readLink(child)}`);
      else if (kind === 'folder') {
        tree.set(inside + name, `folder ${mode}`);
        walk(child, `${inside}${name}/`);
      } else tree.set(inside + name, `file ${mode} ${bytesOf(disk, child).toString('latin1')}`);
    }
  };
  const top = disk.lstat(folder);
  if (top !== null) {
    tree.set('', `folder ${permissions(top).toString(8)}`);
    walk(folder, '');
  }
  return { tree, staging };
}

export function bytesOf(disk: Fs, path: DiskPath): Buffer {
  const file = disk.openRead(path);
  const bytes = Buffer.alloc(disk.fstat(file).size);
  disk.read(file, bytes, 0, bytes.length, 0);
  disk.close(file);
  return bytes;
}

/** Removes everything in a folder. */
export function clear(disk: Fs, path: DiskPath): void {
  for (const name of disk.list(path)) {
    const child = `${path}/${name}` as DiskPath;
    const stat = disk.lstat(child);
    if (stat !== null && kindOf(stat) === 'folder') {
      clear(disk, child);
      disk.removeFolder(child);
    } else disk.unlink(child);
  }
}

/** Writes a file, or replaces one. */
export function put(disk: Fs, path: string, content: string | Uint8Array, mode = 0o644): void {
  const at = path as DiskPath;
  if (disk.lstat(at) !== null) disk.unlink(at);
  const file = disk.openNew(at, mode);
  disk.write(file, Buffer.from(content), 0);
  disk.close(file);
}

export function sameTree(a: Tree, b: Tree, except: readonly string[] = []): boolean {
  return tell(a, except) === tell(b, except);
}

/** The tree as text, for people and for comparison. */
export function tell(tree: Tree, except: readonly string[] = []): string {
  const isOut = (path: string): boolean =>
    except.some((one) => path === one || path.startsWith(`${one}/`) || one.startsWith(`${path}/`));
  return [...tree]
    .filter(([path]) => !isOut(path))
    .map(([path, what]) => `${path}: ${what}`)
    .join('\n');
}

/** Journal files, and anything else in their folder. */
export function journals(disk: SimDisk): readonly string[] {
  if (disk.lstat(STORES) === null) return [];
  return disk.list(STORES).flatMap((id) => {
    const path = `${STORES}/${id}/journal` as DiskPath;
    return disk.lstat(path) === null ? [] : disk.list(path);
  });
}

/** Throws unless every byte of the store is valid. */
export async function verifyDeep(savepoint: Savepoint): Promise<void> {
  const { damage } = await savepoint.verify({ deep: true });
  if (damage.length !== 0) throw new Error(`damage: ${JSON.stringify(damage)}`);
}

export function codeOf(error: unknown): string {
  if (!(error instanceof SavepointError)) throw error;
  return error.code;
}
