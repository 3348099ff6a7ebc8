/** Limits for importing a bundle. They are enforced before anything is written. Sizes are in bytes. */

export interface BundleLimits {
  /** The size of the bundle file. */
  readonly fileBytes: number;
  readonly objects: number;
  /** One object, inflated. */
  readonly objectBytes: number;
  /** One tree, commit or record, inflated. */
  readonly recordBytes: number;
  /** All objects together, inflated. */
  readonly allBytes: number;
  /** All deltified objects together, inflated. Reading one again means applying its whole delta chain. */
  readonly deltaBytes: number;
  readonly deltaDepth: number;
  readonly checkpoints: number;
  /** The nesting depth of folders. */
  readonly treeDepth: number;
  readonly pathBytes: number;
  /** Paths in one checkpoint. A tree that occurs several times counts every time. */
  readonly paths: number;
  /** Contents of one checkpoint, as written to disk. */
  readonly expandedBytes: number;
}

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;

export const BUNDLE_LIMITS: BundleLimits = {
  fileBytes: 16 * GIB,
  objects: 2_000_000,
  objectBytes: 512 * MIB,
  recordBytes: 32 * MIB,
  allBytes: 32 * GIB,
  deltaBytes: 2 * GIB,
  deltaDepth: 50,
  checkpoints: 100_000,
  treeDepth: 512,
  pathBytes: 4096,
  paths: 2_000_000,
  expandedBytes: 64 * GIB,
};
