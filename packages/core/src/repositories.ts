/** The roots of the workspace that a folder belongs to, or of the one that a first checkpoint would make. */
import type { Pace } from './io/pace.ts';
import type { DiskPath } from './model/names.ts';
import {
  assertMayBeWorkspace,
  findWorkspace,
  newWorkspaceFolder,
  openFound,
  pathOf,
  type Setting,
} from './open-workspace.ts';
import { OwnPaths, ownPaths } from './store/own-paths.ts';
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
