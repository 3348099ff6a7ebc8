/** The command line in agents' settings. */

import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import type { AgentName } from '../event.ts';

export interface HookCommand {
  /** For `sh -c`, and for `cmd /c` on Windows. */
  readonly shell: string;
  readonly powershell: string;
  /** The same as arguments, for programs that start it without a shell. */
  readonly argv: readonly string[];
  /** The same for one event, for agents that do not send its name. */
  readonly forEvent: (event: string) => { readonly shell: string; readonly powershell: string };
}

export interface HookProgram {
  /** Absolute path of node. */
  readonly node: string;
  /** Absolute path of the command's script. */
  readonly script: string;
  /** Absolute path of the `sh` script that tries the daemon first; null if there is none. */
  readonly line: string | null;
  readonly path: string | undefined;
  readonly windows: boolean;
}

/**
 * Settings of a project may be shared, so they use `savepoint` if that is this program on PATH. User settings use the
 * full paths of node and the script, because agents started from a desktop have a different PATH than a shell.
 *
 * If a shell can run it, the script that tries the daemon comes first. Its arguments are the full command, which it
 * runs if there is no daemon. A missing script fails in the same way as a missing command.
 */
export function hookCommand(agent: AgentName, place: 'project' | 'user', program: HookProgram): HookCommand {
  const known = place === 'project' && isOnPath('savepoint', program.script, program);
  const plain = [...(known ? ['savepoint'] : [program.node, program.script]), 'hook', agent];
  const line = hookScriptBefore(known, program);
  const inShell = (parts: readonly string[]): string =>
    parts.map((part) => (isPlain(part) ? part : program.windows ? `"${part}"` : shellQuoted(part))).join(' ');
  const written = (event: readonly string[]) => ({
    shell: inShell([...line, ...plain, ...event]),
    powershell: forPowerShell([...plain, ...event]),
  });
  return { ...written([]), argv: [...line, ...plain], forEvent: (event) => written([event]) };
}

/** Matches our hook command in any form: `savepoint hook claude`, `node …/savepoint.js hook claude`. */
export function isHookCommand(text: string, agent: AgentName): boolean {
  return new RegExp(`\\bsavepoint(?:\\.js)?['"]?[ ]+hook[ ]+${agent}\\b`).test(text);
}

function hookScriptBefore(known: boolean, program: HookProgram): readonly string[] {
  const { line, windows } = program;
  if (line === null || windows || !isFile(line) || !isExecutable(line)) return [];
  if (!known) return [line];
  return isOnPath('savepoint-hook', line, program) ? ['savepoint-hook'] : [];
}

/** For PowerShell, a quoted text is a string. `&` runs it. */
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

/** Whether this name on PATH is the given file. */
function isOnPath(name: string, file: string, { path = '', windows }: HookProgram): boolean {
  const names = windows ? [`${name}.cmd`, `${name}.exe`] : [name];
  for (const folder of path.split(delimiter)) {
    if (!isAbsolute(folder)) continue;
    for (const one of names) {
      const found = join(folder, one);
      if (!isFile(found) || !(windows || isExecutable(found))) continue;
      // The first one on PATH runs. On Windows, npm creates a separate file next to the package of the script.
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

/** A shell skips files on PATH that are not executable. */
function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
