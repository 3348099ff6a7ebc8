import { EMPTY_TREE, type ObjectId } from './ids.ts';

/** The entry of one path in a snapshot. `mode` is the permission bits, 0o0000..0o7777. */
export type Entry = FileEntry | LinkEntry | FolderEntry;

export interface FileEntry {
  readonly kind: 'file';
  readonly id: ObjectId;
  readonly mode: number;
}

/** `id` is a blob with the link's target, byte for byte. */
export interface LinkEntry {
  readonly kind: 'link';
  readonly id: ObjectId;
}

export interface FolderEntry {
  readonly kind: 'folder';
  readonly mode: number;
}

/**
 * Why a path was not captured.
 * - `too-large`: larger than the size limit
 * - `ignored`: an ignore rule covers it, and it is over the size limit for ignored files or in an ignored dependency,
 *   cache or build folder
 * - `dependency-folder`: a dependency or cache folder, recognized by its name or a marker file, without an ignore rule
 * - `special`: a socket, FIFO or device
 * - `mount`: another file system is mounted there and it is not a root
 * - `unreadable`: the system denied read access
 * - `name`: git refuses the name
 * - `repository`: a `.git` entry, which is never captured
 * - `own`: Savepoint's staging folder
 * - `excluded`: excluded by the configuration
 * - `purged`: it was captured, and purged later
 * - `private`: it was captured on the machine that took the checkpoint, but did not leave that machine
 */
export type SkipReason = (typeof SKIP_REASONS)[number];

export const SKIP_REASONS = [
  'too-large',
  'ignored',
  'dependency-folder',
  'special',
  'mount',
  'unreadable',
  'name',
  'repository',
  'own',
  'excluded',
  'purged',
  'private',
] as const;

const REASONS: ReadonlySet<unknown> = new Set(SKIP_REASONS);

export function isSkipReason(value: unknown): value is SkipReason {
  return REASONS.has(value);
}

export interface Skip {
  readonly reason: SkipReason;
  /** In bytes, if known. */
  readonly size?: number;
  /** Of a file over a size limit: its modification time, whole milliseconds since 1970. Early versions lack it. */
  readonly modified?: number;
  /** For `unreadable`: the system's error code. */
  readonly code?: string;
}

/** A state of all files: two trees of the same shape. */
export interface Snapshot {
  /** The workspace's files. */
  readonly files: ObjectId;
  /** What a git tree cannot express about them (docs/format.md, "side"). */
  readonly side: ObjectId;
}

/** A state without files. */
export const EMPTY_SNAPSHOT: Snapshot = { files: EMPTY_TREE, side: EMPTY_TREE };

export function sameSnapshot(a: Snapshot, b: Snapshot): boolean {
  return a.files === b.files && a.side === b.side;
}

export function sameEntry(a: Entry | null, b: Entry | null): boolean {
  if (a === null || b === null) return a === b;
  if (a.kind === 'link') return b.kind === 'link' && a.id === b.id;
  if (a.kind === 'folder') return b.kind === 'folder' && a.mode === b.mode;
  return b.kind === 'file' && a.id === b.id && a.mode === b.mode;
}

/** An entry in the API's format: permissions as four octal digits. */
export type ShownEntry =
  | { kind: 'file'; mode: string; id: string }
  | { kind: 'link'; id: string }
  | { kind: 'folder'; mode: string };

export function shownEntry(entry: Entry | null): ShownEntry | null {
  if (entry === null) return null;
  if (entry.kind === 'link') return { kind: 'link', id: entry.id };
  const mode = entry.mode.toString(8).padStart(4, '0');
  return entry.kind === 'folder' ? { kind: 'folder', mode } : { kind: 'file', mode, id: entry.id };
}
