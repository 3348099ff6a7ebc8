/**
 * Some agents give the hook the text that a file of commands expands to, and not what the user typed. A file of the
 * repository may contain any text, so only the text of our own files counts as typed.
 */

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { showText } from '@savepoint/core';
import { readPlainFile } from '../settings/plain-file.ts';
import { copilotSkills, geminiCommands } from './files.ts';
import { NOT_ANSWERED } from './parse.ts';

/** Why the user may not have typed a command, one sentence; null: they did. */
export type TypedDoubt = string | null;

/** For agents whose hook gets either text, without a sign of which it is. */
export function unknownOrigin(title: string): string {
  return `${title} does not tell whether you typed this, or a file of the project contains it.`;
}

const GEMINI_COMMANDS = ['.gemini', 'commands'];
const MAX_ENTRIES = 2_000;
/**
 * A file of commands whose text begins with something else than a command, for certain: nothing but comments and a plain
 * description precede the prompt, and the prompt begins with a letter that no placeholder and no escape begins with.
 */
const OTHER_PROMPT =
  /^(?:[ \t]*(?:#[^\n]*|description[ \t]*=[ \t]*"[^"\\\n]*"[ \t\r]*)?\n)*[ \t]*prompt[ \t]*=[ \t]*(?:"""|'''|"|')\s*[^\s"'\\/@!{]/;

/** Gemini CLI sends the text of a file of commands. Only the exact text of ours counts, and only if no other can give it. */
export function geminiDoubt(prompt: string, folders: readonly (string | null)[]): TypedDoubt {
  const text = prompt.trimEnd();
  const isOurs =
    text.endsWith(NOT_ANSWERED) && /^\/savepoint:\w+ [^\r\n]*\n\n$/.test(text.slice(0, -NOT_ANSWERED.length));
  if (!isOurs) {
    return 'Gemini CLI sent the text of a command that `savepoint install gemini` did not write, or none is installed.';
  }
  try {
    for (const folder of new Set(folders)) {
      const other = folder === null ? null : otherCommand(join(folder, ...GEMINI_COMMANDS));
      if (other !== null) return `Gemini CLI does not tell whether ${showText(other)} contains this, or you typed it.`;
    }
    return null;
  } catch (error) {
    return `The commands of this project cannot be read (${(error as NodeJS.ErrnoException).code ?? 'EIO'}).`;
  }
}

const INVOKED =
  /^The user explicitly invoked the "\/(savepoint-\w+)" skill\.[^\n<]*\s*<skill-context name="\1">\nBase directory for this skill: ([^\n]+)\n/;

/**
 * In a terminal, Copilot CLI sends the text of a skill, followed by the arguments. It never sends the text alone.
 * @returns what the user typed; null if this is not the text of our skill
 */
export function copilotTyped(prompt: string): string | null {
  const [start, name, folder] = INVOKED.exec(prompt) ?? [];
  const ours = copilotSkills().find((file) => file.name === `${name}/SKILL.md`);
  if (start === undefined || folder === undefined || ours === undefined) return null;
  const rest = prompt.slice(start.length).trimStart();
  if (!rest.startsWith(NOT_ANSWERED)) return null;
  const end = /^\s*(?:\nARGUMENTS: ([^\n]*))?\n<\/skill-context>\s*$/.exec(rest.slice(NOT_ANSWERED.length));
  if (end === null || !hasContent(join(folder, 'SKILL.md'), ours.content)) return null;
  return `/${name} ${end[1] ?? ''}`.trimEnd();
}

/** @returns a file that may expand to a command of Savepoint and is not ours; null if there is none */
function otherCommand(folder: string): string | null {
  const ours = new Map(geminiCommands().map(({ name, content }) => [join(folder, 'savepoint', name), content]));
  const pending = [folder];
  let count = 0;
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    for (const entry of entriesIn(at)) {
      const path = join(at, entry.name);
      count += 1;
      if (count > MAX_ENTRIES || entry.isSymbolicLink()) return path;
      if (entry.isDirectory()) pending.push(path);
      if (entry.isDirectory() || !entry.name.toLowerCase().endsWith('.toml')) continue;
      const file = readPlainFile(path, { followsLinks: false });
      if (file.kind === 'absent') continue;
      if (file.kind === 'other' || (file.text !== ours.get(path) && !OTHER_PROMPT.test(file.text))) return path;
    }
  }
  return null;
}

function entriesIn(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw error;
  }
}

/** The text alone does not tell where a skill of somebody else ends and the arguments begin. */
function hasContent(path: string, content: string): boolean {
  try {
    const file = readPlainFile(path, { followsLinks: false });
    return file.kind === 'text' && file.text === content;
  } catch {
    return false;
  }
}
