/** Calls for the workspace itself: its location, its contents, and the settings in effect. */

import type { EffectiveSettings } from '../../config/effective.ts';
import { assertValidSettings } from '../../config/read-settings.ts';
import type { Settings } from '../../config/settings.ts';
import { FsError } from '../../io/fs.ts';
import type { PathContext } from '../../io/locate-path.ts';
import type { Ports } from '../../io/ports.ts';
import type { CallOptions } from '../../model/call-options.ts';
import type { SavepointError } from '../../model/errors.ts';
import type { CopyId, WorkspaceId } from '../../model/ids.ts';
import type { DiskPath, TreePath } from '../../model/names.ts';
import { listRecords, type WorkspaceRecord } from '../../store/records.ts';
import { bytesIn } from '../../store/usage.ts';
import { asSavepointError } from '../../transaction/outcome.ts';
import { copiesOf } from '../copies/copy-list.ts';
import type { Engine } from '../engine.ts';
import { assertByPersonAnywhere } from '../shell-call.ts';
import { deleteWorkspace } from '../workspaces/delete-workspace.ts';
import { findWorkspace } from '../workspaces/find-workspace.ts';
import { linkWorkspace } from '../workspaces/link.ts';
import { contextOf, type Repositories, repositoriesOf, type WorkspaceContext } from './repositories.ts';

export interface WorkspaceLocation extends PathContext {
  /** The requested folder, relative to the workspace; '' is the workspace itself. */
  readonly folder: TreePath;
}

/** The settings in effect in a workspace, in the engine's terms, with their origins. */
export interface Configuration extends EffectiveSettings {
  readonly root: DiskPath;
  readonly settings: Settings;
  /**
   * The error of an invalid file. If set, the other fields are not in effect, and calls that need them throw this
   * error.
   */
  readonly problem: SavepointError | null;
}

export interface WorkspaceCalls {
  /**
   * Returns where the opened folder is in its workspace.
   * @param options.orNew also if there is no store yet: in the workspace that the first checkpoint would create
   * @throws SavepointError NO_WORKSPACE, ROOT_REFUSED
   */
  place(options?: { readonly orNew?: boolean }): Promise<WorkspaceLocation>;
  /**
   * Returns the settings in effect and their origins. If a configuration file is invalid, the result contains the
   * problem.
   */
  config(): Promise<Configuration>;
  /**
   * Returns the workspace's current roots, even if there is no store yet.
   * @throws SavepointError CAPTURE_FAILED if the folder cannot be read, ROOT_REFUSED, BAD_CONFIG, CANCELLED
   */
  repositories(options?: CallOptions): Promise<Repositories>;
  /**
   * Returns what a model should know of the workspace: its roots, the newest checkpoints, and its contents. Throws the
   * same errors as `repositories`.
   * @param wanted.checkpoints the maximum number of checkpoints
   * @param wanted.depth levels of folders; 0: no contents
   */
  context(
    wanted: { readonly checkpoints: number; readonly depth: number },
    options?: CallOptions,
  ): Promise<WorkspaceContext>;
  /** Returns all stores in the home folder, regardless of the opened folder. */
  workspaces(): Promise<{
    /** `bytes`: the size of the store; null if it cannot be measured. */
    readonly records: readonly (WorkspaceRecord & { readonly present: boolean; readonly bytes: number | null })[];
    readonly problems: readonly SavepointError[];
  }>;
  /** Returns the record of the store that `deleteWorkspace` would delete, and the copies that go with it. Throws NO_WORKSPACE, AMBIGUOUS_ID. */
  previewDeleteWorkspace(
    which: string,
  ): Promise<WorkspaceRecord & { readonly bytes: number | null; readonly copies: readonly CopyId[] }>;
  /**
   * Deletes the store of a workspace with all its checkpoints and backups, and its copies. Its files stay unchanged. It cannot be undone.
   * @param which path of the folder, id of the store, or a unique beginning of the id
   * @throws SavepointError NO_WORKSPACE, AMBIGUOUS_ID, LOCKED while another process uses the store, PENDING while an
   *   operation is unfinished, USAGE while it has forks or a copy is in use
   */
  deleteWorkspace(which: string, options?: CallOptions): Promise<WorkspaceRecord>;
  /**
   * Gives this folder the timeline of another one.
   * @param from path of the other folder, or the id of its store
   * @throws SavepointError NO_WORKSPACE, ROOT_REFUSED if this folder has a timeline, or if the other folder still
   *   exists
   */
  link(from: string, options?: CallOptions): Promise<{ readonly id: WorkspaceId; readonly root: DiskPath }>;
}

export function workspaceCalls(engine: Engine): WorkspaceCalls {
  const { ports } = engine;
  return {
    place: ({ orNew = false } = {}) =>
      engine.mapErrors(() => {
        const context = engine.context();
        if (!orNew && context.find() === null) throw context.noWorkspace();
        return locationOf(engine, context);
      }),
    config: () =>
      engine.mapErrors(() => {
        const context = engine.context();
        const root = context.root();
        const settings = context.settings(root);
        return { ...engine.settings.effectiveUnchecked(settings), root, settings, problem: problemOf(settings) };
      }),
    repositories: (options = {}) => engine.mapErrors(() => repositoriesOf(engine.context(), engine.pace(options))),
    context: (wanted, options = {}) =>
      engine.mapErrors(() => contextOf(engine.context(), engine.pace(options), wanted)),
    workspaces: () =>
      engine.mapErrors(() => {
        const { records, problems } = listRecords(ports, engine.options.places.home);
        const described = records.map((record) => ({
          ...record,
          present: pathExists(ports, record.path),
          bytes: bytesOrNull(ports, record.storePath),
        }));
        return { records: described, problems };
      }),
    previewDeleteWorkspace: (which) =>
      engine.mapErrors(() => {
        const record = findWorkspace(engine.context(), which);
        const copies = copiesOf(ports, engine.context().places.home, record.id).map((one) => one.record.id);
        return { ...record, bytes: bytesOrNull(ports, record.storePath), copies };
      }),
    deleteWorkspace: (which, options = {}) =>
      engine.mapErrors(() => {
        assertByPersonAnywhere(engine, 'deleteWorkspace');
        return deleteWorkspace(engine.context(), which, engine.pace(options), engine.wait);
      }),
    link: (from, options = {}) =>
      engine.mapErrors(async () => {
        assertByPersonAnywhere(engine, 'linkWorkspace');
        const { id, path } = await linkWorkspace(engine.context(), from, engine.pace(options), engine.wait);
        return { id, root: path };
      }),
  };
}

/** @throws SavepointError ROOT_REFUSED */
export function locationOf({ options, ports }: Engine, context: ReturnType<Engine['context']>): WorkspaceLocation {
  const root = context.root();
  const folder = context.folder.slice(root.length).replace(/^\//, '') as TreePath;
  return { root, folder, dir: options.dir, platform: ports.platform, fs: ports.fs };
}

/** A path that cannot be read counts as missing. */
export function pathExists({ fs }: Ports, path: DiskPath): boolean {
  try {
    return fs.lstat(path) !== null;
  } catch (error) {
    if (error instanceof FsError) return false;
    throw error;
  }
}

function bytesOrNull({ fs }: Ports, path: DiskPath): number | null {
  try {
    return bytesIn(fs, path);
  } catch (error) {
    if (error instanceof FsError) return null;
    throw error;
  }
}

function problemOf(settings: Settings): SavepointError | null {
  try {
    assertValidSettings(settings);
    return null;
  } catch (error) {
    return asSavepointError(error);
  }
}
