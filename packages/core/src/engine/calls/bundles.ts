/** Calls that copy a timeline: bundle files, and the export to the configured folder or bucket. */

import { givenDiskPath } from '../../io/given-path.ts';
import type { CallOptions } from '../../model/call-options.ts';
import type { SavepointError } from '../../model/errors.ts';
import type { JsonName } from '../../model/names.ts';
import type { ExportResult } from '../../share/export.ts';
import { resolveSession } from '../../timeline/query/select-authors.ts';
import type { Engine } from '../engine.ts';
import { exportWithRetry } from '../export-schedule.ts';
import { recoverOverlapping } from '../recovery.ts';
import type { BundlePreview, BundleRestoring, CreatedBundle, RestoredBundle } from './bundle-files.ts';
import type { OverClonesOptions } from './bundle-over-clones.ts';

/** What a bundle contains; see `createBundle`. */
export interface BundleOptions extends CallOptions {
  /** Only the checkpoints of this session (its id, or a unique beginning of it), and those that their changes need. */
  readonly session?: string;
  /** Only checkpoints after this one. The recipient must already have it. */
  readonly since?: string;
  /** Include private files: `.env*`, keys and ignored files. Default false. */
  readonly private?: boolean;
  /** Include conversations, the arguments of tool calls, and descriptions. Default false. */
  readonly messages?: boolean;
  /**
   * Include descriptions, which callers of `checkpoint` and `edit` may write. Default false. Needed for git to add a
   * bundle to one of an early version, which always had them.
   */
  readonly descriptions?: boolean;
  /** Replace an existing file. Default false. */
  readonly overwrite?: boolean;
}

/** How a bundle is restored; see `restoreBundle`. */
export interface BundleRestoreOptions extends OverClonesOptions {
  /**
   * If the folder has clones of the repositories of the bundle, overwrite their files, after capturing them. Default
   * false: a folder that is not empty is refused.
   */
  readonly overwrite?: boolean;
}

/** How a timeline is imported; see `restoreBundle`. */
export interface ImportBundleOptions extends BundleRestoreOptions {
  /**
   * Only add the checkpoints, to look at them: nothing is written to the folder, which must be empty and without checkpoints.
   * Default false.
   */
  readonly timelineOnly?: boolean;
}

export interface BundleCalls {
  /**
   * Writes checkpoints into a git bundle. The same checkpoints always give the same commits, on every machine.
   * @param file absolute; its parent folder exists
   * @throws SavepointError CONFLICT if the file exists, PATH_REFUSED in a `.git` or in the store, UNKNOWN_SESSION,
   *   AMBIGUOUS_ID, UNKNOWN_CHECKPOINT, BUNDLE_EMPTY, STORE_DAMAGED, NO_SPACE, IO, CANCELLED
   */
  createBundle(file: JsonName, options?: BundleOptions): Promise<CreatedBundle>;
  /**
   * Makes a folder equal to the newest checkpoint of a bundle and adds all its checkpoints. If the folder already has
   * some of them, adds the new ones. The bundle is validated first: if it is invalid, nothing changes. With `overwrite`,
   * the folder may have clones of the bundle's repositories; `undo` then reverts the restore.
   * @param file absolute
   * @param folder absolute; empty, missing, or restored earlier from a bundle of the same timeline
   * @throws SavepointError BUNDLE_REFUSED, BUNDLE_INCOMPLETE, BUNDLE_DIVERGED, CONFLICT if the folder is not empty, or has
   *   checkpoints and only the timeline was asked for, GIT_REFUSED if it lacks a clone, ROOT_REFUSED, PATH_REFUSED, NAME_COLLISION, NO_SPACE, IO, LOCKED, CANCELLED:
   *   nothing changed; PENDING
   */
  restoreBundle(file: JsonName, folder: JsonName, options?: ImportBundleOptions): Promise<RestoredBundle>;
  /**
   * Returns what `restoreBundle` would do, in a folder with clones as with `overwrite`. Changes nothing there, and does
   * not wait for the lock.
   */
  previewRestoreBundle(file: JsonName, folder: JsonName, options?: BundleRestoreOptions): Promise<BundlePreview>;
  /**
   * Exports new checkpoints to the configured folder or bucket. New checkpoints trigger this automatically.
   * @returns null if no export is configured
   * @throws SavepointError BUNDLE_STORE, BUNDLE_DIVERGED, NO_CHECKPOINT, NO_WORKSPACE, STORE_DAMAGED, LOCKED, CANCELLED
   */
  exportBundles(options?: CallOptions): Promise<(ExportResult & { readonly place: string }) | null>;
  /**
   * Like `exportBundles`, with retries: for half a minute, or with `long` for a quarter of an hour.
   * @returns the last failure; null if there was none, or if another process is already exporting
   */
  exportWithRetry(options?: CallOptions & { readonly long?: boolean }): Promise<SavepointError | null>;
}

export function bundleCalls(engine: Engine): BundleCalls {
  return {
    createBundle: async (file, options = {}) => {
      const { createBundle } = await import('./bundle-files.ts');
      return engine.read((workspace, context) => {
        const { session, since, messages = false, descriptions = false, overwrite = false } = options;
        const request = {
          session: session === undefined ? null : resolveSession(workspace, session),
          since: since === undefined ? null : engine.resolve(workspace, since),
          parent: null,
          private: options.private ?? false,
          messages,
          descriptions,
          overwrite,
        };
        return createBundle(context, workspace, givenDiskPath(engine.ports, file), request, engine.pace(options));
      });
    },
    restoreBundle: async (file, folder, options = {}) => {
      const [{ restoreBundle }, { OverClones }] = await Promise.all([
        import('./bundle-files.ts'),
        import('./bundle-over-clones.ts'),
      ]);
      const restoring: BundleRestoring = {
        pace: engine.pace(options),
        wait: engine.wait,
        timelineOnly: options.timelineOnly === true,
        overClones: options.overwrite === true ? new OverClones(engine, options) : null,
        recoverWorkspace: async (writing) => {
          const { waiting } = await recoverOverlapping(engine.events, writing, null);
          if (waiting[0] !== undefined) throw waiting[0].error;
        },
      };
      return engine.mapErrors(() =>
        restoreBundle(
          engine.context().at(givenDiskPath(engine.ports, folder)),
          givenDiskPath(engine.ports, file),
          restoring,
        ),
      );
    },
    previewRestoreBundle: async (file, folder, options = {}) => {
      const [{ previewRestoreBundle }, { OverClones }] = await Promise.all([
        import('./bundle-files.ts'),
        import('./bundle-over-clones.ts'),
      ]);
      const restoring = { pace: engine.pace(options), overClones: new OverClones(engine, options) };
      return engine.mapErrors(() =>
        previewRestoreBundle(
          engine.context().at(givenDiskPath(engine.ports, folder)),
          givenDiskPath(engine.ports, file),
          restoring,
        ),
      );
    },
    exportBundles: async (options = {}) => {
      const { exportTimeline } = await import('../../share/export-timeline.ts');
      return engine.read(async (workspace, context) => {
        const place = context.effectiveSettings(workspace.root).exporting;
        if (place === null) return null;
        const { exporter } = engine.options;
        const how = { exporter, pace: engine.pace(options), wait: engine.wait, signal: options.signal };
        const exported = await exportTimeline(workspace, place, how);
        return { ...exported, place: place.to };
      });
    },
    exportWithRetry: (options = {}) => exportWithRetry(engine, options),
  };
}
