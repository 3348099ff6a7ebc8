/** Calls for paths that agents must not change. */

import { givenPaths } from '../../io/given-path.ts';
import type { CallOptions } from '../../model/call-options.ts';
import { isWithin, type JsonName, type TreePath } from '../../model/names.ts';
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
  isFrozen(path: JsonName): Promise<boolean>;
  /** Returns those of the paths where a write would affect a frozen path, with that frozen path. */
  frozenBy(paths: readonly JsonName[]): Promise<readonly FrozenBy[]>;
  /**
   * Freezes paths: edits by agents are refused there, and changes by their shells are reverted. @returns all frozen
   * paths
   */
  freeze(paths: readonly JsonName[], options?: CallOptions): Promise<readonly FrozenPath[]>;
  /** Unfreezes these paths and everything below them. @returns the paths that are still frozen */
  unfreeze(paths: readonly JsonName[], options?: CallOptions): Promise<readonly FrozenPath[]>;
}

export function frozenPathCalls(engine: Engine): FrozenPathCalls {
  const resolve = (paths: readonly JsonName[]): readonly TreePath[] =>
    givenPaths({ root: engine.context().root(), ports: engine.ports }, paths);
  const frozen = (): Promise<readonly FrozenPath[]> => engine.mapErrors(() => frozenPathsIn(engine.context()));
  const frozenBy = async (paths: readonly JsonName[]): Promise<readonly FrozenBy[]> => {
    const all = await frozen();
    return resolve(paths).flatMap((path) => {
      const hit = frozenPathOf(all, path);
      return hit === null ? [] : [{ path, frozen: hit }];
    });
  };
  return {
    frozen,
    frozenBy,
    isFrozen: async (path) => (await frozenBy([path])).length > 0,
    freeze: async (paths, options = {}) => {
      // A path that is refused creates no store.
      const wanted = await engine.mapErrors(() => resolve(paths));
      return engine.write(options, 'alone', async ({ workspace: { ports, store } }) => {
        const before = readFrozen(ports, store.layout);
        const known = new Set(before.map(({ path }) => path));
        const since = ports.clock.now();
        const added = [...new Set(wanted)].filter((path) => !known.has(path)).map((path) => ({ path, since }));
        if (added.length > 0) writeFrozen(ports, store.layout, [...before, ...added]);
        return readFrozen(ports, store.layout);
      });
    },
    unfreeze: (paths, options = {}) =>
      engine.write(options, 'existing', async ({ workspace }) => {
        assertByPerson(engine, workspace, 'unfreeze');
        const { ports, store } = workspace;
        const folders = givenPaths(workspace, paths);
        const before = readFrozen(ports, store.layout);
        const left = before.filter(({ path }) => !folders.some((folder) => isWithin(path, folder)));
        if (left.length < before.length) writeFrozen(ports, store.layout, left);
        return left;
      }),
  };
}
