/** Calls for paths that agents must not change. */

import type { CallOptions } from '../../model/call-options.ts';
import { isWithin, type TreePath } from '../../model/names.ts';
import { type FrozenPath, frozenPathOf, readFrozen, writeFrozen } from '../../store/state/frozen.ts';
import type { Engine } from '../engine.ts';
import { frozenPathsIn } from '../frozen.ts';
import { assertByPerson } from '../shell-call.ts';

/** A path that is frozen, or that contains a frozen path. */
interface FrozenBy {
  readonly path: TreePath;
  readonly frozen: TreePath;
}

export interface FrozenPathCalls {
  /** Returns the paths that agents must not change. */
  frozen(): Promise<readonly FrozenPath[]>;
  isFrozen(path: TreePath): Promise<boolean>;
  /** Returns those of the paths where a write would affect a frozen path, with that frozen path. */
  frozenBy(paths: readonly TreePath[]): Promise<readonly FrozenBy[]>;
  /**
   * Freezes paths: edits by agents are refused there, and changes by their shells are reverted. @returns all frozen
   * paths
   */
  freeze(paths: readonly TreePath[], options?: CallOptions): Promise<readonly FrozenPath[]>;
  /** Unfreezes these paths and everything below them. @returns the paths that are still frozen */
  unfreeze(paths: readonly TreePath[], options?: CallOptions): Promise<readonly FrozenPath[]>;
}

export function frozenPathCalls(engine: Engine): FrozenPathCalls {
  const frozen = (): Promise<readonly FrozenPath[]> => engine.mapErrors(() => frozenPathsIn(engine.context()));
  const frozenBy = async (paths: readonly TreePath[]): Promise<readonly FrozenBy[]> => {
    const all = await frozen();
    return paths.flatMap((path) => {
      const hit = frozenPathOf(all, path);
      return hit === null ? [] : [{ path, frozen: hit }];
    });
  };
  return {
    frozen,
    frozenBy,
    isFrozen: async (path) => (await frozenBy([path])).length > 0,
    freeze: (paths, options = {}) =>
      engine.write(options, 'alone', async ({ workspace: { ports, store } }) => {
        const before = readFrozen(ports, store.layout);
        const known = new Set(before.map(({ path }) => path));
        const since = ports.clock.now();
        const added = [...new Set(paths)].filter((path) => !known.has(path)).map((path) => ({ path, since }));
        if (added.length > 0) writeFrozen(ports, store.layout, [...before, ...added]);
        return readFrozen(ports, store.layout);
      }),
    unfreeze: (paths, options = {}) =>
      engine.write(options, 'existing', async ({ workspace }) => {
        assertByPerson(engine, workspace, 'unfreeze');
        const { ports, store } = workspace;
        const before = readFrozen(ports, store.layout);
        const left = before.filter(({ path }) => !paths.some((folder) => isWithin(path, folder)));
        if (left.length < before.length) writeFrozen(ports, store.layout, left);
        return left;
      }),
  };
}
