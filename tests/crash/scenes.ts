import {
  type DiskPath,
  type Fs,
  kindOf,
  open,
  permissions,
  type Savepoint,
  SavepointError,
  type TreePath,
} from '@savepoint/core';
import { fakeProcesses, SimDisk, simPorts } from '@savepoint/testkit';

/** What the sweeps do at every call: the verbs that write, on a small folder that has something of every kind. */

export const ROOT = '/w' as DiskPath;
const HOME = '/home' as DiskPath;
const STORES = '/home/workspaces' as DiskPath;

/** By path; kind, permissions and content or target. */
export type Tree = ReadonlyMap<string, string>;

export interface Scene {
  readonly name: string;
  /** Brings a disk with an empty workspace to where the act begins. */
  readonly prepare: (disk: SimDisk) => Promise<void>;
  readonly act: (savepoint: Savepoint) => Promise<{ readonly left: readonly string[] }>;
}

/** A process of its own: earlier ones are dead to it. */
export function engine(fs: Fs, pid: number): Savepoint {
  const ports = simPorts(fs, { processes: fakeProcesses({ pid, startedAt: `${pid}` }), seed: pid });
  const places = { home: HOME, userHome: null, globalIgnore: null };
  return open({ dir: ROOT, ports, places });
}

/** The disk at the moment before the act, everything on it durable. */
export async function prepared(scene: Scene): Promise<SimDisk> {
  const disk = new SimDisk();
  disk.makeFolder(ROOT, 0o755);
  await scene.prepare(disk);
  disk.settle();
  return disk;
}

export const SCENES: readonly Scene[] = [
  { name: 'first checkpoint', prepare: async (disk) => first(disk), act: (sp) => checkpoint(sp) },
  {
    name: 'checkpoint',
    prepare: async (disk) => {
      await history(disk);
      second(disk);
    },
    act: (sp) => checkpoint(sp),
  },
  {
    name: 'restore',
    prepare: async (disk) => {
      await history(disk);
      second(disk);
    },
    act: (sp) => left(sp.restore('cp_1')),
  },
  {
    name: 'restore of a folder that is gone',
    prepare: async (disk) => {
      await history(disk);
      clear(disk, ROOT);
      disk.removeFolder(ROOT);
    },
    act: (sp) => left(sp.restore('cp_1')),
  },
  {
    name: 'undo',
    prepare: async (disk) => {
      await history(disk);
      second(disk);
      await engine(disk, 11).restore('cp_1');
      put(disk, 'since.txt', 'since\n');
    },
    act: (sp) => left(sp.undo()),
  },
  {
    name: 'redo',
    prepare: async (disk) => {
      await history(disk);
      second(disk);
      await engine(disk, 11).restore('cp_1');
      await engine(disk, 12).undo();
    },
    act: (sp) => left(sp.redo()),
  },
  {
    name: 'clean-up',
    prepare: async (disk) => {
      await history(disk);
      second(disk);
      for (let pid = 11; pid < 16; pid++) {
        put(disk, 'a.txt', `${pid}\n`);
        await engine(disk, pid).checkpoint();
      }
    },
    act: async (sp) => {
      await sp.gc({ retention: { maxCheckpoints: 2, keepAtLeast: 2 } });
      return { left: [] };
    },
  },
];

async function checkpoint(savepoint: Savepoint): Promise<{ readonly left: readonly string[] }> {
  const { scan } = await savepoint.checkpoint();
  return { left: scan.partial.map(({ path }) => path) };
}

/** What could not be read when the act looked is left as it was, with the folders that hold it, and is named. */
async function left(
  acting: ReturnType<Savepoint['restore'] | Savepoint['undo']>,
): Promise<{ left: readonly TreePath[] }> {
  const { scan, plan } = await acting;
  return { left: [...scan.partial, ...plan.kept].map(({ path }) => path) };
}

async function history(disk: SimDisk): Promise<void> {
  first(disk);
  await engine(disk, 10).checkpoint();
}

function first(disk: SimDisk): void {
  put(disk, 'a.txt', 'a1\n');
  put(disk, 'mode.sh', '#!/bin/sh\n', 0o755);
  put(disk, 'gone.txt', 'gone\n');
  put(disk, 'was-file', 'file\n');
  put(disk, 'was-folder/in.txt', 'in\n');
  put(disk, 'deep/er/x.txt', 'x\n');
  put(disk, 'closed/secret.txt', 'secret\n', 0o400);
  folder(disk, 'empty');
  disk.makeLink('a.txt', at('link'));
  disk.makeLink('nowhere', at('was-link'));
  disk.chmod(at('closed'), 0o500);
}

function second(disk: SimDisk): void {
  put(disk, 'a.txt', 'a2\n');
  disk.chmod(at('mode.sh'), 0o644);
  disk.unlink(at('gone.txt'));
  disk.unlink(at('was-file'));
  put(disk, 'was-file/now.txt', 'now\n');
  disk.unlink(at('was-folder/in.txt'));
  disk.removeFolder(at('was-folder'));
  put(disk, 'was-folder', 'now a file\n');
  disk.unlink(at('deep/er/x.txt'));
  disk.removeFolder(at('deep/er'));
  disk.removeFolder(at('deep'));
  disk.removeFolder(at('empty'));
  disk.unlink(at('link'));
  disk.makeLink('mode.sh', at('link'));
  disk.unlink(at('was-link'));
  put(disk, 'was-link', 'no link\n');
  put(disk, 'new/n/e/w.txt', 'new\n');
  disk.chmod(at('closed'), 0o700);
  put(disk, 'closed/secret.txt', 'other\n', 0o400);
  disk.chmod(at('closed'), 0o500);
}

function at(path: string): DiskPath {
  return `${ROOT}/${path}` as DiskPath;
}

function folder(disk: SimDisk, path: string): void {
  let made = ROOT as string;
  for (const name of path.split('/')) {
    made = `${made}/${name}`;
    if (disk.lstat(made as DiskPath) === null) disk.makeFolder(made as DiskPath, 0o755);
  }
}

function put(disk: SimDisk, path: string, content: string, mode = 0o644): void {
  const cut = path.lastIndexOf('/');
  if (cut > 0) folder(disk, path.slice(0, cut));
  // Later than what was there, or the stat cache could not tell.
  disk.now += 5_000;
  if (disk.lstat(at(path)) !== null) disk.unlink(at(path));
  const file = disk.openNew(at(path), mode);
  disk.write(file, Buffer.from(content), 0);
  disk.fchmod(file, mode);
  disk.close(file);
}

function clear(disk: SimDisk, path: DiskPath): void {
  for (const name of disk.list(path)) {
    const child = `${path}/${name}` as DiskPath;
    const stat = disk.lstat(child);
    if (stat !== null && kindOf(stat) === 'folder') {
      clear(disk, child);
      disk.removeFolder(child);
    } else disk.unlink(child);
  }
}

/** What stands in the workspace, by a walk with no Savepoint code in it; its staging folders apart. */
export function treeOf(disk: SimDisk): { readonly tree: Tree; readonly staging: readonly string[] } {
  const tree = new Map<string, string>();
  const staging: string[] = [];
  const walk = (path: DiskPath, inside: string): void => {
    for (const name of disk.list(path).sort()) {
      if (inside === '' && name.startsWith('.savepoint-')) {
        staging.push(name);
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
      } else tree.set(inside + name, `file ${mode} ${contentOf(disk, child, stat.size)}`);
    }
  };
  if (disk.lstat(ROOT) !== null) walk(ROOT, '');
  return { tree, staging };
}

function contentOf(disk: SimDisk, path: DiskPath, size: number): string {
  const file = disk.openRead(path);
  const bytes = Buffer.alloc(size);
  disk.read(file, bytes, 0, size, 0);
  disk.close(file);
  return bytes.toString('latin1');
}

export function sameTree(a: Tree, b: Tree, except: readonly string[] = []): boolean {
  return tell(a, except) === tell(b, except);
}

/** For people, and to compare. */
export function tell(tree: Tree, except: readonly string[] = []): string {
  const isOut = (path: string): boolean =>
    except.some((one) => path === one || path.startsWith(`${one}/`) || one.startsWith(`${path}/`));
  return [...tree]
    .filter(([path]) => !isOut(path))
    .map(([path, what]) => `${path}: ${what}`)
    .join('\n');
}

/** Files of journals, and whatever else lies in their folder. */
export function journals(disk: SimDisk): readonly string[] {
  if (disk.lstat(STORES) === null) return [];
  return disk.list(STORES).flatMap((id) => {
    const path = `${STORES}/${id}/journal` as DiskPath;
    return disk.lstat(path) === null ? [] : disk.list(path);
  });
}

/** Throws unless every byte of the store is sound. */
export async function verifyDeep(savepoint: Savepoint): Promise<void> {
  const { damage } = await savepoint.verify({ deep: true });
  if (damage.length !== 0) throw new Error(`damage: ${JSON.stringify(damage)}`);
}

export function codeOf(error: unknown): string {
  if (!(error instanceof SavepointError)) throw error;
  return error.code;
}
