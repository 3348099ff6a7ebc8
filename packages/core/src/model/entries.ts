import type { ObjectId } from './ids.ts';

/** What a snapshot says about one path. Modes are the permission bits, 0o0000..0o7777. */
export type Entry = FileEntry | LinkEntry | FolderEntry;

export interface FileEntry {
  readonly kind: 'file';
  readonly id: ObjectId;
  readonly mode: number;
}

/** `id` is a blob that holds the link's target, byte for byte. */
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
 * - `too-large`: over the size cap
 * - `ignored`: an ignore rule covers it and it is over the cap for ignored files, or lies in an ignored
 *   dependency, cache or build folder
 * - `dependency-folder`: a dependency or cache folder by its name or mark, no ignore rule needed
 * - `special`: socket, FIFO, device
 * - `mount`: another file system is mounted there and it is not a root
 * - `unreadable`: the system refused to let us read it
 * - `name`: git itself refuses the name
 * - `repository`: a `.git` entry, which is never captured
 * - `own`: Savepoint's staging folder
 * - `excluded`: the configuration leaves it out
 * - `purged`: it was captured, and taken out of the store on purpose
 * - `private`: it was captured where the checkpoint was taken, and did not leave that machine
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
  /** Bytes, where known. */
  readonly size?: number;
  /** For `unreadable`: the system's error code. */
  readonly code?: string;
}

/** A state of files: two trees of the same shape. */
export interface Snapshot {
  /** The workspace's files. */
  readonly files: ObjectId;
  /** What a git tree cannot say about them (docs/format.md, "side"). */
  readonly side: ObjectId;
}

export function sameEntry(a: Entry | null, b: Entry | null): boolean {
  if (a === null || b === null) return a === b;
  if (a.kind === 'link') return b.kind === 'link' && a.id === b.id;
  if (a.kind === 'folder') return b.kind === 'folder' && a.mode === b.mode;
  return b.kind === 'file' && a.id === b.id && a.mode === b.mode;
}

/** As callers see it: permissions as four octal digits. */
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
