/** Reads the two configuration files. A missing file means the defaults, an unreadable file never does. */

import { showName } from '../content/show-name.ts';
import { readEntireFile } from '../io/durable-write.ts';
import { FsError, isFsError } from '../io/fs.ts';
import type { Ports } from '../io/ports.ts';
import { SavepointError } from '../model/errors.ts';
import { type DiskPath, diskChild, nameToJson, textFromBytes } from '../model/names.ts';
import { type ParsedFile, parseSettings } from './parse-settings.ts';
import { type ConfigFile, mergeSettings, type Settings, type SettingsSource } from './settings.ts';

export const USER_FILE = 'config.json';
export const PROJECT_FILE = '.savepoint.json';

const CONFIG_BYTES = 256 * 1024;
const EMPTY_FILE: ParsedFile = { values: new Map(), problems: [], unknown: [] };

export interface SettingsFolders {
  /** The folder of stores. */
  readonly home: DiskPath;
  /** The workspace's folder. */
  readonly root: DiskPath;
}

/**
 * Reads the settings in effect and all problems of the files. Call {@link assertValidSettings} before acting on them.
 */
export function readSettings({ fs }: Ports, places: SettingsFolders, source: SettingsSource): Settings {
  const user = readFile(fs, 'user', diskChild(places.home, USER_FILE));
  const path = diskChild(places.root, PROJECT_FILE);
  const project =
    user.parsed.values.get('project_file') === false
      ? { file: { of: 'project', path, state: 'unused', problems: [] } as const, parsed: EMPTY_FILE }
      : readFile(fs, 'project', path);
  return mergeSettings(source, user, project);
}

/** @throws SavepointError BAD_CONFIG */
export function assertValidSettings({ files }: Settings): void {
  const bad = files.filter(({ state }) => state === 'bad');
  const first = bad[0];
  if (first === undefined) return;
  const problemList = bad.flatMap(({ path, problems }) =>
    problems.map(({ key, message }) => ({ file: nameToJson(path), key, message })),
  );
  const lines = bad.flatMap(({ path, problems }) =>
    problems.map(({ key, message }) => `${showName(path)}: ${key === null ? 'it' : key} ${message}.`),
  );
  throw new SavepointError('BAD_CONFIG', lines.join('\n'), { file: nameToJson(first.path), problems: problemList });
}

function readFile(
  fs: Ports['fs'],
  of: ConfigFile['of'],
  path: DiskPath,
): { readonly file: ConfigFile; readonly parsed: ParsedFile } {
  const bad = (message: string): { readonly file: ConfigFile; readonly parsed: ParsedFile } => ({
    file: { of, path, state: 'bad', problems: [{ key: null, message }] },
    parsed: EMPTY_FILE,
  });
  let bytes: Buffer;
  try {
    bytes = readEntireFile(fs, path, CONFIG_BYTES);
  } catch (error) {
    if (isFsError(error, 'ENOENT', 'ENOTDIR'))
      return { file: { of, path, state: 'absent', problems: [] }, parsed: EMPTY_FILE };
    if (isFsError(error, 'EFBIG')) return bad(`is larger than ${CONFIG_BYTES / 1024} kB`);
    if (isFsError(error, 'ELOOP')) return bad('is a link, but must be a regular file');
    if (isFsError(error, 'EINVAL', 'EISDIR')) return bad('is not a file');
    if (error instanceof FsError) return bad(`cannot be read (${error.code})`);
    throw error;
  }
  const text = textFromBytes(bytes.toString('latin1').replace(/^\xef\xbb\xbf/, ''));
  if (text === null) return bad('is not UTF-8');
  const parsed = parseSettings(text, of);
  // An unknown key in a project's file must not prevent protection there. `mergeSettings` reports it.
  const unknown = of === 'project' ? [] : parsed.unknown.map(({ key, message }) => ({ key, message }));
  const problems = [...parsed.problems, ...unknown];
  if (problems.length === 0) return { file: { of, path, state: 'read', problems: [] }, parsed };
  return { file: { of, path, state: 'bad', problems }, parsed: EMPTY_FILE };
}
