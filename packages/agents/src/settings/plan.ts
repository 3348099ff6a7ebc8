/** Plans the changes of an installation, file by file, before anything is written. */

import { basename, isAbsolute, join } from 'node:path';
import { SavepointError, showText } from '@savepoint/core';
import type { Agent, Environment } from '../agent.ts';
import { type FoundCommand, findCommands } from './command-files.ts';
import { homeFolder } from './home-folder.ts';
import { type HookCommand, type HookProgram, hookCommand, isHookCommand } from './hook-command.ts';
import type { FilesForm, Integration, JsonForm, SettingsEntry } from './integration.ts';
import { entriesOf, SettingsShapeError, withEntry, withoutEntries } from './json-edit.ts';
import { JsonTextError, parseJsonText, plainValueOf, skipSpace } from './json-text.ts';
import { type PlainFile, readPlainFile } from './plain-file.ts';

export type SettingsScope = 'project' | 'user';

export interface InstallEnvironment {
  /** The project's folder, absolute. */
  readonly project: string;
  readonly env: Environment;
  readonly program: HookProgram;
}

export interface FileChange {
  readonly path: string;
  /** Null if the file does not exist. */
  readonly before: string | null;
  /** Null to delete the file. */
  readonly after: string | null;
  /** The permissions of a new file. */
  readonly mode: number;
  /** The content of the backup: the file without our entries; null if there was no file. */
  readonly backup: string | null;
}

/** The suffix of the backup, which has the content before our first entry. */
export const BACKUP = '.before-savepoint';
/** For what does not depend on the command: the names of events and of our own files. */
export const NO_COMMAND: HookCommand = {
  shell: '',
  powershell: '',
  argv: [],
  forEvent: () => ({ shell: '', powershell: '' }),
};

export function settingsPath(
  { integration }: Agent,
  kind: SettingsScope,
  { project, env }: InstallEnvironment,
): string {
  if (kind === 'project') return join(project, ...integration.project);
  return join(userFolder(integration, env), ...integration.user.file);
}

export function backupPath(path: string): string {
  return `${path}${BACKUP}`;
}

/** @throws SavepointError CONFLICT if a file is invalid or does not belong to Savepoint; IO */
export function planInstall(agent: Agent, kind: SettingsScope, around: InstallEnvironment): readonly FileChange[] {
  return [...planHooks(agent, kind, around), ...missingCommands(agent, kind, around)];
}

/** @throws SavepointError CONFLICT, IO */
export function planUninstall(agent: Agent, kind: SettingsScope, around: InstallEnvironment): readonly FileChange[] {
  return [...planHookRemoval(agent, kind, around), ...ownCommands(agent, kind, around)];
}

/** What is under the name of a file of a command and is not a plain file of the project. Nothing is done with it. */
export interface LeftAlone {
  readonly path: string;
  /** A sentence without its period, about `it`. */
  readonly why: string;
}

export function commandsLeftAlone(agent: Agent, kind: SettingsScope, around: InstallEnvironment): readonly LeftAlone[] {
  return commandsOf(agent, kind, around).flatMap(({ path, found }) =>
    found.kind === 'other' ? [{ path, why: found.why }] : [],
  );
}

/** The hooks that were found in a settings file. */
export interface Installation {
  readonly path: string;
  /** `partly`: events of this version are missing, or there are entries of another version. */
  readonly state: 'hooked' | 'partly' | 'unreadable';
  readonly problem: string | null;
}

/** Returns the texts of our hooks: commands in settings, or the contents of our own files. */
export function installedTexts(agent: Agent, kind: SettingsScope, around: InstallEnvironment): readonly string[] {
  const path = settingsPath(agent, kind, around);
  const { form } = agent.integration;
  if (form.kind === 'files') {
    const files = form.files(hookCommand(agent.name, kind, around.program));
    const texts = files.map(({ name }) => readSettingsText(join(path, name)));
    return texts.filter((text) => text !== null && isHookCommand(text, agent.name)) as string[];
  }
  const text = readSettingsText(path);
  if (text === null || skipSpace(text, 0) === text.length) return [];
  return asConflict(path, () =>
    listsOf(form)
      .flatMap((list) => entriesOf(text, list).filter((value) => isOurs(agent, value)))
      .flatMap(textsIn)
      .filter((each) => isHookCommand(each, agent.name)),
  );
}

/**
 * Returns what installing again would change in installed hooks, after `would`; null if nothing.
 * @throws SavepointError CONFLICT, IO
 */
export function renewalOf(agent: Agent, kind: SettingsScope, around: InstallEnvironment): string | null {
  const changes = planHooks(agent, kind, around);
  const commands = missingCommands(agent, kind, around).length === 0 ? [] : ['add its commands'];
  if (changes.length === 0) return commands[0] ?? null;
  const { form } = agent.integration;
  const command = hookCommand(agent.name, kind, around.program);
  const added =
    form.kind === 'files'
      ? changes.filter(({ before }) => before === null).map(({ path }) => basename(path))
      : missingEvents(agent, form, settingsPath(agent, kind, around));
  const old = installedTexts(agent, kind, around);
  const isSameCommand =
    form.kind === 'files' ? added.length === changes.length : old.every((text) => ownTexts(form, command).has(text));
  const parts = [
    ...(added.length === 0 ? [] : [`add ${added.join(', ')}`]),
    ...(isSameCommand ? [] : [`run ${command.shell}`]),
    ...commands,
  ];
  return parts.length === 0 ? 'update their options' : parts.join(', and ');
}

/** Returns null if the settings contain no hooks of Savepoint. */
export function findInstalled(agent: Agent, kind: SettingsScope, around: InstallEnvironment): Installation | null {
  const path = settingsPath(agent, kind, around);
  try {
    const { form } = agent.integration;
    const command = hookCommand(agent.name, kind, around.program);
    if (form.kind === 'files') {
      const files = form
        .files(command)
        .map(({ name, content }) => ({ content, found: readSettingsText(join(path, name)) }));
      const ours = files.filter(({ found }) => found !== null && isHookCommand(found, agent.name));
      if (ours.length === 0) return null;
      return { path, state: ours.length === files.length ? 'hooked' : 'partly', problem: null };
    }
    const text = readSettingsText(path);
    if (text === null || !text.includes('savepoint')) return null;
    const count = asConflict(path, () => countOurEntries(agent, form, text));
    if (count === 0) return null;
    return { path, state: count === form.entries(command).length ? 'hooked' : 'partly', problem: null };
  } catch (error) {
    if (!(error instanceof SavepointError)) throw error;
    return { path, state: 'unreadable', problem: error.message };
  }
}

/** The lists that have entries of this version. */
export function listsOf(form: JsonForm): readonly (readonly string[])[] {
  return form.entries(NO_COMMAND).map(({ list }) => list);
}

export function isOurs({ name }: Pick<Agent, 'name'>, value: unknown): boolean {
  return textsIn(value).some((text) => isHookCommand(text, name));
}

function userFolder({ user: { variable, folder } }: Integration, env: Environment): string {
  const named = variable === null ? undefined : env[variable];
  return named !== undefined && isAbsolute(named) ? named : join(homeFolder(env), ...folder);
}

function planHooks(agent: Agent, kind: SettingsScope, around: InstallEnvironment): readonly FileChange[] {
  const path = settingsPath(agent, kind, around);
  const { form } = agent.integration;
  const command = hookCommand(agent.name, kind, around.program);
  if (form.kind === 'files') return ownFiles(agent, path, form.files(command));
  const entries = form.entries(command);
  const before = readSettingsText(path);
  return asConflict(path, () => {
    const clean = before === null ? null : withoutOurEntries(agent, form, before);
    if (
      before !== null &&
      entries.every((entry) => hasEntry(before, entry)) &&
      countOurEntries(agent, form, before) === entries.length
    ) {
      return [];
    }
    const start = clean === null || skipSpace(clean, 0) === clean.length ? JSON.stringify(form.base, null, 2) : clean;
    const full = entries.reduce((text, { list, value }) => withEntry(text, list, value), start);
    const after = clean === null ? `${full}\n` : full;
    return after === before ? [] : [{ path, before, after, mode: 0o600, backup: clean }];
  });
}

function planHookRemoval(agent: Agent, kind: SettingsScope, around: InstallEnvironment): readonly FileChange[] {
  const path = settingsPath(agent, kind, around);
  const { form } = agent.integration;
  const command = hookCommand(agent.name, kind, around.program);
  if (form.kind === 'files') {
    return form.files(command).flatMap(({ name, mode }) => {
      const file = join(path, name);
      const before = readSettingsText(file);
      return before === null || !isHookCommand(before, agent.name)
        ? []
        : [{ path: file, before, after: null, mode, backup: null }];
    });
  }
  const before = readSettingsText(path);
  if (before === null) return [];
  return asConflict(path, () => {
    if (countOurEntries(agent, form, before) === 0) return [];
    const clean = withoutOurEntries(agent, form, before);
    const kept = readSettingsText(backupPath(path));
    const made = kept === null && JSON.stringify(plainValueOf(parseJsonText(clean))) === JSON.stringify(form.base);
    // If the file has not changed since, restore its previous content byte for byte.
    const exact =
      kept !== null && withoutOurEntries(agent, form, kept) === kept && isUntouched(agent, form, before, kept);
    return [{ path, before, after: made ? null : exact ? kept : clean, mode: 0o600, backup: null }];
  });
}

/** The files of commands that do not exist. A file with another content is the user's, and stays. */
function missingCommands(agent: Agent, kind: SettingsScope, around: InstallEnvironment): readonly FileChange[] {
  return commandsOf(agent, kind, around).flatMap(({ path, content, found }) =>
    found.kind === 'absent' ? [{ path, before: null, after: content, mode: 0o644, backup: null }] : [],
  );
}

/** The files of commands that are as `install` wrote them. */
function ownCommands(agent: Agent, kind: SettingsScope, around: InstallEnvironment): readonly FileChange[] {
  return commandsOf(agent, kind, around).flatMap(({ path, content, found }) =>
    found.kind === 'text' && found.text === content
      ? [{ path, before: content, after: null, mode: 0o644, backup: null }]
      : [],
  );
}

function commandsOf(
  { integration }: Agent,
  kind: SettingsScope,
  { project, env }: InstallEnvironment,
): readonly FoundCommand[] {
  const { commands } = integration;
  if (commands === null) return [];
  return kind === 'project'
    ? findCommands(join(project, ...commands.project), commands.files, project)
    : findCommands(join(userFolder(integration, env), ...commands.user), commands.files, null);
}

/** Returns whether `before` is the result of an installation into `kept`, with any command. */
function isUntouched(agent: Agent, form: JsonForm, before: string, kept: string): boolean {
  if (skipSpace(kept, 0) === kept.length) return true;
  const ours = listsOf(form).flatMap((list) =>
    entriesOf(before, list)
      .filter((value) => isOurs(agent, value))
      .map((value) => ({ list, value })),
  );
  return ours.reduce((text, { list, value }) => withEntry(text, list, value), kept) === before;
}

/** Events of this version without a hook. */
function missingEvents(agent: Agent, form: JsonForm, path: string): readonly string[] {
  const text = readSettingsText(path) ?? '';
  const isMissing = (list: readonly string[]): boolean => !entriesOf(text, list).some((value) => isOurs(agent, value));
  return listsOf(form)
    .filter(isMissing)
    .map((list) => list.at(-1) ?? '');
}

function ownTexts(form: JsonForm, command: HookCommand): ReadonlySet<string> {
  return new Set(form.entries(command).flatMap(({ value }) => textsIn(value)));
}

function ownFiles(agent: Agent, folder: string, files: ReturnType<FilesForm['files']>): readonly FileChange[] {
  return files.flatMap(({ name, content, mode }) => {
    const path = join(folder, name);
    const before = readSettingsText(path);
    if (before === content) return [];
    if (before !== null && !isHookCommand(before, agent.name)) {
      throw new SavepointError(
        'CONFLICT',
        `${showText(path)} already exists and does not belong to Savepoint; ${agent.title} runs only one file with this name.`,
        { paths: [{ path, why: 'it does not belong to Savepoint' }] },
        {
          hint: `Nothing was changed. Call \`savepoint hook ${agent.name}\` from that file, or move it away and install again.`,
        },
      );
    }
    return [{ path, before, after: content, mode, backup: null }];
  });
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

function withoutOurEntries(agent: Agent, form: JsonForm, text: string): string {
  if (skipSpace(text, 0) === text.length) return text;
  return withoutEntries(text, listsOf(form), (value) => isOurs(agent, value));
}

function countOurEntries(agent: Agent, form: JsonForm, text: string): number {
  if (skipSpace(text, 0) === text.length) return 0;
  return listsOf(form).reduce(
    (sum, list) => sum + entriesOf(text, list).filter((value) => isOurs(agent, value)).length,
    0,
  );
}

function hasEntry(text: string, { list, value }: SettingsEntry): boolean {
  if (skipSpace(text, 0) === text.length) return false;
  const wanted = JSON.stringify(value);
  return entriesOf(text, list).some((found) => JSON.stringify(found) === wanted);
}

function asConflict<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof JsonTextError || error instanceof SettingsShapeError)) throw error;
    throw new SavepointError(
      'CONFLICT',
      `${showText(path)} is invalid: ${error.message}.`,
      { paths: [{ path, why: error.message }] },
      { hint: 'Nothing was changed. Fix the file and retry.' },
    );
  }
}

/** Follows links, because users may keep their settings elsewhere. */
function readSettingsText(path: string): string | null {
  const file = readOrFail(path);
  if (file.kind === 'text') return file.text;
  if (file.kind === 'absent') return null;
  throw new SavepointError(
    'CONFLICT',
    `${showText(path)} cannot be used: ${file.why}.`,
    { paths: [{ path, why: file.why }] },
    { hint: 'Nothing was changed. Make it a plain file in UTF-8, or remove it, and retry.' },
  );
}

function readOrFail(path: string): PlainFile {
  try {
    return readPlainFile(path, { followsLinks: true });
  } catch (error) {
    const { code = 'EIO' } = error as NodeJS.ErrnoException;
    throw new SavepointError('IO', `${showText(path)} cannot be read (${code}).`, { path, operation: 'read', code });
  }
}
