/** The roots of the workspace that a folder belongs to, or of the one that a first checkpoint would make. */
import type { Pace } from './io/pace.ts';
import type { Checkpoint } from './model/checkpoint.ts';
import type { DiskPath, TreePath } from './model/names.ts';
import {
  assertMayBeWorkspace,
  findWorkspace,
  newWorkspaceFolder,
  openFound,
  pathOf,
  type Setting,
} from './open-workspace.ts';
import { OwnPaths, ownPaths } from './store/own-paths.ts';
import { type StructureLine, structureOf } from './workspace/structure.ts';
import { type Survey, survey } from './workspace/survey.ts';

export interface Repositories extends Survey {
  /** The workspace's folder. */
  readonly root: DiskPath;
}

export async function repositoriesOf(setting: Setting, pace: Pace): Promise<Repositories> {
  const { ports, places, rulesOf } = setting;
  const found = findWorkspace(setting);
  const root = found === null ? newWorkspaceFolder(setting) : pathOf(found);
  assertMayBeWorkspace(setting, root);
  const own = found === null ? OwnPaths.NONE : ownPathsOf(setting, found);
  return {
    root,
    ...(await survey({ ports, root, rules: rulesOf(root), globalIgnore: places.globalIgnore, own, pace })),
  };
}

function ownPathsOf(setting: Setting, found: Parameters<typeof openFound>[1]): OwnPaths {
  const workspace = openFound(setting, found);
  try {
    return ownPaths(workspace.ports, workspace.store.layout);
  } finally {
    workspace.store.objects.close();
  }
}

export interface WorkspaceContext extends Repositories {
  /** The newest checkpoints, newest first; none where there is no store yet. */
  readonly recent: readonly Checkpoint[];
  /** What lies in each root, where it was asked for. */
  readonly structures: ReadonlyMap<TreePath, readonly StructureLine[]>;
}

/** @param wanted.depth levels of folders; 0: no structures */
export async function contextOf(
  setting: Setting,
  pace: Pace,
  wanted: { readonly checkpoints: number; readonly depth: number },
): Promise<WorkspaceContext> {
  const seen = await repositoriesOf(setting, pace);
  const roots = new Set(seen.roots.map(({ root }) => root.path));
  const structures = new Map(
    (wanted.depth === 0 ? [] : seen.roots).map((one) => [
      one.root.path,
      structureOf(setting.ports, seen.root, one, wanted.depth, (path) => roots.has(path)),
    ]),
  );
  return { ...seen, recent: newest(setting, wanted.checkpoints), structures };
}

function newest(setting: Setting, count: number): readonly Checkpoint[] {
  const found = findWorkspace(setting);
  if (found === null) return [];
  const workspace = openFound(setting, found);
  try {
    const { timeline } = workspace;
    return timeline.readAll(timeline.list().slice(-count).reverse()).checkpoints;
  } finally {
    workspace.store.objects.close();
  }
}
