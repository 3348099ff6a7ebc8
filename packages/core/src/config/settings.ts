/**
 * Merges the settings: the user's file overrides the defaults, a project's file may only restrict, and the environment
 * overrides all.
 */

import type { DiskPath } from '../model/names.ts';
import { limitsWithoutEffect } from './limits.ts';
import {
  DEFAULT_VALUES,
  OPTION_KEYS,
  type OptionKey,
  type ProjectOverride,
  type SettingValue,
  type SettingValues,
  specOf,
} from './options.ts';
import type { ConfigProblem, ParsedFile } from './parse-settings.ts';

export type Origin = 'default' | 'user' | 'project' | 'environment';

export interface ConfigFile {
  readonly of: 'user' | 'project';
  readonly path: DiskPath;
  /** `unused`: the user's own file turns project files off. */
  readonly state: 'absent' | 'read' | 'bad' | 'unused';
  readonly problems: readonly ConfigProblem[];
}

/** A value from a file or the environment that is ignored. */
export interface IgnoredValue {
  /** Null: the environment. */
  readonly file: DiskPath | null;
  readonly key: string;
  readonly value: SettingValue | string;
  readonly why: string;
}

export interface Settings {
  readonly values: SettingValues;
  readonly origins: Readonly<Record<OptionKey, Origin>>;
  readonly files: readonly ConfigFile[];
  readonly ignored: readonly IgnoredValue[];
  /** The environment turned off everything automatic. */
  readonly off: boolean;
}

/** Values from the environment, passed on by front ends. */
export interface SettingsSource {
  /** The value of `SAVEPOINT`, if set. */
  readonly savepoint: string | null;
}

/** No files are read, and nothing is turned off. */
export const DEFAULT_SETTINGS: Settings = {
  values: DEFAULT_VALUES,
  origins: Object.fromEntries(OPTION_KEYS.map((key) => [key, 'default'])) as Record<OptionKey, Origin>,
  files: [],
  ignored: [],
  off: false,
};

const OFF: ReadonlySet<string> = new Set(['off', '0', 'false', 'no']);
const ON: ReadonlySet<string> = new Set(['', 'on', '1', 'true', 'yes']);

export function mergeSettings(
  source: SettingsSource,
  user: { readonly file: ConfigFile; readonly parsed: ParsedFile },
  project: { readonly file: ConfigFile; readonly parsed: ParsedFile },
): Settings {
  const values = { ...DEFAULT_VALUES } as Record<OptionKey, SettingValue>;
  const origins = { ...DEFAULT_SETTINGS.origins } as Record<OptionKey, Origin>;
  const ignored: IgnoredValue[] = [];
  for (const [key, value] of user.parsed.values) {
    values[key] = value;
    origins[key] = 'user';
  }
  for (const [key, wanted] of project.parsed.values) {
    const own = values[key];
    const { value, why } = narrow(specOf(key).project, own, wanted);
    if (why !== null) ignored.push({ file: project.file.path, key, value: wanted, why });
    if (value === own) continue;
    values[key] = value;
    origins[key] = 'project';
  }
  for (const { key, value, message } of project.parsed.unknown) {
    ignored.push({ file: project.file.path, key, value, why: `it ${message}` });
  }
  const said = (source.savepoint ?? '').trim().toLowerCase();
  const off = OFF.has(said);
  if (off) {
    values.enabled = false;
    origins.enabled = 'environment';
  } else if (!ON.has(said)) {
    const why = 'only `off` is supported here';
    ignored.push({ file: null, key: 'SAVEPOINT', value: source.savepoint ?? '', why });
  }
  for (const { key, why } of limitsWithoutEffect(values as SettingValues, origins)) {
    const { path } = origins[key] === 'user' ? user.file : project.file;
    ignored.push({ file: path, key, value: values[key], why });
  }
  return { values: values as SettingValues, origins, files: [user.file, project.file], ignored, off };
}

/** The message for an ignored value. */
export function ignoredText({ file, key, value, why }: IgnoredValue, shownFile: string): string {
  return `${file === null ? 'The environment' : shownFile}: ${key} = ${JSON.stringify(value)} is ignored: ${why}.`;
}

/** @returns `own` itself if all of `wanted` is ignored; `why`: what is ignored, and the reason */
function narrow(
  may: ProjectOverride,
  own: SettingValue,
  wanted: SettingValue,
): { readonly value: SettingValue; readonly why: string | null } {
  const keep = (why: string): { readonly value: SettingValue; readonly why: string } => ({ value: own, why });
  switch (may) {
    case 'nothing':
      return keep('only your own configuration file can set this');
    case 'turn-off':
      return own === false && wanted === true
        ? keep('a project cannot turn on what you have turned off')
        : { value: wanted, why: null };
    case 'lower':
      return Number(wanted) > Number(own)
        ? keep(`a project can only lower this value, and yours is ${String(own)}`)
        : { value: wanted, why: null };
    case 'isolate':
      return wanted === 'link' && own !== 'link'
        ? keep('only your own configuration file can let copies write into the folder')
        : { value: wanted, why: null };
    case 'add': {
      const known = patternsOf(own);
      const added = patternsOf(wanted).filter((pattern) => !known.includes(pattern));
      return { value: added.length === 0 ? own : [...known, ...added], why: null };
    }
    case 'leave-out':
      return narrowPatterns(patternsOf(own), patternsOf(wanted));
  }
}

/** An empty list means all commands. Of a project's list, only patterns that are also in the user's list count. */
function narrowPatterns(
  own: readonly string[],
  wanted: readonly string[],
): { readonly value: readonly string[]; readonly why: string | null } {
  if (own.length === 0) return { value: wanted.length === 0 ? own : wanted, why: null };
  const shared = own.filter((pattern) => wanted.includes(pattern));
  const why = 'a project can only remove patterns from your list';
  if (shared.length === 0) return { value: own, why };
  const more = wanted.some((pattern) => !own.includes(pattern));
  return { value: shared.length === own.length ? own : shared, why: more ? why : null };
}

/** For options that are lists of patterns. The parser has already checked that they are lists. */
function patternsOf(value: SettingValue): readonly string[] {
  return typeof value === 'object' && value !== null ? value : [];
}
