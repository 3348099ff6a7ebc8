/**
 * The `side/` tree: data that a git tree cannot represent, in the same shape as `files/` (docs/format.md, "side").
 *
 * A folder's note is a blob named `%` in the folder's side tree. A subfolder's side tree has the name of the subfolder.
 * If that name begins with `%`, one more `%` is prepended, so that the two never collide.
 * A folder without a note, in itself or below, has no side tree. A note is JSON with sorted keys and with names in byte
 * order, so that equal folders share one blob.
 */
import type { Skip, SkipReason } from '../../model/entries.ts';
import { SavepointError } from '../../model/errors.ts';
import { componentFromJson, type JsonName, type Name, nameOf, nameToJson } from '../../model/names.ts';

export const NOTE_NAME = nameOf('%');

/** A skip with this name means that everything in the folder that is not recorded was not captured. */
export const ALL_OTHERS = '' as Name;

export const PLAIN_FILE_MODE = 0o644;
export const PLAIN_EXECUTABLE_MODE = 0o755;
export const PLAIN_FOLDER_MODE = 0o755;

export interface FolderNote {
  /** The folder's own permissions. */
  readonly mode: number;
  /** Permissions of the files whose mode differs from the one that git implies (0644, 0755). */
  readonly modes: ReadonlyMap<Name, number>;
  readonly skips: ReadonlyMap<Name, Skip>;
  /** Captured names that an ignore rule covered: a restore writes them but never removes them. */
  readonly ignored: ReadonlySet<Name>;
  /** Captured files that kept changing while they were read. */
  readonly unsettled: ReadonlySet<Name>;
}

export const PLAIN_NOTE: FolderNote = {
  mode: PLAIN_FOLDER_MODE,
  modes: new Map(),
  skips: new Map(),
  ignored: new Set(),
  unsettled: new Set(),
};

interface NoteJson {
  readonly d?: number;
  /** The most common permissions here of plain files (`f`, unless 0644) and of executables (`x`, unless 0755). */
  readonly f?: number;
  readonly x?: number;
  readonly m?: readonly (readonly [JsonName, number])[];
  readonly s?: readonly (readonly [JsonName, SkipReason, number | null, string | null])[];
  readonly i?: readonly JsonName[];
  readonly u?: readonly JsonName[];
}

export function sideName(name: Name): Name {
  return name.startsWith('%') ? nameOf(`%${name}`) : name;
}

export function nameFromSide(side: Name): Name {
  return side.startsWith('%') ? nameOf(side.slice(1)) : side;
}

/**
 * Returns the note's bytes, or null if the git tree represents everything.
 * @param files permissions of every file in the folder, so that common ones are written only once
 */
export function encodeNote(note: FolderNote, files: ReadonlyMap<Name, number>): Buffer | null {
  const plain = mostCommon(files, (mode) => (mode & 0o100) === 0) ?? PLAIN_FILE_MODE;
  const executable = mostCommon(files, (mode) => (mode & 0o100) !== 0) ?? PLAIN_EXECUTABLE_MODE;
  const odd = [...files].filter(([, mode]) => mode !== ((mode & 0o100) === 0 ? plain : executable));
  const json: NoteJson = {
    ...(note.mode === PLAIN_FOLDER_MODE ? {} : { d: note.mode }),
    ...(plain === PLAIN_FILE_MODE ? {} : { f: plain }),
    ...(executable === PLAIN_EXECUTABLE_MODE ? {} : { x: executable }),
    ...(odd.length === 0 ? {} : { m: sorted(odd).map(([name, mode]) => [nameToJson(name), mode]) }),
    ...(note.skips.size === 0
      ? {}
      : { s: sorted([...note.skips]).map(([n, s]) => [nameToJson(n), s.reason, s.size ?? null, s.code ?? null]) }),
    ...(note.ignored.size === 0 ? {} : { i: [...note.ignored].sort().map(nameToJson) }),
    ...(note.unsettled.size === 0 ? {} : { u: [...note.unsettled].sort().map(nameToJson) }),
  };
  return Object.keys(json).length === 0 ? null : Buffer.from(JSON.stringify(json));
}

export interface DecodedNote extends FolderNote {
  readonly plain: number;
  readonly executable: number;
}

export function decodeNote(data: Buffer): DecodedNote {
  let json: NoteJson;
  try {
    json = JSON.parse(data.toString('utf8')) as NoteJson;
    return {
      mode: json.d ?? PLAIN_FOLDER_MODE,
      plain: json.f ?? PLAIN_FILE_MODE,
      executable: json.x ?? PLAIN_EXECUTABLE_MODE,
      modes: new Map((json.m ?? []).map(([name, mode]) => [componentFromJson(name), mode & 0o7777])),
      skips: new Map(
        (json.s ?? []).map(([name, reason, size, code]) => [
          componentFromJson(name),
          { reason, ...(size === null ? {} : { size }), ...(code === null ? {} : { code }) },
        ]),
      ),
      ignored: new Set((json.i ?? []).map((name) => componentFromJson(name))),
      unsettled: new Set((json.u ?? []).map((name) => componentFromJson(name))),
    };
  } catch (cause) {
    throw new SavepointError('STORE_DAMAGED', 'A side note of the store cannot be read.', {}, { cause });
  }
}

function mostCommon(files: ReadonlyMap<Name, number>, wanted: (mode: number) => boolean): number | null {
  const counts = new Map<number, number>();
  for (const mode of files.values()) if (wanted(mode)) counts.set(mode, (counts.get(mode) ?? 0) + 1);
  let best: number | null = null;
  for (const [mode, count] of counts) {
    const bestCount = best === null ? 0 : (counts.get(best) ?? 0);
    if (count > bestCount || (count === bestCount && best !== null && mode < best)) best = mode;
  }
  return best;
}

function sorted<T>(pairs: (readonly [Name, T])[]): (readonly [Name, T])[] {
  return pairs.sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0));
}
