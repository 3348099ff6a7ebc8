/** The call that records what Savepoint itself writes into files of the user, such as an agent's hooks. */

import { declaredPaths } from '../../io/locate-path.ts';
import type { CallOptions } from '../../model/call-options.ts';
import type { Checkpoint } from '../../model/checkpoint.ts';
import { SavepointError } from '../../model/errors.ts';
import type { JsonName, TreePath } from '../../model/names.ts';
import { INSTALL, UNINSTALL } from '../../operation/own-entries.ts';
import { storesIn } from '../../store/home.ts';
import { assertNoLink, assertPrivate } from '../../store/private-folders.ts';
import { activeCalls } from '../../timeline/capture/active-calls.ts';
import { attributionWithin } from '../../timeline/capture/attribution.ts';
import { capture } from '../../timeline/capture/capture.ts';
import { checkpointInfo } from '../../timeline/capture/compose.ts';
import { announceCapture } from '../announce.ts';
import type { Engine } from '../engine.ts';
import { makeRoom, tidyAfter } from '../maintenance.ts';
import { recoverForCapture } from '../recovery.ts';
import { assertRequestsEnabled } from '../settings.ts';
import { assertByPersonAnywhere } from '../shell-call.ts';
import type { WriteContext } from '../write-context.ts';
import { locationOf } from './workspaces.ts';

export interface OwnEntriesChange {
  readonly what: 'install' | 'uninstall';
  /** The files that it writes, absolute. Those outside the workspace are not recorded. */
  readonly paths: readonly JsonName[];
  readonly write: () => void;
  /** The description of the checkpoint. Default: generated from the changes. */
  readonly description?: string;
}

export interface OwnEntriesCalls {
  /**
   * Writes Savepoint's own entries into files of the user, and records the changes of exactly these files as made by the
   * user through Savepoint. Creates no store: without one, it only writes. Writes even if nothing can be recorded.
   * @returns the checkpoint after it; null if nothing was recorded, with the problem, if there was one
   * @throws what `write` throws; SavepointError NEEDS_CONFIRMATION if an agent runs it in its shell; STORE_UNSAFE before an install
   */
  recordOwnEntries(
    change: OwnEntriesChange,
    options?: CallOptions,
  ): Promise<{ readonly checkpoint: Checkpoint | null; readonly problem: SavepointError | null }>;
}

export function ownEntriesCalls(engine: Engine): OwnEntriesCalls {
  return {
    recordOwnEntries: async (change, options = {}) => {
      await engine.mapErrors(() => assertByPersonAnywhere(engine, change.what));
      if (change.what === 'install') await engine.mapErrors(() => assertUsableHome(engine));
      let state: 'waiting' | 'written' | 'failed' = 'waiting';
      const write = (): void => {
        state = 'failed';
        change.write();
        state = 'written';
      };
      try {
        const paths = engine.context().find() === null ? [] : pathsInside(engine, change);
        if (paths.length === 0) {
          write();
          return { checkpoint: null, problem: null };
        }
        const checkpoint = await engine.write(options, 'alone', async (writing) => {
          assertRequestsEnabled(writing.context.settings(writing.workspace.root));
          return writeBetweenCaptures(engine, writing, { ...change, write }, paths);
        });
        return { checkpoint, problem: null };
      } catch (error) {
        if ((state as string) === 'failed' || !(error instanceof SavepointError)) throw error;
        if (state === 'waiting') write();
        return { checkpoint: null, problem: error.code === 'TURNED_OFF' ? null : error };
      }
    },
  };
}

/** Hooks without a usable home would record nothing. @throws SavepointError STORE_UNSAFE */
function assertUsableHome({ ports, options }: Engine): void {
  assertNoLink(ports, options.places.home);
  for (const folder of [options.places.home, storesIn(options.places.home)])
    if (ports.fs.lstat(folder) !== null) assertPrivate(ports, folder);
}

function pathsInside(engine: Engine, { paths }: OwnEntriesChange): readonly TreePath[] {
  const place = locationOf(engine, engine.context());
  return declaredPaths(place, paths).paths;
}

async function writeBetweenCaptures(
  engine: Engine,
  writing: WriteContext,
  { what, write, description }: OwnEntriesChange,
  paths: readonly TreePath[],
): Promise<Checkpoint> {
  const { context, workspace, lock, pace } = writing;
  const actor = what === 'install' ? INSTALL : UNINSTALL;
  await recoverForCapture(writing);
  await makeRoom(writing, 'objects');
  const before = await capture(workspace, lock, pace, checkpointInfo('before', actor), { always: false });
  announceCapture(engine, context, before);
  write();
  const author = { actor, session: null, call: null, tool: null };
  const attribution = attributionWithin(paths, author, activeCalls(workspace));
  const info = { ...checkpointInfo('manual', actor), description: description ?? null };
  const after = await capture(workspace, lock, pace, info, { always: false, attribution });
  announceCapture(engine, context, after);
  await tidyAfter(engine, writing);
  return after.checkpoint;
}
