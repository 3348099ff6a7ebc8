/**
 * Validates the notes in the side trees of an untrusted bundle: JSON with names, permissions and skip reasons only.
 * docs/format.md, "side", explains the keys.
 */

import { readJson } from '../../content/strict-json.ts';
import { isSkipReason } from '../../model/entries.ts';
import { nameFromJson } from '../../model/names.ts';
import { isJsonName } from '../../store/json-shape.ts';
import { FormatProblem } from '../../store/objects/damage.ts';

const KEYS: ReadonlySet<string> = new Set(['d', 'f', 'x', 'm', 's', 'i', 'u', 'a']);
const FOLDER_PERMISSIONS = 0o7777;
/** The author of a bundle must not create set-id files that run with the rights of the user who restores it. */
const FILE_PERMISSIONS = 0o777;
const MAX_NAME_BYTES = 4096;

/**
 * Validates one note.
 * @param isFile returns whether the folder has a file of that name
 * @param isCaptured returns whether the folder has any entry of that name
 * @throws FormatProblem
 */
export function checkNote(
  data: Buffer,
  isFile: (name: string) => boolean,
  isCaptured: (name: string) => boolean,
): void {
  const note = objectIn(data);
  for (const key of Object.keys(note)) {
    if (!KEYS.has(key)) throw new FormatProblem('has an unknown field');
  }
  if (note['d'] !== undefined) checkPermissions(note['d'], FOLDER_PERMISSIONS);
  if (note['f'] !== undefined) checkPermissions(note['f'], FILE_PERMISSIONS);
  if (note['x'] !== undefined) checkPermissions(note['x'], FILE_PERMISSIONS);
  for (const row of listOf(note['m'])) {
    const [name, mode] = arrayOfLength(row, 2);
    if (!isFile(nameIn(name))) throw new FormatProblem('has permissions of a missing file');
    checkPermissions(mode, FILE_PERMISSIONS);
  }
  for (const row of listOf(note['s'])) checkSkip(row, isCaptured);
  for (const list of ['i', 'u']) {
    for (const name of listOf(note[list])) {
      if (!isCaptured(nameIn(name))) throw new FormatProblem('names a missing path');
    }
  }
  for (const name of listOf(note['a'])) {
    if (isCaptured(nameIn(name))) throw new FormatProblem('lists a path as captured and as absent');
  }
}

function objectIn(data: Buffer): Readonly<Record<string, unknown>> {
  let json: unknown;
  try {
    json = readJson(data, { keys: 'once-any-name' });
  } catch (cause) {
    throw new FormatProblem('is not JSON', { cause });
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json)) throw new FormatProblem('is not an object');
  return json as Readonly<Record<string, unknown>>;
}

function checkSkip(row: unknown, isCaptured: (name: string) => boolean): void {
  const [name, reason, size, code] = arrayOfLength(row, 4);
  if (isCaptured(nameIn(name))) throw new FormatProblem('lists a path as captured and as left out');
  if (!isSkipReason(reason)) throw new FormatProblem('has an unknown reason');
  if (size !== null && !(typeof size === 'number' && Number.isSafeInteger(size) && size >= 0))
    throw new FormatProblem('has an invalid size');
  if (code !== null && !(typeof code === 'string' && /^[A-Z0-9_]{1,40}$/.test(code)))
    throw new FormatProblem('has an invalid code');
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

/** @param allowed all permission bits that may be set */
function checkPermissions(value: unknown, allowed: number): void {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0 || value > FOLDER_PERMISSIONS) {
    throw new FormatProblem('has invalid permissions');
  }
  if (value > allowed) throw new FormatProblem('has a file with set-id bits');
}
