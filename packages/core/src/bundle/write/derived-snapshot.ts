/**
 * Derives the snapshots that leave the machine: without private files, without set-id and sticky bits of files, and
 * without the times of skipped files, which are not in the bundle.
 */

import type { CaptureCounts } from '../../model/checkpoint.ts';
import type { FileEntry, LinkEntry, Skip, Snapshot } from '../../model/entries.ts';
import type { Name } from '../../model/names.ts';
import type { ObjectBatch } from '../../store/objects/object-reader.ts';
import {
  cachedFolderReader,
  type FolderReader,
  type FolderRef,
  rootOf,
  snapshotOf,
  writeFolder,
} from '../../store/snapshot/snapshot.ts';
import { isPrivate } from './private.ts';

/** Counts of what was omitted. */
type OmittedCounts = Omit<CaptureCounts, 'skipped'> & { readonly paths: number };

export interface DerivedSnapshot {
  readonly snapshot: Snapshot;
  readonly leftOut: OmittedCounts;
}

interface DerivedFolder {
  readonly folder: FolderRef;
  readonly leftOut: OmittedCounts;
}

const NOTHING: OmittedCounts = { files: 0, links: 0, folders: 0, bytes: 0, paths: 0 };
const PRIVATE: Skip = { reason: 'private' };
/** Set-id and sticky bits of files are omitted. */
const FILE_PERMISSIONS = 0o777;

/** Derives each folder once, even if several snapshots share it. */
export class SnapshotDeriver {
  readonly #read: FolderReader;
  readonly #known = new Map<string, DerivedFolder>();

  constructor(
    private readonly batch: ObjectBatch,
    private readonly withPrivate: boolean,
  ) {
    this.#read = cachedFolderReader(batch);
  }

  get read(): FolderReader {
    return this.#read;
  }

  derive(snapshot: Snapshot): DerivedSnapshot {
    const { folder, leftOut } = this.#folder(rootOf(snapshot));
    return { snapshot: snapshotOf(folder), leftOut };
  }

  #folder(folder: FolderRef): DerivedFolder {
    const key = `${folder.files} ${folder.side}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const made = this.#deriveFolder(folder);
    this.#known.set(key, made);
    return made;
  }

  #deriveFolder(folder: FolderRef): DerivedFolder {
    const contents = this.#read(folder);
    const entries = new Map<Name, FileEntry | LinkEntry | FolderRef>();
    const skips = new Map(contents.note.skips);
    const ignored = new Set(contents.note.ignored);
    const unsettled = new Set(contents.note.unsettled);
    let leftOut = NOTHING;
    let isSame = true;
    for (const [name, { modified, ...skip }] of contents.note.skips) {
      if (modified === undefined) continue;
      skips.set(name, skip);
      isSame = false;
    }
    for (const [name, entry] of contents.entries) {
      if (!this.withPrivate && isPrivate(name, contents)) {
        skips.set(name, PRIVATE);
        ignored.delete(name);
        unsettled.delete(name);
        leftOut = addCounts(leftOut, { ...this.#count(entry), paths: 1 });
        isSame = false;
      } else if (entry.kind === 'folder') {
        const inner = this.#folder(entry);
        leftOut = addCounts(leftOut, inner.leftOut);
        isSame &&= inner.folder.files === entry.files && inner.folder.side === entry.side;
        entries.set(name, inner.folder);
      } else if (entry.kind === 'file' && entry.mode > FILE_PERMISSIONS) {
        isSame = false;
        entries.set(name, { ...entry, mode: entry.mode & FILE_PERMISSIONS });
      } else entries.set(name, entry);
    }
    if (isSame) return { folder, leftOut };
    return {
      folder: writeFolder(this.batch, { note: { ...contents.note, skips, ignored, unsettled }, entries }),
      leftOut,
    };
  }

  #count(entry: FileEntry | LinkEntry | FolderRef): Omit<OmittedCounts, 'paths'> {
    if (entry.kind === 'link') return { ...NOTHING, links: 1 };
    if (entry.kind === 'file') return { ...NOTHING, files: 1, bytes: this.batch.info(entry.id)?.size ?? 0 };
    let all: OmittedCounts = { ...NOTHING, folders: 1 };
    for (const inner of this.#read(entry).entries.values()) all = addCounts(all, { ...this.#count(inner), paths: 0 });
    return all;
  }
}

function addCounts(a: OmittedCounts, b: OmittedCounts): OmittedCounts {
  return {
    files: a.files + b.files,
    links: a.links + b.links,
    folders: a.folders + b.folders,
    bytes: a.bytes + b.bytes,
    paths: a.paths + b.paths,
  };
}
