/** Validates the notes in the side trees of an untrusted bundle: JSON with names, permissions and skip reasons only. */

import { readJson } from '../../content/strict-json.ts';
import { isSkipReason } from '../../model/entries.ts';
import { nameFromJson } from '../../model/names.ts';
import { isJsonName } from '../../store/json-shape.ts';
import { FormatProblem } from '../../store/objects/damage.ts';

const KEYS = new Set(['d', 'f', 'x', 'm', 's', 'i', 'u']);
const FOLDER_PERMISSIONS = 0o7777;
/** The author of a bundle must not create set-id files that run with the rights of the user who restores it. */
const FILE_PERMISSIONS = 0o777;
const MAX_NAME_BYTES = 4096;

/**
 * Validates one note.
 * @param isFile returns whether the folder has a file of that name
 * @param has returns whether the folder has any entry of that name
 * @throws FormatProblem
 */
export function checkNote(data: Buffer, isFile: (name: string) => boolean, has: (name: string) => boolean): void {
  let json: unknown;
  try {
    json = readJson(data, { keys: 'once-any-name' });
  } catch (cause) {
    throw new FormatProblem('is not JSON', { cause });
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json)) throw new FormatProblem('is not an object');
  const note = json as Readonly<Record<string, unknown>>;
  for (const key of Object.keys(note)) {
    if (!KEYS.has(key)) throw new FormatProblem('has an unknown field');
  }
  for (const [key, most] of [
    ['d', FOLDER_PERMISSIONS],
    ['f', FILE_PERMISSIONS],
    ['x', FILE_PERMISSIONS],
  ] as const) {
    if (note[key] !== undefined) checkPermissions(note[key], most);
  }
  for (const row of listOf(note['m'])) {
    const [name, mode] = arrayOfLength(row, 2);
    if (!isFile(nameIn(name))) throw new FormatProblem('has permissions of a missing file');
    checkPermissions(mode, FILE_PERMISSIONS);
  }
  for (const row of listOf(note['s'])) {
    const [name, reason, size, code] = arrayOfLength(row, 4);
    if (has(nameIn(name))) throw new FormatProblem('lists a path as captured and as left out');
    if (!isSkipReason(reason)) throw new FormatProblem('has an unknown reason');
    if (size !== null && !(typeof size === 'number' && Number.isSafeInteger(size) && size >= 0))
      throw new FormatProblem('has an invalid size');
    if (code !== null && !(typeof code === 'string' && /^[A-Z0-9_]{1,40}$/.test(code)))
      throw new FormatProblem('has an invalid code');
  }
  for (const key of ['i', 'u']) {
    for (const name of listOf(note[key])) if (!has(nameIn(name))) throw new FormatProblem('names a missing path');
  }
}

function listOf(value: unknown): readonly unknown[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw new FormatProblem('lacks a list');
  return value;
}

function arrayOfLength(value: unknown, length: number): readonly unknown[] {
  if (!Array.isArray(value) || value.length !== length) throw new FormatProblem('has a malformed row');
  return value;
}

function nameIn(value: unknown): string {
  if (!isJsonName(value)) throw new FormatProblem('has a malformed name');
  const name = nameFromJson(value);
  if (name.length > MAX_NAME_BYTES || /[/\0]/.test(name)) throw new FormatProblem('has an invalid name');
  return name;
}

function checkPermissions(value: unknown, most: number): void {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0 || value > FOLDER_PERMISSIONS) {
    throw new FormatProblem('has invalid permissions');
  }
  if (value > most) throw new FormatProblem('has a file with set-id bits');
}
