/**
 * Notes of hooks for `savepoint status`: `agents/<agent>.<what>.json` in the home. Each file is replaced atomically; if
 * two hooks write at the same time, the last one wins. Errors are ignored, because a hook must not fail because of
 * them.
 */

import { mkdirSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The newest handled event of an agent. It proves that the hooks fire. */
export interface LastEvent {
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly event: string;
  readonly session: string;
  readonly folder: string;
}

/** The newest event whose handling failed. */
export interface LastFailure {
  readonly time: number;
  readonly event: string;
  readonly folder: string;
  readonly message: string;
}

/** A path that an agent wrote and that is in no checkpoint. */
export interface UncoveredRecord {
  readonly time: number;
  readonly path: string;
  readonly why: string;
}

export interface HookHealth {
  readonly lastEvent: LastEvent | null;
  readonly lastFailure: LastFailure | null;
  readonly uncovered: readonly UncoveredRecord[];
}

const MAX_UNCOVERED = 20;
const MAX_MESSAGE_LENGTH = 1_000;

/** @param home the folder of the stores */
export function noteEvent(home: string, agent: string, event: LastEvent): void {
  write(home, agent, 'event', event);
}

export function noteFailure(home: string, agent: string, failure: LastFailure): void {
  write(home, agent, 'failure', { ...failure, message: failure.message.slice(0, MAX_MESSAGE_LENGTH) });
}

/** @returns the paths that were not on the list yet */
export function noteUncovered(
  home: string,
  agent: string,
  found: readonly UncoveredRecord[],
): readonly UncoveredRecord[] {
  if (found.length === 0) return [];
  const paths = new Set(found.map(({ path }) => path));
  const before = uncoveredOf(home, agent);
  const others = before.filter(({ path }) => !paths.has(path));
  write(home, agent, 'uncovered', [...found, ...others].slice(0, MAX_UNCOVERED));
  const known = new Set(before.map(({ path }) => path));
  return found.filter(({ path }) => !known.has(path));
}

export function healthOf(home: string, agent: string): HookHealth {
  return {
    lastEvent: read<LastEvent>(home, agent, 'event', (it) => typeof it.time === 'number'),
    lastFailure: read<LastFailure>(home, agent, 'failure', (it) => typeof it.message === 'string'),
    uncovered: uncoveredOf(home, agent),
  };
}

function uncoveredOf(home: string, agent: string): readonly UncoveredRecord[] {
  return read<readonly UncoveredRecord[]>(home, agent, 'uncovered', Array.isArray) ?? [];
}

type NoteKind = 'event' | 'failure' | 'uncovered';

function fileOf(home: string, agent: string, what: NoteKind): string {
  return join(home, 'agents', `${agent}.${what}.json`);
}

function read<T>(home: string, agent: string, what: NoteKind, fits: (value: T) => boolean): T | null {
  try {
    const value = JSON.parse(readFileSync(fileOf(home, agent, what), 'utf8')) as T | null;
    return typeof value === 'object' && value !== null && fits(value) ? value : null;
  } catch {
    return null;
  }
}

function write(home: string, agent: string, what: NoteKind, value: unknown): void {
  const file = fileOf(home, agent, what);
  const temporary = `${file}.${process.pid}`;
  try {
    mkdirSync(join(home, 'agents'), { recursive: true, mode: 0o700 });
    writeFileSync(temporary, JSON.stringify(value), { mode: 0o600, flag: 'wx' });
    renameSync(temporary, file);
  } catch {
    try {
      unlinkSync(temporary);
    } catch {
      // It was never created.
    }
  }
}
