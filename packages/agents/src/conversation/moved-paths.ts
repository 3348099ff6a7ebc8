/** Paths in a conversation that continues in a copy of the workspace: the agent must not work in the original. */

import { join } from 'node:path';
import { textFromBytes } from '@savepoint/core';
import { type DiskPath, type Fs, isFsError } from '@savepoint/core/ports';
import type { SessionPlace } from './agent-conversation.ts';
import { conversationRefused } from './refused.ts';

/** @returns what replaces the path of the workspace in a row with that of the copy; without a copy, nothing */
export function pathsMover(place: SessionPlace): <T>(row: T) => T {
  if (place.copy === undefined) return (row) => row;
  const [from, to] = [textFromBytes(place.dir), textFromBytes(place.copy)];
  if (from === null || to === null || from === '/')
    throw conversationRefused(place, 'the path of a folder is not text');
  // Not a part of another path. In JSON within JSON, the letter of an escaped line break may be before it.
  const path = new RegExp(`(?:(?<=\\\\[nrt])|(?<![\\w.-]))${from.replaceAll(/[^\w/]/g, '\\$&')}(?![\\w.-])`, 'g');
  const move = (value: unknown): unknown => {
    if (typeof value === 'string') return value.includes(from) ? value.replaceAll(path, () => to) : value;
    if (Array.isArray(value)) return value.map(move);
    // The provider has signed what the model thought, and would refuse it if it were changed.
    if (value === null || typeof value !== 'object' || ('type' in value && value.type === 'thinking')) return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [move(key), move(each)]));
  };
  return (row) => move(row) as typeof row;
}

/** @param dir where it would continue in the workspace @returns the same folder of the copy, if there is a copy */
export function folderInCopy(fs: Fs, { dir: workspace, copy }: SessionPlace, dir: DiskPath): DiskPath {
  if (copy === undefined) return dir;
  const folder = join(copy, dir.slice(workspace.length)) as DiskPath;
  try {
    return fs.lstat(folder) === null ? copy : folder;
  } catch (error) {
    if (isFsError(error, 'ENOTDIR')) return copy;
    throw error;
  }
}
