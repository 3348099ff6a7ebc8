import { durableWrite } from '../../io/durable-write.ts';
import { removeIfExists } from '../../io/if-exists.ts';
import type { Ports } from '../../io/ports.ts';
import type { SessionId } from '../../model/ids.ts';
import { type DiskPath, diskChild, isInside } from '../../model/names.ts';
import { listOf, matching, objectOf, oneOf, orNull, text } from '../json-shape.ts';
import type { StoreLayout } from '../layout.ts';
import { readDecided } from './decided-file.ts';

/** The sessions whose edits are only proposed. */
export interface PlanMode {
  /** Since when, for all sessions, in milliseconds since 1970. Null: only for those in the list. */
  readonly workspace: number | null;
  readonly sessions: readonly PlannedSession[];
}

export interface PlannedSession {
  readonly session: SessionId;
  /** Milliseconds since 1970. */
  readonly since: number;
}

interface PlanModeJson {
  readonly format: 1;
  readonly workspace: string | null;
  readonly sessions: readonly { readonly session: SessionId; readonly since: string }[];
}

export const NO_PLAN_MODE: PlanMode = { workspace: null, sessions: [] };

const FILE_BYTES = 1024 * 1024;
/** The oldest ones are dropped beyond this: their sessions have long ended. */
const MAX_SESSIONS = 1_000;

const TIME = matching(/^\d{4}-/);
const SHAPE = objectOf({
  format: oneOf(1),
  workspace: orNull(TIME),
  sessions: listOf(objectOf({ session: text(1_000), since: TIME }), MAX_SESSIONS),
});

/** @throws SavepointError STORE_DAMAGED */
export function readPlanMode({ fs }: Pick<Ports, 'fs'>, layout: StoreLayout): PlanMode {
  const json = readDecided<PlanModeJson>(fs, {
    path: fileIn(layout),
    maxBytes: FILE_BYTES,
    shape: SHAPE,
    unknown: 'it is unknown whether plan mode is on',
    hint: 'Run `savepoint plan mode off`, then turn plan mode on again.',
  });
  if (json === null) return NO_PLAN_MODE;
  return {
    workspace: json.workspace === null ? null : Date.parse(json.workspace),
    sessions: json.sessions.map(({ session, since }) => ({ session, since: Date.parse(since) })),
  };
}

/** Whether there is such a file, readable or not. There is none while plan mode is off. */
export function hasPlanMode({ fs }: Pick<Ports, 'fs'>, layout: StoreLayout): boolean {
  return fs.lstat(fileIn(layout)) !== null;
}

/** Durable on return. The caller holds the store's lock. */
export function writePlanMode({ fs }: Pick<Ports, 'fs'>, layout: StoreLayout, mode: PlanMode): void {
  if (mode.workspace === null && mode.sessions.length === 0) {
    removeIfExists(fs, fileIn(layout));
    return;
  }
  const json: PlanModeJson = {
    format: 1,
    workspace: mode.workspace === null ? null : new Date(mode.workspace).toISOString(),
    sessions: mode.sessions
      .slice(-MAX_SESSIONS)
      .map(({ session, since }) => ({ session, since: new Date(since).toISOString() })),
  };
  durableWrite(fs, fileIn(layout), Buffer.from(`${JSON.stringify(json, null, 2)}\n`), 0o600);
}

/** @param session null: an agent whose session is not known, so it may be one in the list */
export function isPlanned({ workspace, sessions }: PlanMode, session: SessionId | null): boolean {
  return workspace !== null || sessions.some((one) => session === null || one.session === session);
}

/** A workspace, and those whose folders are around it or inside it. */
export interface PlannedPlace {
  readonly ports: Pick<Ports, 'fs'>;
  readonly root: DiskPath;
  readonly store: { readonly layout: StoreLayout };
  overlapping(): readonly { readonly root: DiskPath; readonly layout: StoreLayout }[];
}

/**
 * Whether plan mode is on in the workspace or in one around it.
 * @throws SavepointError STORE_DAMAGED
 */
export function isPlannedAt({ ports, root, store, overlapping }: PlannedPlace, session: SessionId | null): boolean {
  const around = overlapping().filter((other) => isInside(root, other.root));
  const layouts = [store.layout, ...around.map(({ layout }) => layout)];
  return layouts.some((layout) => isPlanned(readPlanMode(ports, layout), session));
}

function fileIn(layout: StoreLayout): DiskPath {
  return diskChild(layout.path, 'plan-mode.json');
}
