/** The command line that agents' settings hold. */

import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import type { AgentName } from '../event.ts';

export interface HookCommand {
  /** For `sh -c`, and for `cmd /c` on Windows. */
  readonly shell: string;
  readonly powershell: string;
  /** The same in parts, for programs that start it without a shell. */
  readonly argv: readonly string[];
  /** The same for one event, where the agent does not send its name. */
  readonly about: (event: string) => { readonly shell: string; readonly powershell: string };
}

export interface Program {
  /** Absolute path of node. */
  readonly node: string;
  /** Absolute path of the command's script. */
  readonly script: string;
  /** Absolute path of the script for `sh` that asks the daemon first; null where there is none. */
  readonly line: string | null;
  readonly path: string | undefined;
  readonly windows: boolean;
}

/**
 * Settings of a project may be shared, so they name `savepoint` where that is this very program on PATH; the person's own
 * settings name node and the script in full, as agents that a desktop starts have another PATH than a shell.
 *
 * Before it stands the script that asks the daemon, where a shell may run it; behind that script always stands the whole
 * command, which it runs where there is no daemon. A script that is gone fails as a command that is gone does.
 */
export function hookCommand(agent: AgentName, place: 'project' | 'user', program: Program): HookCommand {
  const known = place === 'project' && leadsTo('savepoint', program.script, program);
  const plain = [...(known ? ['savepoint'] : [program.node, program.script]), 'hook', agent];
  const line = lineBefore(known, program);
  const inShell = (parts: readonly string[]): string =>
    parts.map((part) => (isPlain(part) ? part : program.windows ? `"${part}"` : shellQuoted(part))).join(' ');
  const written = (event: readonly string[]) => ({
    shell: inShell([...line, ...plain, ...event]),
    powershell: forPowerShell([...plain, ...event]),
  });
  return { ...written([]), argv: [...line, ...plain], about: (event) => written([event]) };
}

/** Ours, whoever installed it: `savepoint hook claude`, `node …/savepoint.js hook claude`. */
export function isHookCommand(text: string, agent: AgentName): boolean {
  return new RegExp(`\\bsavepoint(?:\\.js)?['"]?[ ]+hook[ ]+${agent}\\b`).test(text);
}

function lineBefore(known: boolean, program: Program): readonly string[] {
  const { line, windows } = program;
  if (line === null || windows || !isFile(line) || !isExecutable(line)) return [];
  if (!known) return [line];
  return leadsTo('savepoint-hook', line, program) ? ['savepoint-hook'] : [];
}

/** What is quoted is a text to it, until it is told to call it. */
function forPowerShell(parts: readonly string[]): string {
  const line = parts.map((part) => (isPlain(part) ? part : `'${part.replaceAll("'", "''")}'`)).join(' ');
  return line.startsWith("'") ? `& ${line}` : line;
}

function isPlain(part: string): boolean {
  return /^[\w./:@%+=,-]+$/.test(part);
}

function shellQuoted(part: string): string {
  return `'${part.replaceAll("'", "'\\''")}'`;
}

/** Whether that name on PATH is this very file. */
function leadsTo(name: string, file: string, { path = '', windows }: Program): boolean {
  const names = windows ? [`${name}.cmd`, `${name}.exe`] : [name];
  for (const folder of path.split(delimiter)) {
    if (!isAbsolute(folder)) continue;
    for (const one of names) {
      const found = join(folder, one);
      if (!isFile(found) || !(windows || isExecutable(found))) continue;
      // The first one on PATH is the one that runs. What npm makes on Windows is a file of its own, beside the script's package.
      return windows || realpathSync.native(found) === realpathSync.native(file);
    }
  }
  return false;
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** A shell looks further along PATH when it may not run what it found. */
function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
