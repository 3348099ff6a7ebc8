/**
 * The guard of a workspace (docs/format.md): `guard.json` has what a person turned on, `guard-state.json` what it
 * needs to remember. A damaged `guard.json` is an error. Without the state, the next turn only begins with a new base.
 */

import { durableWrite } from '../../io/durable-write.ts';
import { removeIfExists } from '../../io/if-exists.ts';
import type { Ports } from '../../io/ports.ts';
import type { CheckpointId, SessionId } from '../../model/ids.ts';
import { type DiskPath, diskChild } from '../../model/names.ts';
import { integer, listOf, matching, objectOf, oneOf, optional, text } from '../json-shape.ts';
import type { StoreLayout } from '../layout.ts';
import { ownerState, parseProcessName } from '../process-name.ts';
import { readCacheJson, writeCacheFile } from './cache-file.ts';
import { readDecided } from './decided-file.ts';

/** When the checks run: after each turn, or also after that many calls of a session. */
export type GuardEvery = 'turn' | number;

export interface GuardSettings {
  readonly checks: readonly string[];
  readonly every: GuardEvery;
  /** How often work is taken back in a row before it is left. */
  readonly attempts: number;
  /** For all checks together, in milliseconds. */
  readonly timeoutMs: number;
  /** A person allowed checks for agents whose shell is sandboxed, although the checks are not. */
  readonly outsideSandbox: boolean;
  /** Milliseconds since 1970. */
  readonly since: number;
  /** The process with which the guard ends, as `processNameText` writes it; null: it stays on. */
  readonly owner: string | null;
}

/** What the guard remembers of a session. */
export interface GuardedSession {
  /** How often its work was taken back since nothing was worse, or since its last prompt. */
  readonly attempts: number;
  /** Number of the checkpoint of its last take-back. */
  readonly lastAttempt: number;
  /** Its calls since the checks ran. */
  readonly calls: number;
  /** What no answer could pass to its agent so far. */
  readonly untold: string | null;
}

/**
 * - `good`: nothing was worse
 * - `repaired`: the same, after work was taken back
 * - `taken-back`: something was worse, and the work was taken back
 * - `left`: something was worse, and the work stays
 * - `unknown`: the checks gave no answer
 */
export type GuardOutcome = 'good' | 'repaired' | 'taken-back' | 'left' | 'unknown';

export interface GuardEvent {
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly session: SessionId;
  readonly agent: string;
  readonly outcome: GuardOutcome;
  readonly checkpoint: CheckpointId | null;
  /** One line, for display. */
  readonly text: string;
}

export interface GuardState {
  /** The last state in which nothing was worse, with which later work is compared. */
  readonly base: CheckpointId | null;
  readonly sessions: Readonly<Record<SessionId, GuardedSession>>;
  /** Oldest first. */
  readonly events: readonly GuardEvent[];
}

/** How often each came of work that was checked. */
export interface GuardCounts {
  readonly turns: number;
  readonly takenBack: number;
  readonly repaired: number;
  readonly left: number;
}

const SETTINGS_BYTES = 1024 * 1024;
const STATE_BYTES = 16 * 1024 * 1024;
const MAX_EVENTS = 1_000;
const MAX_SESSIONS = 200;
const MAX_TIMEOUT_MS = 24 * 60 * 60_000;

export const NOT_GUARDED_YET: GuardedSession = { attempts: 0, lastAttempt: 0, calls: 0, untold: null };

const SETTINGS = objectOf({
  format: oneOf(1),
  checks: listOf(text(200), 1_000),
  every: (value, at) => {
    if (value !== 'turn') integer(1)(value, at);
  },
  attempts: integer(1),
  timeoutMs: integer(1, MAX_TIMEOUT_MS),
  outsideSandbox: oneOf(true, false),
  since: matching(/^\d{4}-/),
  owner: optional(text(200)),
});

/** @returns null if nothing is guarded, or if the process with which the guard ends has died. @throws SavepointError STORE_DAMAGED */
export function readGuard(ports: Pick<Ports, 'fs' | 'processes'>, layout: StoreLayout): GuardSettings | null {
  const json = readDecided<GuardJson>(ports.fs, {
    path: settingsFile(layout),
    maxBytes: SETTINGS_BYTES,
    shape: SETTINGS,
    unknown: 'it is unknown what is guarded',
    hint: 'Run `savepoint guard off`, then turn the guard on again.',
  });
  if (json === null) return null;
  const { since, owner = null, checks, every, attempts, timeoutMs, outsideSandbox } = json;
  if (owner !== null && isDead(ports, owner)) return null;
  return { checks, every, attempts, timeoutMs, outsideSandbox, since: Date.parse(since), owner };
}

type GuardJson = Omit<GuardSettings, 'owner' | 'since'> & { readonly since: string; readonly owner?: string };

/** Durable on return. The caller holds the store's lock. */
export function writeGuard({ fs }: Pick<Ports, 'fs'>, layout: StoreLayout, settings: GuardSettings): void {
  const { owner, ...others } = settings;
  const since = new Date(settings.since).toISOString();
  const json = { format: 1, ...others, since, ...(owner === null ? {} : { owner }) };
  durableWrite(fs, settingsFile(layout), Buffer.from(`${JSON.stringify(json, null, 2)}\n`), 0o600);
}

/** The events stay, for statistics. The caller holds the store's lock. */
export function removeGuard(ports: Pick<Ports, 'fs'>, layout: StoreLayout): void {
  removeIfExists(ports.fs, settingsFile(layout));
  const { events } = readGuardState(ports, layout);
  if (events.length > 0) writeGuardState(ports, layout, { base: null, sessions: {}, events });
  else removeIfExists(ports.fs, stateFile(layout));
}

/** Empty if the file is missing or damaged. */
export function readGuardState({ fs }: Pick<Ports, 'fs'>, layout: StoreLayout): GuardState {
  const empty: GuardState = { base: null, sessions: {}, events: [] };
  return readCacheJson(fs, stateFile(layout), STATE_BYTES, stateOf) ?? empty;
}

/** Not synced. The caller holds the store's lock, or does not mind that another process's change is lost. */
export function writeGuardState({ fs }: Pick<Ports, 'fs'>, layout: StoreLayout, state: GuardState): void {
  const sessions = Object.fromEntries(Object.entries(state.sessions).slice(-MAX_SESSIONS));
  const json = { format: 1, ...state, sessions, events: state.events.slice(-MAX_EVENTS) };
  writeCacheFile(fs, stateFile(layout), Buffer.from(JSON.stringify(json)));
}

/** Counts what became of work, as far as it is remembered. */
export function guardCounts(ports: Pick<Ports, 'fs'>, layout: StoreLayout): GuardCounts {
  const { events } = readGuardState(ports, layout);
  const count = (outcome: GuardOutcome): number => events.filter((event) => event.outcome === outcome).length;
  return { turns: events.length, takenBack: count('taken-back'), repaired: count('repaired'), left: count('left') };
}

function stateOf(json: Partial<GuardState> | null): GuardState {
  const { base, sessions, events } = json ?? {};
  return {
    base: typeof base === 'string' && /^cp_[1-9]\d{0,8}$/.test(base) ? base : null,
    sessions: Object.fromEntries(
      Object.entries(isObject(sessions) ? sessions : {}).filter(([, one]) => typeof one?.attempts === 'number'),
    ),
    events: Array.isArray(events) ? events.filter((event) => typeof event?.outcome === 'string') : [],
  };
}

function isDead(ports: Pick<Ports, 'processes'>, owner: string): boolean {
  const name = parseProcessName(owner);
  return name !== null && ownerState(ports, name) === 'dead';
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function settingsFile(layout: StoreLayout): DiskPath {
  return diskChild(layout.path, 'guard.json');
}

function stateFile(layout: StoreLayout): DiskPath {
  return diskChild(layout.path, 'guard-state.json');
}
