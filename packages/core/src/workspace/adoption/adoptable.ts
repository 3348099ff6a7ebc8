/** Checks, without git, whether a repository's objects may be used instead of reading its working files. */

import { type AttributeRules, attributeRules } from '../../git/attributes.ts';
import { readGitFile } from '../../git/file.ts';
import type { GitState } from '../../git/repository.ts';
import type { TrackedPaths } from '../../git/tracked.ts';
import { type Fs, isFsError } from '../../io/fs.ts';
import { type DiskPath, diskChild, type TreePath } from '../../model/names.ts';
import type { ForeignPacks } from '../../store/objects/packs/foreign-packs.ts';
import type { EnteredRepository } from '../scan/position.ts';

/** The rules of an attribute file, and the folder that they apply to. */
export interface ScopedAttributeRules extends AttributeRules {
  /** Relative to the repository's folder. Ends in `/` unless empty. */
  readonly folder: string;
}

export interface AdoptableRepository {
  readonly packs: ForeignPacks;
  readonly tracked: TrackedPaths;
  /** Modification time of the index, whole seconds since 1970. */
  readonly writtenSeconds: number;
  /** The repository's folder. */
  readonly top: DiskPath;
  /** Path from `top` to the folder that was entered. */
  readonly inside: TreePath;
  /** Attributes that apply everywhere in the repository. */
  readonly rules: readonly ScopedAttributeRules[];
}

const PACKED_REFS_BYTES = 64 * 1024 * 1024;
/** Extensions that do not affect how file contents are stored as objects. */
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
 * @param userAttributes attribute files that apply to every repository
 * @returns null if the repository deviates from a plain one (A4)
 * @throws FsError, UnusableGitFile, SavepointError STORE_DAMAGED if it cannot be read
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
  // The files are elsewhere, unless this is a submodule, which names its own folder.
  if (link === 'inside' && config.has('core.worktree')) return false;
  if (config.has('core.attributesfile')) return false;
  return ![...config.keys()].some((key) => /^(?:include|includeif|attr)\./.test(key) || isUnknownExtension(key));
}

function isUnknownExtension(key: string): boolean {
  return key.startsWith('extensions.') && !EXTENSIONS.has(key);
}

/** `git replace`: files are checked out from other objects than the index names. */
function hasReplacements(fs: Fs, { commonDir }: GitState): boolean {
  try {
    if (fs.list(diskChild(commonDir, 'refs/replace')).length > 0) return true;
  } catch (error) {
    if (!isFsError(error, 'ENOENT', 'ENOTDIR')) throw error;
  }
  const packed = readGitFile(fs, diskChild(commonDir, 'packed-refs'), PACKED_REFS_BYTES);
  return packed?.includes(' refs/replace/') ?? false;
}
