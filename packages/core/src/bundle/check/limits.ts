/** What an import accepts at most. Everything is counted before anything is written. Bytes where nothing else is said. */

export interface BundleLimits {
  /** Of the bundle itself. */
  readonly fileBytes: number;
  readonly objects: number;
  /** Of one object, inflated. */
  readonly objectBytes: number;
  /** Of one tree, one commit or one story, inflated. */
  readonly recordBytes: number;
  /** Of all objects, inflated. */
  readonly allBytes: number;
  /** Of all objects that are stored as deltas, inflated: each is read again, down to what it stands on. */
  readonly deltaBytes: number;
  readonly deltaDepth: number;
  readonly checkpoints: number;
  /** Folders below folders. */
  readonly treeDepth: number;
  readonly pathBytes: number;
  /** Paths of one checkpoint, every one counted, however few trees they are made of. */
  readonly paths: number;
  /** Contents of one checkpoint, as it would lie on a disk. */
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
