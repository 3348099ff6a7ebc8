/** Checks the commands of installed hooks: their programs may have been moved or removed since. */

import { isAbsolute } from 'node:path';
import { showText } from '@savepoint/core';
import { isProgramFile, programsOnPath } from '@savepoint/core/node';
import type { AgentName } from '../event.ts';
import { isHookCommand } from './hook-command.ts';

/** Where the commands run. */
interface ProgramPlaces {
  /** The environment variable PATH. */
  readonly path: string | undefined;
  readonly windows: boolean;
}

/**
 * Returns what keeps the commands from running, one sentence each.
 * @param texts commands, or files that contain one
 */
export function commandProblems(texts: readonly string[], agent: AgentName, places: ProgramPlaces): readonly string[] {
  const programs = texts.flatMap((text) => programsIn(text, agent));
  return [...new Set(programs.flatMap((program) => problemOf(program, places) ?? []))];
}

interface Program {
  readonly name: string;
  /** It is started itself, and not read by node. */
  readonly isStarted: boolean;
}

/** Programs that our commands name without a path. */
const OWN_NAMES: ReadonlySet<string> = new Set(['savepoint', 'savepoint-hook']);

/** Returns the programs of a command as `install` writes it; none for a command that somebody else wrote. */
function programsIn(text: string, agent: AgentName): readonly Program[] {
  const words = wordsOf(text, agent);
  const own = words.slice(0, words.lastIndexOf('hook'));
  if (!own.every((word) => isAbsolute(word) || OWN_NAMES.has(word))) return [];
  return own.map((name, index) => ({ name, isStarted: index === 0 || !name.endsWith('.js') }));
}

function wordsOf(text: string, agent: AgentName): readonly string[] {
  const argv = /^const COMMAND = (\[.*\]);$/m.exec(text)?.[1];
  if (argv !== undefined) return stringsIn(argv);
  const line = text.split('\n').findLast((each) => isHookCommand(each, agent)) ?? '';
  const words = line.matchAll(/'((?:[^']|'\\'')*)'|"([^"]*)"|(\S+)/g);
  const parts = [...words].map(
    ([, single, double, plain]) => single?.replaceAll(`'\\''`, "'") ?? double ?? plain ?? '',
  );
  // A script starts it with `exec`, and PowerShell with `&`.
  return parts[0] === 'exec' || parts[0] === '&' ? parts.slice(1) : parts;
}

function stringsIn(json: string): readonly string[] {
  try {
    const value: unknown = JSON.parse(json);
    return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
  } catch {
    return [];
  }
}

function problemOf({ name, isStarted }: Program, { path, windows }: ProgramPlaces): string | null {
  if (!isAbsolute(name)) {
    const isFound = !programsOnPath(name, { path, windows }).next().done;
    return isFound ? null : `\`${name}\`, which they run, is not on your PATH`;
  }
  if (!isProgramFile(name, false)) return `${showText(name)}, which they run, does not exist`;
  return isProgramFile(name, isStarted && !windows) ? null : `${showText(name)}, which they run, is not executable`;
}
