/**
 * What hooks leave for `savepoint status` to tell: `agents/<agent>.<what>.json` below the home. Each is replaced whole;
 * of two hooks at once the last has its say. A note that cannot be written is left out: a hook must not fail for it.
 */

import { mkdirSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The newest event of an agent that was dealt with: its hooks do fire. */
export interface LastEvent {
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly event: string;
  readonly session: string;
  readonly folder: string;
}

/** The newest event that could not be dealt with. */
export interface LastFailure {
  readonly time: number;
  readonly event: string;
  readonly folder: string;
  readonly message: string;
}

/** A path that an agent wrote and no checkpoint has. */
export interface Uncovered {
  readonly time: number;
  readonly path: string;
  readonly why: string;
}

export interface Health {
  readonly lastEvent: LastEvent | null;
  readonly lastFailure: LastFailure | null;
  readonly uncovered: readonly Uncovered[];
}

const MOST_UNCOVERED = 20;
const LONGEST_MESSAGE = 1_000;

/** @param home where stores are kept */
export function noteEvent(home: string, agent: string, event: LastEvent): void {
  write(home, agent, 'event', event);
}

export function noteFailure(home: string, agent: string, failure: LastFailure): void {
  write(home, agent, 'failure', { ...failure, message: failure.message.slice(0, LONGEST_MESSAGE) });
}

/** @returns those that were not on the list yet */
export function noteUncovered(home: string, agent: string, found: readonly Uncovered[]): readonly Uncovered[] {
  if (found.length === 0) return [];
  const paths = new Set(found.map(({ path }) => path));
  const before = uncoveredOf(home, agent);
  const others = before.filter(({ path }) => !paths.has(path));
  write(home, agent, 'uncovered', [...found, ...others].slice(0, MOST_UNCOVERED));
  const known = new Set(before.map(({ path }) => path));
  return found.filter(({ path }) => !known.has(path));
}

export function healthOf(home: string, agent: string): Health {
  return {
    lastEvent: read<LastEvent>(home, agent, 'event', (it) => typeof it.time === 'number'),
    lastFailure: read<LastFailure>(home, agent, 'failure', (it) => typeof it.message === 'string'),
    uncovered: uncoveredOf(home, agent),
  };
}

function uncoveredOf(home: string, agent: string): readonly Uncovered[] {
  return read<readonly Uncovered[]>(home, agent, 'uncovered', Array.isArray) ?? [];
}

type What = 'event' | 'failure' | 'uncovered';

function fileOf(home: string, agent: string, what: What): string {
  return join(home, 'agents', `${agent}.${what}.json`);
}

function read<T>(home: string, agent: string, what: What, fits: (value: T) => boolean): T | null {
  try {
    const value = JSON.parse(readFileSync(fileOf(home, agent, what), 'utf8')) as T | null;
    return typeof value === 'object' && value !== null && fits(value) ? value : null;
  } catch {
    return null;
  }
}

function write(home: string, agent: string, what: What, value: unknown): void {
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
      // It was never made.
    }
  }
}
