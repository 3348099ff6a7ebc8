/** Finds out whether plan mode may be on for an agent whose workspace could not be opened. */

import { forkAround, homeInFork } from '../../fork/fork-records.ts';
import type { Places, Ports } from '../../io/ports.ts';
import type { SessionId } from '../../model/ids.ts';
import { type DiskPath, diskChild, isInside } from '../../model/names.ts';
import { storesIn } from '../../store/home.ts';
import { layoutOf } from '../../store/layout.ts';
import { findRecord, readRecord, type WorkspaceRecord } from '../../store/records.ts';
import { hasPlanMode, isPlanned, readPlanMode } from '../../store/state/plan-mode.ts';
import { resolveFolder } from '../folders.ts';

/**
 * Needs no usable store: it looks for the file with the plan mode in each of them. Where plan mode is not
 * on in any, the answer is no, whatever else is damaged.
 * @param at the agent's folder and session; null: not known, so it may be any
 */
export function mayBePlanned(
  { ports, places }: { readonly ports: Ports; readonly places: Pick<Places, 'home'> },
  at: { readonly dir: DiskPath | null; readonly session: SessionId | null },
): boolean {
  const dir = at.dir === null ? null : orNull(() => resolveFolder(ports, at.dir as DiskPath));
  const home = orNull(() => resolveFolder(ports, places.home)) ?? places.home;
  const fork = dir === null ? null : orNull(() => forkAround(ports, home, dir));
  const stores = storesIn(fork === null ? home : homeInFork(fork));
  return (orNull(() => [...ports.fs.list(stores)]) ?? []).some((name) =>
    mayBePlannedIn(ports, diskChild(stores, name), { ...at, dir }),
  );
}

function mayBePlannedIn(
  ports: Ports,
  store: DiskPath,
  { dir, session }: { readonly dir: DiskPath | null; readonly session: SessionId | null },
): boolean {
  const layout = layoutOf(store);
  if (orNull(() => hasPlanMode(ports, layout)) !== true) return false;
  const mode = orNull(() => readPlanMode(ports, layout));
  if (mode !== null && session !== null && !isPlanned(mode, session)) return false;
  const record = orNull(() => readRecord(ports, store));
  return dir === null || record === null || isAt(ports, record, dir);
}

function isAt(ports: Ports, record: WorkspaceRecord, dir: DiskPath): boolean {
  // A workspace that was moved is found by its identity.
  return isInside(dir, record.path) || orNull(() => findRecord(ports, [record], dir)) !== null;
}

/** Null if it cannot be read. */
function orNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
