/** Automatic export of new checkpoints. */

import { FsError } from '../io/fs.ts';
import type { CallOptions } from '../model/call-options.ts';
import { SavepointError } from '../model/errors.ts';
import { checkpointNumber } from '../model/ids.ts';
import type { ExportResult } from '../share/export.ts';
import { type ExportState, readExportState } from '../store/state/export-state.ts';
import type { Workspace } from '../timeline/capture/workspace.ts';
import type { Context } from './context.ts';
import type { Engine } from './engine.ts';

/** The progress of the automatic export. */
export interface ExportStatus {
  readonly place: string;
  /** Null before the first attempt. */
  readonly state: ExportState | null;
  /** The number of checkpoints that are not exported yet. */
  readonly behind: number;
}

const EXPORT = 'The export';

/** Exports new checkpoints in the background, if configured. Several checkpoints in a row start one export. */
export function exportLater({ base }: Engine, context: Context): void {
  if (base.background.isQueued(EXPORT) || exportPlace(base, context) === null) return;
  const { exporter, dir } = base.options;
  // Started immediately, because this process may exit before the background task starts.
  exporter?.startProcess?.(dir);
  base.background.start(EXPORT, async () => {
    if (exporter?.startProcess !== undefined) return;
    const failure = await exportWithRetry(base, {});
    if (failure !== null) base.events.emit('warning', { message: `Not exported: ${failure.message}` });
  });
}

/** @returns null if no export is configured */
export function exportStatus({ root, ports, store, timeline }: Workspace, context: Context): ExportStatus | null {
  const place = context.settings(root).values['export.to'];
  if (place === '') return null;
  const known = readExportState(ports.fs, store.layout);
  const state = known?.place === place ? known : null;
  const upTo = state?.upTo == null ? 0 : checkpointNumber(state.upTo);
  return { place, state, behind: timeline.list().filter(({ number }) => number > upTo).length };
}

/** @returns the last failure; null if there was none, or if another process exports */
export async function exportWithRetry(
  engine: Engine,
  options: CallOptions & { readonly long?: boolean },
): Promise<SavepointError | null> {
  const [{ exportTimeline }, { exportInTurn }] = await Promise.all([
    import('../share/export-timeline.ts'),
    import('../share/export-turn.ts'),
  ]);
  const { clock } = engine.ports;
  const once = (): Promise<Pick<ExportResult, 'upTo'> | null> =>
    engine.read(async (workspace, context) => {
      const place = context.effectiveSettings(workspace.root).exporting;
      const newest = workspace.timeline.latest();
      if (place === null || newest === null) return null;
      const { exporter } = engine.options;
      const pace = engine.pace(options);
      return exportTimeline(workspace, place, { exporter, pace, wait: engine.wait, signal: options.signal });
    });
  const newest = (): Promise<string | null> => engine.read(({ timeline }) => timeline.latest()?.id ?? null);
  return engine.read((workspace) =>
    exportInTurn(workspace, {
      once,
      newest,
      isLong: options.long ?? false,
      pace: engine.pace(options),
      wait: engine.wait,
      sleep: async (ms) => {
        await clock.sleep(ms, options.signal);
        return options.signal?.aborted !== true;
      },
    }),
  );
}

/** Null if no export is configured, or if the settings are invalid. Other calls report invalid settings. */
function exportPlace(engine: Engine, context: Context): string | null {
  if (!engine.settings.readsFiles) return null;
  try {
    return context.effectiveSettings(context.root()).exporting?.to ?? null;
  } catch (error) {
    if (error instanceof SavepointError || error instanceof FsError) return null;
    throw error;
  }
}
