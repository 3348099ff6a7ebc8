/** The roots of a folder's workspace, or of the workspace that a first checkpoint would create. */
import type { Pace } from '../../io/pace.ts';
import type { Checkpoint } from '../../model/checkpoint.ts';
import type { DiskPath, TreePath } from '../../model/names.ts';
import { OwnPaths, ownPaths } from '../../store/own-paths.ts';
import type { Workspace } from '../../timeline/capture/workspace.ts';
import { type StructureLine, structureOf } from '../../workspace/survey/structure.ts';
import { type Survey, survey } from '../../workspace/survey/survey.ts';
import type { Context } from '../context.ts';
import { assertMayBeWorkspace } from '../folders.ts';
import { readIfFound } from '../open.ts';

export interface Repositories extends Survey {
  /** The workspace's folder. */
  readonly root: DiskPath;
}

export async function repositoriesOf(context: Context, pace: Pace): Promise<Repositories> {
  const { ports, places } = context;
  const root = context.root();
  assertMayBeWorkspace(context, root);
  const { rules } = context.effectiveSettings(root);
  const own = readIfFound(context, ({ store }) => ownPaths(ports, store.layout)) ?? OwnPaths.NONE;
  return { root, ...(await survey({ ports, root, rules, globalIgnore: places.globalIgnore, own, pace })) };
}

export interface WorkspaceContext extends Repositories {
  /** The newest checkpoints, newest first. Empty if there is no store yet. */
  readonly recent: readonly Checkpoint[];
  /** The contents of each root, if requested. */
  readonly structures: ReadonlyMap<TreePath, readonly StructureLine[]>;
}

/** @param wanted.depth levels of folders; 0: no structures */
export async function contextOf(
  context: Context,
  pace: Pace,
  wanted: { readonly checkpoints: number; readonly depth: number },
): Promise<WorkspaceContext> {
  const seen = await repositoriesOf(context, pace);
  const roots = new Set(seen.roots.map(({ root }) => root.path));
  const structures = new Map(
    (wanted.depth === 0 ? [] : seen.roots).map((one) => [
      one.root.path,
      structureOf(context.ports, seen.root, one, wanted.depth, (path) => roots.has(path)),
    ]),
  );
  return { ...seen, recent: newestCheckpoints(context, wanted.checkpoints), structures };
}

function newestCheckpoints(context: Context, count: number): readonly Checkpoint[] {
  const look = ({ timeline }: Workspace): readonly Checkpoint[] =>
    timeline.readAll(timeline.list().slice(-count).reverse()).checkpoints;
  return readIfFound(context, look) ?? [];
}
