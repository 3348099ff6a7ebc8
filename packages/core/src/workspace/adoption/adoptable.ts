/** A repository whose objects may stand for its working files, as far as that can be told without git. */

import { type AttributeRules, attributeRules } from '../../git/attributes.ts';
import { readGitFile } from '../../git/file.ts';
import type { GitState } from '../../git/repository.ts';
import type { TrackedPaths } from '../../git/tracked.ts';
import { type Fs, isFsError } from '../../io/fs.ts';
import { type DiskPath, diskChild, type TreePath } from '../../model/names.ts';
import type { ForeignPacks } from '../../store/objects/packs/foreign-packs.ts';
import type { EnteredRepository } from '../scan/position.ts';

/** Attributes of a file, and what the paths that it speaks of begin with. */
export interface ScopedAttributeRules extends AttributeRules {
  /** From the repository's folder; ends in `/` unless empty. */
  readonly folder: string;
}

export interface AdoptableRepository {
  readonly packs: ForeignPacks;
  readonly tracked: TrackedPaths;
  /** When the index was written, whole seconds since 1970. */
  readonly writtenSeconds: number;
  /** Folder of the repository. */
  readonly top: DiskPath;
  /** From it to the folder that was entered. */
  readonly inside: TreePath;
  /** Attributes that count everywhere in it. */
  readonly rules: readonly ScopedAttributeRules[];
}

const PACKED_REFS_BYTES = 64 * 1024 * 1024;
/** They change nothing about how bytes of files come into objects. */
const EXTENSIONS: ReadonlySet<string> = new Set([
  'extensions.objectformat',
  'extensions.worktreeconfig',
  'extensions.partialclone',
  'extensions.preciousobjects',
  'extensions.relativeworktrees',
  'extensions.noop',
]);

/**
 * @param disk the folder that was entered
 * @param userAttributes files of attributes that count in every repository
 * @returns null where anything is not as git leaves it by itself
 * @throws FsError, Unusable, SavepointError STORE_DAMAGED when it cannot be made out
 */
export function adoptableRepository(
  fs: Fs,
  disk: DiskPath,
  { state, index, inside }: EnteredRepository,
  userAttributes: readonly DiskPath[],
  packsOf: (objects: DiskPath) => ForeignPacks | null,
): AdoptableRepository | null {
  if ('problem' in state || index.problem !== null || index.writtenMs === null) return null;
  if (!isPlain(state) || hasReplacements(fs, state)) return null;
  const packs = packsOf(diskChild(state.commonDir, 'objects'));
  if (packs === null) return null;
  const attributes = [...userAttributes, diskChild(state.commonDir, 'info/attributes')];
  return {
    packs,
    tracked: index.tracked,
    writtenSeconds: Math.floor(index.writtenMs / 1000),
    top: (inside === '' ? disk : disk.slice(0, -inside.length - 1)) as DiskPath,
    inside,
    rules: attributes.flatMap((file) => {
      const rules = attributeRules(fs, file);
      return rules === null ? [] : [{ ...rules, folder: '' }];
    }),
  };
}

function isPlain({ config, link, objectFormat, problems, bare }: GitState): boolean {
  if (link === 'elsewhere' || objectFormat !== 'sha1' || bare || problems.length > 0) return false;
  // Its files are elsewhere, unless it is a submodule that says where they are.
  if (link === 'inside' && config.has('core.worktree')) return false;
  if (config.has('core.attributesfile')) return false;
  return ![...config.keys()].some((key) => /^(?:include|includeif|attr)\./.test(key) || isUnknownExtension(key));
}

function isUnknownExtension(key: string): boolean {
  return key.startsWith('extensions.') && !EXTENSIONS.has(key);
}

/** `git replace`: files are written from other objects than those that the index names. */
function hasReplacements(fs: Fs, { commonDir }: GitState): boolean {
  try {
    if (fs.list(diskChild(commonDir, 'refs/replace')).length > 0) return true;
  } catch (error) {
    if (!isFsError(error, 'ENOENT', 'ENOTDIR')) throw error;
  }
  const packed = readGitFile(fs, diskChild(commonDir, 'packed-refs'), PACKED_REFS_BYTES);
  return packed?.includes(' refs/replace/') ?? false;
}
