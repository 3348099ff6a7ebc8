/** Calls about paths that agents must not change. */

import type { CallOptions } from '../../model/call-options.ts';
import { isWithin, type TreePath } from '../../model/names.ts';
import { type FrozenPath, frozenPathOf, readFrozen, writeFrozen } from '../../store/state/frozen.ts';
import type { Engine } from '../engine.ts';
import { frozenPathsIn } from '../frozen.ts';

/** A path that is frozen, or holds something that is. */
interface FrozenBy {
  readonly path: TreePath;
  readonly frozen: TreePath;
}

export interface FrozenPathCalls {
  /** What agents must not change. */
  frozen(): Promise<readonly FrozenPath[]>;
  isFrozen(path: TreePath): Promise<boolean>;
  /** Those of the paths where a write would touch something frozen, and what that is. */
  frozenBy(paths: readonly TreePath[]): Promise<readonly FrozenBy[]>;
  /** From now on edits by agents are refused there, and what their shells change there is put back. @returns all that is frozen */
  freeze(paths: readonly TreePath[], options?: CallOptions): Promise<readonly FrozenPath[]>;
  /** Ends the freezing of these paths and of all below them. @returns what is still frozen */
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
      engine.write(options, 'existing', async ({ workspace: { ports, store } }) => {
        const before = readFrozen(ports, store.layout);
        const left = before.filter(({ path }) => !paths.some((folder) => isWithin(path, folder)));
        if (left.length < before.length) writeFrozen(ports, store.layout, left);
        return left;
      }),
  };
}
