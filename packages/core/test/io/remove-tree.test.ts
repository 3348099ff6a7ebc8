import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { manifest, SimDisk, seededTree, world } from '@savepoint/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { nodeFs } from '../../src/io/node/fs.ts';
import { removeTree } from '../../src/io/remove-tree.ts';
import type { DiskPath } from '../../src/model/names.ts';

test('removes everything below, whatever its name, and follows no link', () => {
  const { workspace, folder } = world(onTestFinished);
  mkdirSync(`${folder}/outside`);
  writeFileSync(`${folder}/outside/precious`, 'precious');
  const own = `${workspace}/own` as DiskPath;
  mkdirSync(own);
  seededTree(own, 1, { git: false });
  symlinkSync(`${folder}/outside`, `${own}/to-outside`);
  symlinkSync('../../../outside/precious', `${own}/names/to-precious`);
  removeTree(nodeFs, own);
  expect(manifest(workspace)).toEqual({});
  expect(Object.keys(manifest(`${folder}/outside`))).toEqual(['precious']);
});

test('removes the contents of unreadable folders', () => {
  const { workspace } = world(onTestFinished);
  const own = `${workspace}/own` as DiskPath;
  mkdirSync(`${own}/locked/inner`, { recursive: true });
  writeFileSync(`${own}/locked/inner/file`, '');
  chmodSync(`${own}/locked/inner`, 0o000);
  chmodSync(`${own}/locked`, 0o500);
  removeTree(nodeFs, own);
  expect(manifest(workspace)).toEqual({});
});

test('makes a folder private before it lists it', () => {
  const disk = new SimDisk();
  for (const path of ['/own', '/own/locked'] as DiskPath[]) disk.makeFolder(path, 0o755);
  disk.chmod('/own/locked' as DiskPath, 0o000);
  const modes: (number | undefined)[] = [];
  const { list } = disk;
  disk.list = (path) => {
    // The path may go through a handle, which is itself a link.
    modes.push(disk.lstat(`${path}/.` as DiskPath)?.mode);
    return list.call(disk, path);
  };
  removeTree(disk, '/own' as DiskPath);
  expect(modes).toEqual([0o040755, 0o040700]);
});

test('removes a link itself, a single file, and accepts a missing path', () => {
  const { workspace } = world(onTestFinished);
  mkdirSync(`${workspace}/folder`);
  writeFileSync(`${workspace}/folder/file`, '');
  symlinkSync('folder', `${workspace}/link`);
  removeTree(nodeFs, `${workspace}/link` as DiskPath);
  removeTree(nodeFs, `${workspace}/nothing` as DiskPath);
  expect(Object.keys(manifest(workspace))).toEqual(['folder', 'folder/file']);
  removeTree(nodeFs, `${workspace}/folder/file` as DiskPath);
  expect(Object.keys(manifest(workspace))).toEqual(['folder']);
});

test('stops at another file system, whose permissions stay unchanged', () => {
  const disk = new SimDisk();
  const mount = '/own/mount' as DiskPath;
  disk.makeFolder('/own' as DiskPath, 0o755);
  disk.makeFolder(mount, 0o555);
  disk.mountAt(mount);
  disk.close(disk.openNew(`${mount}/precious` as DiskPath, 0o644));
  expect(() => removeTree(disk, '/own' as DiskPath)).toThrow('EXDEV: removeFolder /own/mount');
  expect(disk.list(mount)).toEqual(['precious']);
  expect(disk.lstat(mount)?.mode).toBe(0o040555);
});

test('stops at another file system that is mounted after the folder was examined', () => {
  const disk = new SimDisk();
  const mount = '/own/mount' as DiskPath;
  for (const path of ['/own' as DiskPath, mount]) disk.makeFolder(path, 0o755);
  const { openFolder } = disk;
  disk.openFolder = (path) => {
    if (path.endsWith('/mount')) {
      disk.mountAt(mount);
      disk.close(disk.openNew(`${mount}/precious` as DiskPath, 0o644));
    }
    return openFolder.call(disk, path);
  };
  expect(() => removeTree(disk, '/own' as DiskPath)).toThrow('EXDEV: removeFolder /own/mount');
  expect(disk.list(mount)).toEqual(['precious']);
});

test('follows no link that replaces a folder meanwhile', () => {
  const disk = new SimDisk();
  for (const path of ['/outside', '/own', '/own/a'] as DiskPath[]) disk.makeFolder(path, 0o755);
  disk.close(disk.openNew('/outside/f' as DiskPath, 0o644));
  disk.close(disk.openNew('/own/a/f' as DiskPath, 0o644));
  disk.onCall = ({ operation }) => {
    if (operation !== 'unlink') return;
    disk.onCall = null;
    disk.rename('/own/a' as DiskPath, '/own/moved' as DiskPath);
    disk.makeLink('/outside', '/own/a' as DiskPath);
  };
  expect(() => removeTree(disk, '/own' as DiskPath)).toThrow('ENOTDIR: removeFolder /own/a');
  expect(disk.list('/outside' as DiskPath)).toEqual(['f']);
  expect(disk.list('/own/moved' as DiskPath)).toEqual([]);
});
