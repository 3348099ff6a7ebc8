/** Calls about the store: damage, what dead processes left, clean-up, and taking contents out for good. */

import type { CallOptions } from '../../model/call-options.ts';
import { SavepointError } from '../../model/errors.ts';
import type { DiskPath, TreePath } from '../../model/names.ts';
import type { PurgePreview, PurgeResult } from '../../purge/purge.ts';
import type { Workspace } from '../../timeline/capture/capture.ts';
import type { CleanUpResult } from '../../timeline/retention/clean-up.ts';
import type { RetentionPolicy } from '../../timeline/retention/retention.ts';
import type { Verification } from '../../timeline/retention/verify.ts';
import type { Recovery } from '../../transaction/recover.ts';
import type { Context } from '../context.ts';
import type { Engine } from '../engine.ts';
import { applyRetention, tidyUp } from '../maintenance.ts';
import { overlappingFolders } from '../overlap.ts';
import { recoverOverlapping, settled } from '../recovery.ts';
import { pathExists } from './workspaces.ts';

/** What a purge does not reach. */
export interface PurgeRemainder {
  /** Paths where something still is: the next capture takes it. */
  readonly stillThere: readonly TreePath[];
  /** Folders of workspaces that lie around this one or in it, and have stores of their own. */
  readonly otherWorkspaces: readonly DiskPath[];
}

export interface StoreCalls {
  /** Looks for damage. @param options.deep reads and hashes every byte of the store */
  verify(options?: CallOptions & { readonly deep?: boolean }): Promise<Verification>;
  /**
   * Settles what dead processes left.
   * @param options.decision for what needs one: finish it, or take it back
   * @returns also what waits for a root that is not there
   * @throws SavepointError PENDING when it needs a decision
   */
  recover(options?: CallOptions & { readonly decision?: 'forward' | 'back' }): Promise<Recovery>;
  /** Drops old checkpoints by the retention policy and frees the space that only they needed. */
  gc(options?: CallOptions & { readonly retention?: Partial<RetentionPolicy> }): Promise<CleanUpResult>;
  /**
   * Applies retention where it is due, and merges packs where there are many; a session's end does so by itself.
   * @returns null where retention was not due, where there is no store, and while an operation is pending
   */
  tidyUp(options?: CallOptions): Promise<CleanUpResult | null>;
  /** What `purge` would take out. Changes nothing. */
  previewPurge(paths: readonly TreePath[], options?: CallOptions): Promise<PurgePreview & PurgeRemainder>;
  /**
   * Takes what was ever at these paths, and below them, out of everything that the store keeps, and proves it. The files
   * themselves stay as they are, and the next capture takes what is there then. It cannot be undone.
   * @throws SavepointError PURGE_INCOMPLETE, PATH_REFUSED for the whole workspace, LOCKED, PENDING, STORE_DAMAGED, IO
   */
  purge(paths: readonly TreePath[], options?: CallOptions): Promise<PurgeResult & PurgeRemainder>;
}

export function storeCalls(engine: Engine): StoreCalls {
  return {
    verify: async (options = {}) => {
      const { verifyStore } = await import('../../timeline/retention/verify.ts');
      return engine.read(async (workspace) => {
        const verification = await verifyStore(workspace, options.deep ?? false, engine.pace(options));
        // The next capture reads every file again, and so stores again what is damaged here and sound on disk.
        if (verification.damage.length > 0) workspace.memory.forget();
        return verification;
      });
    },
    recover: (options = {}) =>
      engine.write(options, 'existing', (writing) =>
        recoverOverlapping(engine.events, writing, options.decision ?? null),
      ),
    gc: (options = {}) =>
      engine.operate(options, (operating) => {
        const { context, workspace } = settled(operating);
        const policy = { ...context.effectiveSettings(workspace.root).retention, ...options.retention };
        return applyRetention(operating, policy);
      }),
    tidyUp: (options = {}) => tidyUp(engine, options, engine.pace(options)),
    previewPurge: async (paths, options = {}) => {
      const { previewPurge } = await import('../../purge/purge.ts');
      return engine.read(async (workspace, context) => {
        const outlook = await previewPurge(workspace, assertPurgeable(paths), engine.pace(options));
        return { ...outlook, ...purgeRemainder(context, workspace, paths) };
      });
    },
    purge: async (paths, options = {}) => {
      const { purge } = await import('../../purge/purge.ts');
      return engine.operate(options, async (operating) => {
        const { context, workspace, lock, pace } = settled(operating);
        const purged = await purge(workspace, lock, assertPurgeable(paths), pace);
        return { ...purged, ...purgeRemainder(context, workspace, paths) };
      });
    },
  };
}

function purgeRemainder(context: Context, workspace: Workspace, paths: readonly TreePath[]): PurgeRemainder {
  return {
    stillThere: paths.filter((path) => pathExists(workspace.ports, `${workspace.root}/${path}` as DiskPath)),
    otherWorkspaces: overlappingFolders(context, workspace),
  };
}

function assertPurgeable(paths: readonly TreePath[]): readonly TreePath[] {
  if (!paths.includes('' as TreePath)) return paths;
  throw new SavepointError(
    'PATH_REFUSED',
    'The entire workspace cannot be purged.',
    { path: '', why: 'is the entire workspace' },
    { hint: 'To remove everything, delete the store; `savepoint workspaces --json` shows its path.' },
  );
}
