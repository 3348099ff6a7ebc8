import type { DiskPath, Edit, FileRequest, Savepoint, TreePath } from '@savepoint/core';
import { SimDisk } from '@savepoint/testkit';
import { clear, engine, ROOT } from '../simulated.ts';
import { putPackedRepository } from './packed-repository.ts';

/**
 * The operations that the sweeps test at every call: the verbs that write, on a small folder with something of every
 * kind.
 */

export interface Scene {
  readonly name: string;
  /** Files and folders are flushed with one call for the whole file system. */
  readonly isSyncedWhole?: boolean;
  /** Brings a disk with an empty workspace into the state in which the operation starts. */
  readonly prepare: (disk: SimDisk) => Promise<void>;
  readonly action: (savepoint: Savepoint) => Promise<{ readonly left: readonly string[] }>;
}

/** The disk just before the operation, with everything on it durable. */
export async function prepared(scene: Scene): Promise<SimDisk> {
  const disk = new SimDisk(scene.isSyncedWhole === true ? { wholeSyncFrom: 1 } : {});
  disk.makeFolder(ROOT, 0o755);
  await scene.prepare(disk);
  disk.makeDurable();
  return disk;
}

export const TAKING_OVER = 'first checkpoint, taking over';
export const LINKING = 'first checkpoint, linking a pack';

/** What a person made of a conflict. */
const MERGED = new Map([['a.txt' as TreePath, { content: Buffer.from('merged by a person\n') }]]);

export const SCENES: readonly Scene[] = [
  {
    name: 'restore',
    prepare: async (disk) => {
      await history(disk);
      second(disk);
    },
    action: (sp) => left(sp.restore('cp_1')),
  },
  {
    name: 'restore, flushed with one call',
    isSyncedWhole: true,
    prepare: async (disk) => {
      await history(disk);
      second(disk);
    },
    action: (sp) => left(sp.restore('cp_1')),
  },
  {
    name: 'restore of a folder that is gone',
    prepare: async (disk) => {
      await history(disk);
      clear(disk, ROOT);
      disk.removeFolder(ROOT);
    },
    action: (sp) => left(sp.restore('cp_1')),
  },
  {
    name: 'restore of three roots on two disks',
    prepare: async (disk) => {
      await severalRoots(disk);
      severalChanged(disk);
    },
    action: (sp) => left(sp.restore('cp_1')),
  },
  {
    name: 'permissions of a file with two names',
    prepare: async (disk) => {
      put(disk, 'a', 'content\n', 0o600);
      await engine(disk, 10).checkpoint();
      disk.chmod(at('a'), 0o644);
      disk.hardLink(at('a'), at('b'));
    },
    action: (sp) => left(sp.restore('cp_1', { paths: ['a' as TreePath] })),
  },
  {
    name: 'undo',
    prepare: async (disk) => {
      await history(disk);
      second(disk);
      await engine(disk, 11).restore('cp_1');
      put(disk, 'since.txt', 'since\n');
    },
    action: (sp) => left(sp.undo()),
  },
  {
    name: 'undo with a resolution',
    prepare: async (disk) => {
      await history(disk);
      second(disk);
      await engine(disk, 11).restore('cp_1');
      put(disk, 'a.txt', 'of a person\n');
    },
    action: (sp) => left(sp.undo({ resolutions: MERGED })),
  },
  {
    name: 'restore with a resolution',
    prepare: async (disk) => {
      await history(disk);
      const session = engine(disk, 11).session({ agent: 'mine', id: 's' });
      await session.call({ tool: 'Bash', kind: 'shell', id: 'c' }, () => second(disk));
      put(disk, 'a.txt', 'of a person\n');
    },
    action: (sp) => left(sp.restore('cp_1', { mode: 'keep-outside', resolutions: MERGED })),
  },
  {
    name: 'redo with a resolution',
    prepare: async (disk) => {
      await history(disk);
      second(disk);
      await engine(disk, 11).restore('cp_1');
      await engine(disk, 12).undo();
      put(disk, 'a.txt', 'of a person\n');
    },
    action: (sp) => left(sp.redo({ resolutions: MERGED })),
  },
  {
    name: 'rollback with a resolution',
    prepare: async (disk) => {
      await history(disk);
      const session = engine(disk, 11).session({ agent: 'mine', id: 's' });
      await session.call({ tool: 'Bash', kind: 'shell', id: 'c' }, () => second(disk));
      put(disk, 'a.txt', 'of a person\n');
    },
    action: (sp) => left(sp.rollback({ session: 's' }, { least: 'likely', resolutions: MERGED })),
  },
  {
    name: 'redo',
    prepare: async (disk) => {
      await history(disk);
      second(disk);
      await engine(disk, 11).restore('cp_1');
      await engine(disk, 12).undo();
    },
    action: (sp) => left(sp.redo()),
  },
  {
    name: 'rollback',
    prepare: async (disk) => {
      await history(disk);
      const session = engine(disk, 11).session({ agent: 'mine', id: 's' });
      await session.call({ tool: 'Bash', kind: 'shell', id: 'c' }, () => second(disk));
      put(disk, 'a.txt', 'a2\nof a person\n');
      put(disk, 'new/n/mine.txt', 'of a person\n');
    },
    action: async (sp) => {
      const { scan, plan } = await sp.rollback({ session: 's' }, { skipConflicts: true });
      return { left: [...scan.partial, ...plan.kept].map(({ path }) => path) };
    },
  },
  { name: 'edit of 2 files', prepare: async (disk) => some(disk, 2), action: (sp) => editAll(sp, 2) },
  { name: 'edit of 20 files', prepare: async (disk) => some(disk, 20), action: (sp) => editAll(sp, 20) },
  { name: 'first checkpoint', prepare: async (disk) => first(disk), action: (sp) => checkpoint(sp) },
  { name: TAKING_OVER, prepare: async (disk) => packedRepository(disk), action: (sp) => checkpoint(sp) },
  { name: LINKING, prepare: async (disk) => packedRepository(disk, true), action: (sp) => checkpoint(sp) },
  {
    name: 'a linked pack is replaced',
    prepare: async (disk) => {
      packedRepository(disk, true);
      await engine(disk, 11).checkpoint();
      clear(disk, at('.git'));
      await engine(disk, 12).checkpoint();
    },
    action: async (sp) => {
      await sp.tidyUp();
      return { left: [] };
    },
  },
  {
    name: 'checkpoint',
    prepare: async (disk) => {
      await history(disk);
      second(disk);
    },
    action: (sp) => checkpoint(sp),
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
    action: async (sp) => {
      await sp.gc({ retention: { maxCheckpoints: 2, keepAtLeast: 2 } });
      return { left: [] };
    },
  },
  {
    name: 'purge',
    prepare: async (disk) => {
      await history(disk);
      second(disk);
      await some(disk, 2);
      await editAll(engine(disk, 11), 2);
      await engine(disk, 12).pin('cp_1');
    },
    action: async (sp) => {
      await sp.purge(PURGED);
      return { left: [] };
    },
  },
];

/** Files that edits replaced, so that there are backups. */
export const PURGED = ['closed', 'stays/in', 'src/d0'] as readonly string[] as readonly TreePath[];

async function some(disk: SimDisk, count: number): Promise<void> {
  for (let index = 0; index < count; index++) put(disk, `src/d${index % 3}/f${index}.txt`, `line\n${index}\n`);
  await engine(disk, 10).checkpoint();
  // Later changes are also saved before the edit.
  put(disk, 'src/d0/f0.txt', 'line\n0\nof a person\n');
}

/** Of every four files, one is created, one removed and one moved; the other is changed. */
async function editAll(savepoint: Savepoint, count: number): Promise<{ readonly left: readonly string[] }> {
  const files: FileRequest[] = Array.from({ length: count }, (_, index) => {
    const made = `made/here/g${index}.txt` as TreePath;
    const path = index % 4 === 1 ? made : (`src/d${index % 3}/f${index}.txt` as TreePath);
    return { given: path, path, edits: [editOf(index)], expectedHash: null, force: false };
  });
  const { scan } = await savepoint.edit(files);
  return { left: scan.partial.map(({ path }) => path) };
}

function editOf(index: number): Edit {
  switch (index % 4) {
    case 1:
      return { op: 'create', content: `made ${index}\n`, mode: null };
    case 2:
      return { op: 'delete' };
    case 3:
      return { op: 'rename', to: `moved/f${index}.txt` as TreePath };
    default:
      return { op: 'replace', old: 'line', new: 'edited', replaceAll: false, tolerant: false };
  }
}

async function checkpoint(savepoint: Savepoint): Promise<{ readonly left: readonly string[] }> {
  const { scan } = await savepoint.checkpoint();
  return { left: scan.partial.map(({ path }) => path) };
}

/** What the operation could not read is left unchanged, with the folders that contain it, and is reported. */
async function left(
  running: ReturnType<Savepoint['restore'] | Savepoint['undo'] | Savepoint['rollback']>,
): Promise<{ left: readonly TreePath[] }> {
  const { scan, plan } = await running;
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
  put(disk, 'stays/same.txt', 'same\n');
  put(disk, 'stays/in/changed.txt', 'one\n');
  put(disk, 'stays/in/gone.txt', 'gone\n');
  folder(disk, 'empty');
  disk.makeLink('a.txt', at('link'));
  disk.makeLink('nowhere', at('was-link'));
  disk.makeLink('deep', at('was-link-too'));
  put(disk, 'was-folder-too/in/deep.txt', 'deep\n');
  disk.chmod(at('closed'), 0o500);
  disk.chmod(ROOT, 0o750);
}

/** The workspace itself, a repository in it, and another one that is its own file system. */
export async function severalRoots(disk: SimDisk): Promise<void> {
  put(disk, 'notes.txt', 'n1\n');
  repository(disk, 'app');
  put(disk, 'app/src/a.txt', 'a1\n');
  put(disk, 'app/src/gone.txt', 'gone\n');
  folder(disk, 'data');
  disk.mountAt(at('data'));
  repository(disk, 'data');
  put(disk, 'data/b.txt', 'b1\n');
  put(disk, 'data/deep/er/c.txt', 'c1\n');
  put(disk, 'data/was-folder/in.txt', 'in\n');
  put(disk, 'data/was-file', 'file\n');
  disk.chmod(at('data'), 0o700);
  await engine(disk, 10).checkpoint();
}

export function severalChanged(disk: SimDisk): void {
  put(disk, 'notes.txt', 'n2\n');
  put(disk, 'app/src/a.txt', 'a2\n');
  disk.unlink(at('app/src/gone.txt'));
  put(disk, 'app/new/x.txt', 'new\n');
  put(disk, 'data/b.txt', 'b2\n');
  put(disk, 'data/new.txt', 'new\n');
  disk.unlink(at('data/deep/er/c.txt'));
  disk.removeFolder(at('data/deep/er'));
  clear(disk, at('data/was-folder'));
  disk.removeFolder(at('data/was-folder'));
  put(disk, 'data/was-folder', 'now a file\n');
  disk.unlink(at('data/was-file'));
  put(disk, 'data/was-file/in.txt', 'now a folder\n');
  disk.chmod(at('data'), 0o755);
}

/** Creates what git recognises as a repository. */
function repository(disk: SimDisk, path: string): void {
  put(disk, `${path}/.git/HEAD`, 'ref: refs/heads/main\n');
  folder(disk, `${path}/.git/objects`);
  folder(disk, `${path}/.git/refs`);
}

function packedRepository(disk: SimDisk, hasHistory = false): void {
  putPackedRepository(disk, ROOT, (path, content, mode) => put(disk, path, content, mode), hasHistory);
}

function second(disk: SimDisk): void {
  disk.chmod(ROOT, 0o711);
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
  disk.unlink(at('was-link-too'));
  put(disk, 'was-link-too/in/deep.txt', 'deep\n');
  clear(disk, at('was-folder-too'));
  disk.removeFolder(at('was-folder-too'));
  disk.makeLink('a.txt', at('was-folder-too'));
  put(disk, 'new/n/e/w.txt', 'new\n');
  put(disk, 'stays/in/changed.txt', 'two\n');
  disk.unlink(at('stays/in/gone.txt'));
  put(disk, 'stays/new.txt', 'new\n');
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

function put(disk: SimDisk, path: string, content: string | Buffer, mode = 0o644): void {
  const cut = path.lastIndexOf('/');
  if (cut > 0) folder(disk, path.slice(0, cut));
  // Later than the existing file; otherwise the stat cache could not notice the change.
  disk.now += 5_000;
  if (disk.lstat(at(path)) !== null) disk.unlink(at(path));
  const file = disk.openNew(at(path), mode);
  disk.write(file, Buffer.from(content), 0);
  disk.fchmod(file, mode);
  disk.close(file);
}
