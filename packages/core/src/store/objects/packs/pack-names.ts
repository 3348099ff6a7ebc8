/** Names of the files in `objects/pack`, and what they mean. */
import { type DiskPath, withoutSuffix, withSuffix } from '../../../model/names.ts';

/** Prefix of our temporary files: those that are being written or removed. */
export const TEMPORARY_PREFIX = 'tmp_savepoint_';
/** Prefix of a pack that is being removed; the rest of its old name, without `pack-`, follows. */
export const REMOVAL_PREFIX = `${TEMPORARY_PREFIX}gone_`;

/** Files that git may put next to a pack; useless without it. */
export const COMPANION_EXTENSIONS = ['rev', 'bitmap', 'mtimes', 'promisor'] as const;

const PACK_NAME = /^pack-([\w-]+)\.pack$/;
const REMOVAL_NAME = new RegExp(`^${REMOVAL_PREFIX}([\\w-]+)\\.pack$`);

export function isPackName(name: string): boolean {
  return PACK_NAME.test(name);
}

/** Returns the part of a pack's path that its index and other companions share. */
export function stemOf(pack: DiskPath): DiskPath {
  return withoutSuffix(pack, '.pack');
}

export function indexPathOf(pack: DiskPath): DiskPath {
  return withSuffix(stemOf(pack), '.idx');
}

/** Returns the pack that a pack or an index belongs to; null for another file. */
export function packPathOf(file: DiskPath): DiskPath | null {
  if (file.endsWith('.pack')) return file;
  return file.endsWith('.idx') ? withSuffix(withoutSuffix(file, '.idx'), '.pack') : null;
}

/** Returns the name of a pack while it is being removed. */
export function removalName(packName: string): string {
  return packName.replace(/^pack-/, REMOVAL_PREFIX);
}

/** Returns the original name, without extension, of a pack whose removal has begun; otherwise null. */
export function stemBeforeRemoval(name: string): string | null {
  const match = REMOVAL_NAME.exec(name);
  return match === null ? null : `pack-${match[1]}`;
}
