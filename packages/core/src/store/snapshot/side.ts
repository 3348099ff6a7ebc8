/**
 * The `side/` tree of a checkpoint: data on the folders of `files/` that a git tree cannot represent (docs/format.md,
 * "side").
 *
 * It has the same shape as `files/`. The side tree of a folder contains the folder's note, a blob named `%`, and the side
 * trees of its subfolders, under their names. If such a name begins with `%`, one more `%` is prepended, so that it cannot
 * collide with the note. A folder has no side tree if neither it nor any folder below it has a note.
 *
 * A note is JSON with its keys in a fixed order and with names in byte order, so that equal folders share one blob.
 */
import type { Skip, SkipReason } from '../../model/entries.ts';
import { SavepointError } from '../../model/errors.ts';
import { componentFromJson, type JsonName, type Name, nameOf, nameToJson } from '../../model/names.ts';

export const NOTE_NAME = nameOf('%');

/** A skip with this name covers everything in the folder that the snapshot does not contain. */
export const ALL_OTHERS = '' as Name;

/** How each note begins: with one of the fields of a {@link NoteJson}. */
const NOTE_START = /^\{"[a-z]"/;
/** Permissions that the modes of a git tree stand for, and that notes leave out. */
const PLAIN_FILE_MODE = 0o644;
const PLAIN_EXECUTABLE_MODE = 0o755;
const PLAIN_FOLDER_MODE = 0o755;

export interface FolderNote {
  /** The folder's own permissions. */
  readonly mode: number;
  /** Paths in the folder that were not captured. */
  readonly skips: ReadonlyMap<Name, Skip>;
  /** Captured names that an ignore rule covered: a restore writes them but never removes them. */
  readonly ignored: ReadonlySet<Name>;
  /** Captured files that kept changing while they were read. */
  readonly unsettled: ReadonlySet<Name>;
  /** Names that did not exist, although a skip covers everything else in the folder. */
  readonly absent: ReadonlySet<Name>;
}

/** A stored note also contains the permissions of the files in the folder. */
export interface DecodedNote extends FolderNote {
  /** Of files that are not executable. */
  readonly fileMode: number;
  readonly executableMode: number;
  /** Of the files whose permissions differ from these two. */
  readonly otherModes: ReadonlyMap<Name, number>;
}

/** The note of a folder that has none. */
export const PLAIN_NOTE: DecodedNote = {
  mode: PLAIN_FOLDER_MODE,
  fileMode: PLAIN_FILE_MODE,
  executableMode: PLAIN_EXECUTABLE_MODE,
  otherModes: new Map(),
  skips: new Map(),
  ignored: new Set(),
  unsettled: new Set(),
  absent: new Set(),
};

/** Keys with plain or empty values are absent. */
interface NoteJson {
  /** The folder's own permissions. */
  readonly d?: number;
  /** The most common permissions of files that are not executable. */
  readonly f?: number;
  /** The most common permissions of executable files. */
  readonly x?: number;
  /** Other permissions. */
  readonly m?: readonly (readonly [JsonName, number])[];
  /** Skips: name, reason, size, error code. */
  readonly s?: readonly (readonly [JsonName, SkipReason, number | null, string | null])[];
  /** Modification times of skipped files. */
  readonly t?: readonly (readonly [JsonName, number])[];
  /** Ignored names. */
  readonly i?: readonly JsonName[];
  /** Unsettled names. */
  readonly u?: readonly JsonName[];
  /** Absent names. */
  readonly a?: readonly JsonName[];
}

/** The name in a side tree for the side tree of a subfolder. */
export function sideName(name: Name): Name {
  return name.startsWith('%') ? nameOf(`%${name}`) : name;
}

/** The inverse of `sideName`. */
export function nameFromSide(side: Name): Name {
  return side.startsWith('%') ? nameOf(side.slice(1)) : side;
}

/**
 * Returns the note's bytes, or null if the git tree represents everything.
 * @param modes permissions of every file in the folder, so that common ones are written only once
 */
export function encodeNote(note: FolderNote, modes: ReadonlyMap<Name, number>): Buffer | null {
  const fileMode = mostCommon(modes, (mode) => !isExecutable(mode)) ?? PLAIN_FILE_MODE;
  const executableMode = mostCommon(modes, isExecutable) ?? PLAIN_EXECUTABLE_MODE;
  const otherModes = [...modes].filter(([, mode]) => mode !== (isExecutable(mode) ? executableMode : fileMode));
  const times = [...note.skips].flatMap(([name, { modified }]) =>
    modified === undefined ? [] : [[name, modified] as const],
  );
  const json: NoteJson = {
    ...(note.mode === PLAIN_FOLDER_MODE ? {} : { d: note.mode }),
    ...(fileMode === PLAIN_FILE_MODE ? {} : { f: fileMode }),
    ...(executableMode === PLAIN_EXECUTABLE_MODE ? {} : { x: executableMode }),
    ...(otherModes.length === 0 ? {} : { m: sorted(otherModes).map(([name, mode]) => [nameToJson(name), mode]) }),
    ...(note.skips.size === 0
      ? {}
      : {
          s: sorted([...note.skips]).map(([name, { reason, size, code }]) => [
            nameToJson(name),
            reason,
            size ?? null,
            code ?? null,
          ]),
        }),
    ...(times.length === 0 ? {} : { t: sorted(times).map(([name, modified]) => [nameToJson(name), modified]) }),
    ...(note.ignored.size === 0 ? {} : { i: [...note.ignored].sort().map(nameToJson) }),
    ...(note.unsettled.size === 0 ? {} : { u: [...note.unsettled].sort().map(nameToJson) }),
    ...(note.absent.size === 0 ? {} : { a: [...note.absent].sort().map(nameToJson) }),
  };
  return Object.keys(json).length === 0 ? null : Buffer.from(JSON.stringify(json));
}

/** Whether a blob may be a note: true for every note, and for few other contents. */
export function isLikeNote(data: Uint8Array): boolean {
  return NOTE_START.test(String.fromCharCode(...data.subarray(0, 5)));
}

export function decodeNote(data: Buffer): DecodedNote {
  try {
    const json = JSON.parse(data.toString('utf8')) as NoteJson;
    const times = new Map((json.t ?? []).map(([name, modified]) => [componentFromJson(name), modified]));
    return {
      mode: json.d ?? PLAIN_FOLDER_MODE,
      fileMode: json.f ?? PLAIN_FILE_MODE,
      executableMode: json.x ?? PLAIN_EXECUTABLE_MODE,
      otherModes: new Map((json.m ?? []).map(([name, mode]) => [componentFromJson(name), mode & 0o7777])),
      skips: new Map(
        (json.s ?? []).map(([jsonName, reason, size, code]) => {
          const name = componentFromJson(jsonName);
          const modified = times.get(name);
          return [
            name,
            {
              reason,
              ...(size === null ? {} : { size }),
              ...(code === null ? {} : { code }),
              ...(modified === undefined ? {} : { modified }),
            },
          ];
        }),
      ),
      ignored: new Set((json.i ?? []).map((name) => componentFromJson(name))),
      unsettled: new Set((json.u ?? []).map((name) => componentFromJson(name))),
      absent: new Set((json.a ?? []).map((name) => componentFromJson(name))),
    };
  } catch (cause) {
    throw unreadableNote(cause);
  }
}

/** Splits a note into the times of skipped files and everything else, both as texts. */
export function noteWithoutTimes(data: Buffer): { readonly times: readonly string[]; readonly rest: string } {
  try {
    const { t: times = [], ...rest } = JSON.parse(data.toString('utf8')) as NoteJson;
    return { times: times.map((row) => JSON.stringify(row)), rest: JSON.stringify(rest) };
  } catch (cause) {
    throw unreadableNote(cause);
  }
}

/** Whether git stores a file with these permissions as executable. */
export function isExecutable(mode: number): boolean {
  return (mode & 0o100) !== 0;
}

function unreadableNote(cause: unknown): SavepointError {
  return new SavepointError('STORE_DAMAGED', 'The note of a folder in the store cannot be read.', {}, { cause });
}

/** Returns the most common of the wanted modes, the lowest of equally common ones; null if there is none. */
function mostCommon(modes: ReadonlyMap<Name, number>, isWanted: (mode: number) => boolean): number | null {
  const counts = new Map<number, number>();
  for (const mode of modes.values()) if (isWanted(mode)) counts.set(mode, (counts.get(mode) ?? 0) + 1);
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
