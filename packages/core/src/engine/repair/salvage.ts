/** Looks for the contents of damaged and missing objects, everywhere where they may still exist. */

import { checkBundle } from '../../bundle/check/check-bundle.ts';
import { GitObjects } from '../../git/objects.ts';
import { readRepository } from '../../git/repository.ts';
import { readEntireFile } from '../../io/durable-write.ts';
import { isFsError, kindOf } from '../../io/fs.ts';
import { listIfExists } from '../../io/if-exists.ts';
import type { Pace } from '../../io/pace.ts';
import type { ObjectId } from '../../model/ids.ts';
import { type DiskPath, diskChild, onDisk } from '../../model/names.ts';
import { isDamage } from '../../store/objects/damage.ts';
import { hashObject } from '../../store/objects/object-hash.ts';
import type { ObjectBatch, ObjectReader, ObjectType } from '../../store/objects/object-reader.ts';
import { OverlayBatch } from '../../store/snapshot/overlay.ts';
import { scanWorkspace } from '../../timeline/capture/capture.ts';
import type { Workspace } from '../../timeline/capture/workspace.ts';
import { asSavepointError } from '../../transaction/outcome.ts';

/** Where an object was found. */
export type SalvageSource = 'workspace' | 'backups' | 'bundle' | 'repository';

export interface Salvaged {
  readonly object: ObjectId;
  readonly from: SalvageSource;
}

export interface SalvageResult {
  readonly found: readonly Salvaged[];
  /** Sources that could not be read, with the reason. */
  readonly problems: readonly string[];
}

/** Larger backups are not read. */
const BACKUP_BYTES = 1024 * 1024 * 1024;

/**
 * Adds every wanted object that is found to the batch.
 * @param bundles files to look into
 */
export async function salvage(
  workspace: Workspace,
  batch: ObjectBatch,
  wanted: ReadonlySet<ObjectId>,
  bundles: readonly DiskPath[],
  pace: Pace,
): Promise<SalvageResult> {
  const salvaging = new Salvaging(batch, wanted);
  const problems: string[] = [];
  const sources: readonly (readonly [SalvageSource, () => Promise<void> | void])[] = [
    ['backups', () => fromFiles(workspace, workspace.store.layout.backups, salvaging)],
    ...bundles.map((file) => ['bundle', () => fromBundle(workspace, file, salvaging, pace)] as const),
    ['workspace', () => fromWorkspace(workspace, salvaging, pace)],
    ['repository', () => fromRepositories(workspace, salvaging, pace)],
  ];
  for (const [source, look] of sources) {
    if (salvaging.isDone) break;
    salvaging.source = source;
    try {
      await look();
    } catch (error) {
      const known = asSavepointError(error);
      if (known.code === 'CANCELLED' || known.code === 'NO_SPACE' || known.code === 'INTERNAL') throw error;
      problems.push(known.message);
    }
  }
  return { found: salvaging.found, problems };
}

class Salvaging {
  source: SalvageSource = 'workspace';
  readonly found: Salvaged[] = [];
  readonly #open: Set<ObjectId>;

  constructor(
    private readonly batch: ObjectBatch,
    wanted: ReadonlySet<ObjectId>,
  ) {
    this.#open = new Set(wanted);
  }

  get isDone(): boolean {
    return this.#open.size === 0;
  }

  get wanted(): readonly ObjectId[] {
    return [...this.#open];
  }

  isWanted(id: ObjectId): boolean {
    return this.#open.has(id);
  }

  add(type: ObjectType, data: Uint8Array): void {
    this.#note(this.batch.add(type, data));
  }

  addBlobFrom(size: number, read: (into: Buffer, position: number) => number): void {
    this.#note(this.batch.addBlobFrom(size, read));
  }

  #note(id: ObjectId): void {
    if (this.#open.delete(id)) this.found.push({ object: id, from: this.source });
  }
}

/** Passes on the wanted objects of a scan. */
class WantedOverlay extends OverlayBatch {
  constructor(
    below: ObjectReader,
    private readonly salvaging: Salvaging,
  ) {
    super(below, 0);
  }

  override add(type: ObjectType, data: Uint8Array): ObjectId {
    const id = super.add(type, data);
    if (this.salvaging.isWanted(id)) this.salvaging.add(type, data);
    return id;
  }

  override addBlobFrom(size: number, read: (into: Buffer, position: number) => number): ObjectId {
    const id = super.addBlobFrom(size, read);
    if (this.salvaging.isWanted(id)) this.salvaging.addBlobFrom(size, read);
    return id;
  }
}

async function fromWorkspace(workspace: Workspace, salvaging: Salvaging, pace: Pace): Promise<void> {
  // Unchanged files and folders would not be read otherwise.
  workspace.memory.forget();
  const into = new WantedOverlay(workspace.store.objects, salvaging);
  await scanWorkspace(workspace, pace, { missing: 'empty', into });
}

function fromFiles(workspace: Workspace, folder: DiskPath, salvaging: Salvaging): void {
  const { fs } = workspace.ports;
  for (const name of listIfExists(fs, folder)) {
    const path = diskChild(folder, name);
    const stat = fs.lstat(path);
    if (stat === null) continue;
    if (kindOf(stat) === 'folder') fromFiles(workspace, path, salvaging);
    if (kindOf(stat) !== 'file' || stat.size > BACKUP_BYTES) continue;
    const data = readEntireFile(fs, path, BACKUP_BYTES);
    if (salvaging.isWanted(hashObject('blob', data))) salvaging.add('blob', data);
  }
}

async function fromBundle({ ports, store }: Workspace, file: DiskPath, salvaging: Salvaging, pace: Pace) {
  const bundle = await checkBundle(ports, file, store.objects, pace);
  try {
    for (const id of salvaging.wanted) {
      if (!bundle.objects.isOfBundle(id)) continue;
      const { type, data } = bundle.objects.read(id);
      salvaging.add(type, data);
    }
  } finally {
    bundle.close();
  }
}

async function fromRepositories({ ports, root, timeline }: Workspace, salvaging: Salvaging, pace: Pace): Promise<void> {
  const roots = timeline.latest()?.roots.filter(({ kind }) => kind === 'repository') ?? [];
  for (const { path } of roots) {
    await pace.yieldNow();
    const state = readRepository(ports.fs, onDisk(root, path));
    if (state === null || 'problem' in state) continue;
    const objects = new GitObjects(ports, state);
    try {
      for (const id of salvaging.wanted) {
        if (!objects.has(id)) continue;
        const object = readIfIntact(objects.readerFor(id), id);
        if (object !== null) salvaging.add(object.type, object.data);
      }
    } finally {
      objects.close();
    }
  }
}

function readIfIntact(reader: ObjectReader, id: ObjectId) {
  try {
    return reader.read(id);
  } catch (error) {
    if (isDamage(error) || isFsError(error)) return null;
    throw error;
  }
}
