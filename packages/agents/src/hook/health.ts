/**
 * Notes of hooks for `savepoint status`: `agents/<agent>.<what>.json` in the home. Each file is replaced atomically; if
 * two hooks write at the same time, the last one wins. Errors are ignored, because a hook must not fail because of
 * them.
 */

import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';

/** The newest handled event of an agent. It proves that the hooks fire. */
export interface LastEvent {
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly event: string;
  readonly session: string;
  readonly folder: string;
}

/** The newest event whose handling failed, until another one is handled. */
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
  const note = folderNote(event.folder);
  const isNew = read(home, agent, note, isEvent) === null;
  write(home, agent, note, event);
  if (isNew) removeOldNotes(home, agent);
}

/** Returns the newest event from one of the folders, or from a folder below them. */
export function lastEventFrom(home: string, agent: string, folders: readonly string[]): LastEvent | null {
  const found = folders.flatMap((folder) => eventsFrom(home, agent, folder)).map(({ event }) => event);
  return found.reduce<LastEvent | null>(
    (last, event) => (last === null || event.time > last.time ? event : last),
    null,
  );
}

/** Called when the hooks are removed on request, so that `status` does not miss them. */
export function forgetEventsFrom(home: string, agent: string, folder: string): void {
  for (const { note } of eventsFrom(home, agent, folder)) removeNote(fileOf(home, agent, note));
}

export function noteFailure(home: string, agent: string, failure: LastFailure): void {
  write(home, agent, 'failure', { ...failure, message: failure.message.slice(0, MAX_MESSAGE_LENGTH) });
}

/** Called when an event was handled. One that is only ignored proves nothing about the others. */
export function forgetFailure(home: string, agent: string): void {
  removeNote(fileOf(home, agent, 'failure'));
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

type NoteKind = 'event' | 'failure' | 'uncovered' | `event-${string}`;

/** The oldest notes of folders are removed above this number. */
const MAX_FOLDERS = 200;

function isEvent(value: LastEvent): boolean {
  return typeof value.time === 'number' && typeof value.event === 'string' && typeof value.folder === 'string';
}

function folderNote(folder: string): `event-${string}` {
  return `event-${createHash('sha256').update(folder).digest('hex').slice(0, 16)}`;
}

function eventsFrom(home: string, agent: string, folder: string) {
  const inside = folder.endsWith(sep) ? folder : folder + sep;
  return folderNotes(home, agent).flatMap((note) => {
    const event = read<LastEvent>(home, agent, note, isEvent);
    const isHere = event !== null && (event.folder === folder || event.folder.startsWith(inside));
    return isHere ? [{ note, event }] : [];
  });
}

function folderNotes(home: string, agent: string): readonly `event-${string}`[] {
  const start = `${agent}.event-`;
  try {
    const names = readdirSync(join(home, 'agents')).filter((name) => name.startsWith(start) && name.endsWith('.json'));
    return names.map((name) => `event-${name.slice(start.length, -'.json'.length)}` as const);
  } catch {
    return [];
  }
}

function removeOldNotes(home: string, agent: string): void {
  const notes = folderNotes(home, agent);
  if (notes.length <= MAX_FOLDERS) return;
  const timeOf = (note: NoteKind): number => read<LastEvent>(home, agent, note, isEvent)?.time ?? 0;
  const byAge = notes.map((note) => ({ note, time: timeOf(note) })).sort((a, b) => a.time - b.time);
  for (const { note } of byAge.slice(0, notes.length - MAX_FOLDERS)) removeNote(fileOf(home, agent, note));
}

function removeNote(file: string): void {
  try {
    unlinkSync(file);
  } catch {
    // It was never created, or another process removed it.
  }
}

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
    removeNote(temporary);
  }
}
