/**
 * Keeps our hooks in the settings of agents when an operation restores such a file: the engine asks here for the content
 * to write. The contents come from anywhere. If one of them cannot be used, the file is restored as it is.
 */

import type { TreePath } from '@savepoint/core';
import type { MergedEntries, OwnEntries } from '@savepoint/core/ports';
import type { Agent } from '../agent.ts';
import { AGENTS } from '../table.ts';
import { isHookCommand } from './hook-command.ts';
import type { JsonForm, SettingsEntry } from './integration.ts';
import { entriesOf, SettingsShapeError, withEntry, withoutEntries } from './json-edit.ts';
import { JsonTextError, memberOf, parseJsonText, skipSpace } from './json-text.ts';
import { BACKUP, isOurs, listsOf, NO_COMMAND } from './plan.ts';

export const ownEntries: OwnEntries = {
  mayBeIn: (path) => settingsFileAt(path) !== null,
  merge: (path, current, target) => {
    const file = settingsFileAt(path);
    if (file === null) return AS_TARGET;
    if (file.kind === 'backup') {
      if (current !== null) return AS_CURRENT;
      return Buffer.isBuffer(target) ? { content: null, note: null } : AS_TARGET;
    }
    if (file.kind === 'own') {
      return mergeOwnFile(file.agent, (text) => isHookCommand(text, file.agent.name), current, target);
    }
    if (file.kind === 'command') return mergeCommand(file.content, current, target);
    return mergeSettings(file, current, target);
  },
};

interface JsonSettings {
  readonly kind: 'json';
  readonly agent: Agent;
  readonly form: JsonForm;
}

/** A file that an agent reads (`own`: it belongs only to Savepoint), or the copy of it that `install` kept. */
type SettingsFile =
  | JsonSettings
  | { readonly kind: 'own'; readonly agent: Agent }
  /** A command in the agent's menu. */
  | { readonly kind: 'command'; readonly agent: Agent; readonly content: string }
  | { readonly kind: 'backup'; readonly agent: Agent };

const AS_TARGET: MergedEntries = { content: 'target', note: null };
const AS_CURRENT: MergedEntries = { content: 'current', note: null };
const KEPT = "keeps Savepoint's hooks";
const NOT_BACK = "stays without Savepoint's hooks, which were removed from it";
/** Settings with more entries than this were not written by us. Removing each one reads the text again. */
const MAX_ENTRIES = 64;

/** Files by their last name. A project's settings may be in any folder of a workspace, and so may a home folder. */
const FILES: ReadonlyMap<string, readonly { readonly end: string; readonly file: SettingsFile }[]> = filesByName();

function filesByName() {
  const found = new Map<string, { readonly end: string; readonly file: SettingsFile }[]>();
  const add = (parts: readonly string[], file: SettingsFile): void => {
    const name = parts.at(-1) ?? '';
    found.set(name, [...(found.get(name) ?? []), { end: parts.join('/'), file }]);
  };
  for (const agent of Object.values(AGENTS)) {
    const { form, project, user, commands } = agent.integration;
    for (const { name, content } of commands?.files ?? []) {
      for (const folder of [commands?.project ?? [], [...user.folder, ...(commands?.user ?? [])]])
        add([...folder, ...name.split('/')], { kind: 'command', agent, content });
    }
    for (const parts of [project, [...user.folder, ...user.file]]) {
      if (form.kind === 'files') {
        for (const { name } of form.files(NO_COMMAND)) add([...parts, name], { kind: 'own', agent });
        continue;
      }
      add(parts, { kind: 'json', agent, form });
      add([...parts.slice(0, -1), `${parts.at(-1)}${BACKUP}`], { kind: 'backup', agent });
    }
  }
  return found;
}

function settingsFileAt(path: TreePath): SettingsFile | null {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return FILES.get(name)?.find(({ end }) => path === end || path.endsWith(`/${end}`))?.file ?? null;
}

/** A command of ours stays, and one that was removed does not come back. The user's changes of it are the user's. */
function mergeCommand(own: string, current: Buffer | null, target: Buffer | null | 'unusable'): MergedEntries {
  const isOwn = (content: Buffer | null | 'unusable'): boolean =>
    Buffer.isBuffer(content) && content.equals(Buffer.from(own));
  if (current === null && isOwn(target)) return { content: null, note: "stays without Savepoint's command" };
  return isOwn(current) && target === null ? { content: 'current', note: "keeps Savepoint's command" } : AS_TARGET;
}

/** A script or a plugin of ours stays as it is. */
function mergeOwnFile(
  agent: Agent,
  isOwnText: (text: string) => boolean,
  current: Buffer | null,
  target: Buffer | null | 'unusable',
): MergedEntries {
  const isOwn = (content: Buffer | null | 'unusable'): boolean =>
    Buffer.isBuffer(content) && isOwnText(content.toString('latin1'));
  if (!isOwn(current)) return isOwn(target) ? { content: null, note: NOT_BACK } : AS_TARGET;
  if (target === 'unusable') return { content: 'target', note: lostNote(agent, 'it is not a readable file there') };
  return Buffer.isBuffer(target) && current?.equals(target) ? AS_TARGET : { content: 'current', note: KEPT };
}

function mergeSettings(
  { agent, form }: JsonSettings,
  current: Buffer | null,
  target: Buffer | null | 'unusable',
): MergedEntries {
  const ours = current === null ? NO_SETTINGS : readSettings(agent, form, current);
  const theirs = Buffer.isBuffer(target) ? readSettings(agent, form, target) : NO_SETTINGS;
  const has = ours.entries.length > 0;
  if (target === 'unusable') return asTarget(agent, has || ours.seemsHooked, 'it is not a readable file there');
  if (ours.problem !== null) {
    const isLost = ours.seemsHooked && theirs.entries.length === 0;
    return asTarget(agent, isLost, `its current content ${ours.problem}`);
  }
  if (theirs.problem !== null) return asTarget(agent, has, `its content there ${theirs.problem}`);
  if (JSON.stringify(ours.entries) === JSON.stringify(theirs.entries)) return AS_TARGET;
  if (target === null) {
    if (isNothingElse(form, ours.rest)) return { content: 'current', note: KEPT };
    return { content: bytesOf(`${withEntries(emptySettings(form), ours.entries)}\n`), note: KEPT };
  }
  if (!has) return { content: isNothingElse(form, theirs.rest) ? null : bytesOf(theirs.rest), note: NOT_BACK };
  const isBlank = skipSpace(theirs.rest, 0) === theirs.rest.length;
  try {
    return { content: bytesOf(withEntries(isBlank ? emptySettings(form) : theirs.rest, ours.entries)), note: KEPT };
  } catch (error) {
    if (!(error instanceof SettingsShapeError || error instanceof JsonTextError)) throw error;
    return asTarget(agent, true, `its content there is not that of settings: ${error.message}`);
  }
}

interface ReadSettings {
  /** Our entries, and the text without them. */
  readonly entries: readonly SettingsEntry[];
  readonly rest: string;
  /** Why it cannot be used, after `its content`; null if it can. */
  readonly problem: string | null;
  /** For a content that cannot be used: it may have our hooks. */
  readonly seemsHooked: boolean;
}

const NO_SETTINGS: ReadSettings = { entries: [], rest: '', problem: null, seemsHooked: false };

function readSettings(agent: Agent, form: JsonForm, content: Buffer): ReadSettings {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    return unusable('is not UTF-8', content.toString('latin1'));
  }
  const none = { ...NO_SETTINGS, rest: text };
  try {
    if (skipSpace(text, 0) === text.length) return none;
    const lists = [...listsOf(form), ...otherLists(form, text)];
    const entries = lists.flatMap((list) =>
      entriesOf(text, list)
        .filter((value) => isOurs(agent, value))
        .map((value) => ({ list, value })),
    );
    if (entries.length === 0) return none;
    if (entries.length > MAX_ENTRIES) return unusable(`has more than ${MAX_ENTRIES} hooks`, text);
    return { ...none, entries, rest: withoutEntries(text, lists, (value) => isOurs(agent, value)) };
  } catch (error) {
    if (!(error instanceof JsonTextError)) throw error;
    return unusable(`is not valid JSON: ${error.message}`, text);
  }
}

/** Lists of events that another version of Savepoint may have used. */
function otherLists(form: JsonForm, text: string): readonly (readonly string[])[] {
  const hooks = memberOf(parseJsonText(text), 'hooks');
  if (hooks?.kind !== 'object') return [];
  const known = new Set(listsOf(form).map(([, event]) => event));
  return [...new Set(hooks.members.map(({ key }) => key))]
    .filter((key) => !known.has(key))
    .map((key) => ['hooks', key]);
}

function unusable(problem: string, text: string): ReadSettings {
  return { ...NO_SETTINGS, problem, seemsHooked: text.includes('savepoint') && /\bhook\b/.test(text) };
}

function isNothingElse(form: JsonForm, rest: string): boolean {
  const plain = rest.replaceAll(/\s/g, '');
  return plain === '{}' || plain === JSON.stringify(form.base);
}

function emptySettings(form: JsonForm): string {
  return JSON.stringify(form.base, null, 2);
}

function withEntries(text: string, entries: readonly SettingsEntry[]): string {
  return entries.reduce((full, { list, value }) => withEntry(full, list, value), text);
}

function bytesOf(text: string): Buffer {
  return Buffer.from(text, 'utf8');
}

function asTarget(agent: Agent, isLost: boolean, why: string): MergedEntries {
  return isLost ? { content: 'target', note: lostNote(agent, why) } : AS_TARGET;
}

function lostNote({ name }: Agent, why: string): string {
  return `loses Savepoint's hooks, because ${why} (install them again with \`savepoint install ${name}\`)`;
}
