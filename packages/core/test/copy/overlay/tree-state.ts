import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/** Every path below the folder, with its content and what stat tells, except the time of the last access. */
export function treeState(folder: string): Readonly<Record<string, string>> {
  const state: Record<string, string> = {};
  const walk = (path: string): void => {
    const stat = lstatSync(join(folder, path), { bigint: true });
    const kind = stat.isDirectory() ? 'folder' : stat.isSymbolicLink() ? 'link' : stat.isFile() ? 'file' : 'special';
    const content =
      kind === 'file'
        ? createHash('sha256')
            .update(readFileSync(join(folder, path)))
            .digest('hex')
        : kind === 'link'
          ? readlinkSync(join(folder, path))
          : '';
    const { mode, ino, mtimeNs, ctimeNs, nlink, uid, gid } = stat;
    state[path] = [kind, content, mode, ino, mtimeNs, ctimeNs, nlink, uid, gid].join(' ');
    if (kind === 'folder') for (const name of readdirSync(join(folder, path))) walk(join(path, name));
  };
  walk('.');
  return state;
}
