/** How the files of `objects/pack` are called, and what their names say. */
import { type DiskPath, withoutSuffix, withSuffix } from '../../../model/names.ts';

/** Begins the names of our files that do not count: being written, or being removed. */
export const TEMPORARY_PREFIX = 'tmp_savepoint_';
/** A pack on its way out; the rest of its old name, without `pack-`, follows. */
export const REMOVAL_PREFIX = `${TEMPORARY_PREFIX}gone_`;

/** What git may put beside a pack; useless without it. */
export const COMPANION_EXTENSIONS = ['rev', 'bitmap', 'mtimes', 'promisor'] as const;

const PACK_NAME = /^pack-([\w-]+)\.pack$/;
const REMOVAL_NAME = new RegExp(`^${REMOVAL_PREFIX}([\\w-]+)\\.pack$`);

export function isPackName(name: string): boolean {
  return PACK_NAME.test(name);
}

/** The part of a pack's path that its index and other companions share. */
export function stemOf(pack: DiskPath): DiskPath {
  return withoutSuffix(pack, '.pack');
}

export function indexPathOf(pack: DiskPath): DiskPath {
  return withSuffix(stemOf(pack), '.idx');
}

/** What a pack is called while it is removed. */
export function removalName(packName: string): string {
  return packName.replace(/^pack-/, REMOVAL_PREFIX);
}

/** The name without extension of the pack that a file was before its removal began, or null. */
export function stemBeforeRemoval(name: string): string | null {
  const match = REMOVAL_NAME.exec(name);
  return match === null ? null : `pack-${match[1]}`;
}
