import * as fs from 'node:fs';
import type { DiskPath } from '@savepoint/core';
import type { Fd } from '@savepoint/core/ports';
import type { SimDisk } from '@savepoint/testkit';
import { ROOT, type Tree, treeOf } from '../simulated.ts';
import type { Hands } from './tree.ts';

/** User actions on the simulated disk, including the handles that editors keep open. */
export function simulatedHands(disk: SimDisk): Hands {
  const at = (path: string): DiskPath => `${ROOT}/${path}` as DiskPath;
  const open = new Map<number, Fd>();
  const inodeOf = (path: string): number => disk.lstat(at(path))?.ino ?? -1;
  const create = (path: string, content: string, mode: number): void => {
    const file = disk.openNew(at(path), mode);
    disk.write(file, Buffer.from(content, 'latin1'), 0);
    disk.fchmod(file, mode);
    open.set(inodeOf(path), file);
  };
  return {
    create,
    overwrite: (path, content) => {
      const file = open.get(inodeOf(path));
      const stat = disk.lstat(at(path));
      const isShorter = stat !== null && stat.size > content.length;
      if (file !== undefined && !isShorter) return disk.write(file, Buffer.from(content, 'latin1'), 0);
      disk.unlink(at(path));
      create(path, content, stat === null ? 0o644 : stat.mode & 0o7777);
    },
    folder: (path, mode) => {
      disk.makeFolder(at(path), mode);
      disk.chmod(at(path), mode);
    },
    link: (path, target) => disk.makeLink(target, at(path)),
    chmod: (path, mode) => disk.chmod(at(path), mode),
    rename: (from, to) => disk.rename(at(from), at(to)),
    unlink: (path) => disk.unlink(at(path)),
    removeFolder: (path) => disk.removeFolder(at(path)),
    pass: (ms) => {
      disk.now += ms;
    },
    walk: () => treeOf(disk).tree,
  };
}

/** User actions on the real disk: node's own calls, with names as bytes. @param root text */
export function realHands(root: string): Hands {
  const at = (path: string): Buffer => Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path, 'latin1')]);
  const create = (path: string, content: string, mode: number): void => {
    fs.writeFileSync(at(path), Buffer.from(content, 'latin1'), { flag: 'wx' });
    fs.chmodSync(at(path), mode);
  };
  return {
    create,
    overwrite: (path, content) => {
      const mode = fs.statSync(at(path)).mode & 0o7777;
      if ((mode & 0o200) === 0) fs.chmodSync(at(path), mode | 0o200);
      fs.writeFileSync(at(path), Buffer.from(content, 'latin1'));
      if ((mode & 0o200) === 0) fs.chmodSync(at(path), mode);
    },
    folder: (path, mode) => {
      fs.mkdirSync(at(path));
      fs.chmodSync(at(path), mode);
    },
    link: (path, target) => fs.symlinkSync(Buffer.from(target, 'latin1'), at(path)),
    chmod: (path, mode) => fs.chmodSync(at(path), mode),
    rename: (from, to) => fs.renameSync(at(from), at(to)),
    unlink: (path) => fs.unlinkSync(at(path)),
    removeFolder: (path) => fs.rmdirSync(at(path)),
    pass: () => {},
    walk: () => walkReal(root),
  };
}

function walkReal(root: string): Tree {
  const tree = new Map<string, string>();
  const walk = (folder: Buffer, inside: string): void => {
    for (const name of fs.readdirSync(folder, { encoding: 'buffer' })) {
      const path = inside + name.toString('latin1');
      const full = Buffer.concat([folder, Buffer.from('/'), name]);
      const stat = fs.lstatSync(full);
      const mode = (stat.mode & 0o7777).toString(8);
      if (stat.isSymbolicLink()) tree.set(path, `link ${fs.readlinkSync(full, 'latin1')}`);
      else if (stat.isDirectory()) {
        tree.set(path, `folder ${mode}`);
        walk(full, `${path}/`);
      } else tree.set(path, `file ${mode} ${fs.readFileSync(full, 'latin1')}`);
    }
  };
  tree.set('', `folder ${(fs.lstatSync(root).mode & 0o7777).toString(8)}`);
  walk(Buffer.from(root), '');
  return tree;
}
