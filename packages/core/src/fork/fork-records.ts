/**
 * `fork.json` in the folder of a copy. A fork is complete when this file is durable, and is gone when it is removed: what is
 * left of its folder then is debris.
 */

import { showName } from '../content/show-name.ts';
import type { CopyRung } from '../copy/copy.ts';
import { treeIn } from '../copy/folder/folder-copy.ts';
import { copiesIn } from '../copy/records.ts';
import { durableWrite, readEntireFile, syncFolder } from '../io/durable-write.ts';
import { isFsError } from '../io/fs.ts';
import { listIfExists, removeIfExists } from '../io/if-exists.ts';
import type { Ports } from '../io/ports.ts';
import { SavepointError } from '../model/errors.ts';
import { type CheckpointId, COPY_ID, type CopyId, type WorkspaceId } from '../model/ids.ts';
import {
  type DiskPath,
  diskChild,
  isInside,
  type JsonName,
  nameFromJson,
  nameToJson,
  type TreePath,
} from '../model/names.ts';
import {
  integer,
  isJsonName,
  listOf,
  matching,
  objectOf,
  oneOf,
  orNull,
  type Shape,
  text,
} from '../store/json-shape.ts';
import { FormatProblem } from '../store/objects/damage.ts';
import type { Fork } from './fork.ts';

export interface DamagedFork {
  readonly place: DiskPath;
  readonly error: SavepointError;
}

export interface FoundForks {
  /** By age, oldest first. */
  readonly forks: readonly Fork[];
  readonly damaged: readonly DamagedFork[];
}

const FILE = 'fork.json';
const MAX_BYTES = 1024 * 1024;

const name: Shape = (value, at) => {
  if (!isJsonName(value)) throw new FormatProblem(`${at} is not a name`);
};

const SHAPE = objectOf({
  format: oneOf(1),
  name: matching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/),
  copy: matching(COPY_ID),
  rung: oneOf('reflink', 'copy'),
  workspace: matching(/^[0-9a-f]{32}$/),
  root: name,
  base: matching(/^cp_[1-9]\d{0,8}$/),
  created: integer(0),
  branch: orNull(text(1_000)),
  worktrees: listOf(
    objectOf({ path: name, commit: matching(/^[0-9a-f]{40,64}$/), created: oneOf(true, false) }),
    10_000,
  ),
  port: integer(1, 65_535),
});

interface ForkJson {
  readonly format: 1;
  readonly name: string;
  readonly copy: string;
  readonly rung: string;
  readonly workspace: string;
  readonly root: JsonName;
  readonly base: string;
  readonly created: number;
  readonly branch: string | null;
  readonly worktrees: readonly { readonly path: JsonName; readonly commit: string; readonly created: boolean }[];
  readonly port: number;
}

/** Durable on return: from then on, the fork exists. */
export function writeFork({ fs }: Pick<Ports, 'fs'>, fork: Fork): void {
  const { copy, worktrees, checkpoint, branch, port } = fork;
  const json = {
    format: 1,
    name: fork.name,
    copy: copy.id,
    rung: copy.rung,
    workspace: copy.workspace,
    root: nameToJson(copy.root),
    base: checkpoint,
    created: copy.created,
    branch,
    worktrees: worktrees.map(({ path, commit, createdBranch }) => ({
      path: nameToJson(path),
      commit,
      created: createdBranch,
    })),
    port,
  } satisfies ForkJson;
  durableWrite(fs, diskChild(copy.place, FILE), Buffer.from(`${JSON.stringify(json, null, 2)}\n`), 0o600);
}

/** The fork no longer exists afterwards. Durable on return. */
export function removeFork({ fs }: Pick<Ports, 'fs'>, { copy: { place } }: Pick<Fork, 'copy'>): void {
  if (removeIfExists(fs, diskChild(place, FILE))) syncFolder(fs, place);
}

/** The home of Savepoint in a fork. */
export function homeInFork({ copy: { place } }: Pick<Fork, 'copy'>): DiskPath {
  return diskChild(place, 'home');
}

/** Returns the innermost fork whose files contain the folder. @throws SavepointError STORE_DAMAGED */
export function forkAround(ports: Pick<Ports, 'fs'>, home: DiskPath, folder: DiskPath): Fork | null {
  if (!isInside(folder, copiesIn(home))) return null;
  const place = /^.*\/copies\/copy_[0-9a-f]{8}(?=\/tree(?:\/|$))/.exec(folder)?.[0] as DiskPath | undefined;
  return place === undefined ? null : readFork(ports, place);
}

/** @returns null if the folder is not that of a fork. @throws SavepointError STORE_DAMAGED */
export function readFork({ fs }: Pick<Ports, 'fs'>, place: DiskPath): Fork | null {
  const file = diskChild(place, FILE);
  let bytes: Buffer;
  try {
    bytes = readEntireFile(fs, file, MAX_BYTES);
  } catch (error) {
    if (isFsError(error, 'ENOENT') || isFsError(error, 'ENOTDIR')) return null;
    throw error;
  }
  try {
    const json = JSON.parse(bytes.toString()) as ForkJson;
    SHAPE(json, '');
    return forkOf(json, place);
  } catch (cause) {
    if (!(cause instanceof FormatProblem || cause instanceof SyntaxError)) throw cause;
    throw new SavepointError(
      'STORE_DAMAGED',
      `${showName(file)} cannot be read, so what is known of this fork is lost.`,
      { file: nameToJson(file) },
      {
        cause,
        hint: `Its files are in ${showName(treeIn(place))}. Copy what you need, and remove the folder.`,
      },
    );
  }
}

/** @param workspace only its forks; null: all */
export function listForks(ports: Pick<Ports, 'fs'>, home: DiskPath, workspace: WorkspaceId | null): FoundForks {
  const forks: Fork[] = [];
  const damaged: DamagedFork[] = [];
  for (const place of placesIn(ports, home)) {
    try {
      const fork = readFork(ports, place);
      if (fork !== null && (workspace === null || fork.copy.workspace === workspace)) forks.push(fork);
    } catch (error) {
      if (!(error instanceof SavepointError)) throw error;
      damaged.push({ place, error });
    }
  }
  return { forks: forks.sort((a, b) => a.copy.created - b.copy.created || (a.name < b.name ? -1 : 1)), damaged };
}

/** The folders of all copies. */
export function placesIn({ fs }: Pick<Ports, 'fs'>, home: DiskPath): readonly DiskPath[] {
  const copies = copiesIn(home);
  return listIfExists(fs, copies)
    .filter((one) => COPY_ID.test(one))
    .map((one) => diskChild(copies, one));
}

function forkOf(json: ForkJson, place: DiskPath): Fork {
  return {
    name: json.name,
    copy: {
      id: json.copy as CopyId,
      purpose: 'fork',
      rung: json.rung as CopyRung,
      workspace: json.workspace as WorkspaceId,
      root: nameFromJson(json.root) as DiskPath,
      place,
      base: json.base as CheckpointId,
      created: json.created,
      name: json.name,
      owner: null,
      holder: null,
      bytes: 0,
    },
    checkpoint: json.base as CheckpointId,
    branch: json.branch,
    worktrees: json.worktrees.map(({ path, commit, created }) => ({
      path: nameFromJson(path) as TreePath,
      commit,
      createdBranch: created,
    })),
    port: json.port,
  };
}
