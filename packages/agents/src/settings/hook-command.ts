/** The command line that we write into agents' settings. */

import { realpathSync } from 'node:fs';
import { isProgramFile, programsOnPath } from '@savepoint/core/node';
import type { AgentName } from '../event.ts';

export interface HookCommand {
  /** For `sh -c`, and for `cmd /c` on Windows. */
  readonly shell: string;
  readonly powershell: string;
  /** The same as arguments, for programs that start it without a shell. */
  readonly argv: readonly string[];
  /** The same with the name of an event, for agents that do not send it. */
  readonly forEvent: (event: string) => { readonly shell: string; readonly powershell: string };
}

/** How Savepoint is installed on this machine. */
export interface HookProgram {
  /** Absolute path of node. */
  readonly node: string;
  /** Absolute path of the script that is the command `savepoint`. */
  readonly script: string;
  /**
   * Absolute path of the hook script; null if there is none. It is a script for `sh` that asks the daemon, and runs the
   * command in its arguments if the daemon does not answer.
   */
  readonly hookScript: string | null;
  /** The environment variable PATH. */
  readonly path: string | undefined;
  readonly windows: boolean;
}

/**
 * Returns the command that runs `savepoint hook <agent>`.
 *
 * Settings of a project may be shared, so they use `savepoint` if that is this program on PATH. User settings use the
 * full paths of node and the script, because agents started from a desktop have a different PATH than a shell.
 *
 * If a shell can run the hook script, the command is an argument of the hook script. If the hook script is removed later,
 * that fails in the same way as a missing command.
 */
export function hookCommand(agent: AgentName, place: 'project' | 'user', program: HookProgram): HookCommand {
  const byName = place === 'project' && isOnPath('savepoint', program.script, program);
  const direct = [...(byName ? ['savepoint'] : [program.node, program.script]), 'hook', agent];
  const throughScript = [...hookScriptIfUsable(byName, program), ...direct];
  const quoted = (event: readonly string[]) => ({
    shell: forShell([...throughScript, ...event], program.windows),
    powershell: forPowerShell([...direct, ...event]),
  });
  return { ...quoted([]), argv: throughScript, forEvent: (event) => quoted([event]) };
}

/** Matches our hook command in any form: `savepoint hook claude`, `node …/savepoint.js hook claude`. */
export function isHookCommand(text: string, agent: AgentName): boolean {
  return new RegExp(`\\bsavepoint(?:\\.js)?['"]?[ ]+hook[ ]+${agent}\\b`).test(text);
}

/**
 * Returns the hook script as the first part of a command; empty if a shell cannot run it.
 * @param byName whether the command names programs on PATH instead of their files
 */
function hookScriptIfUsable(byName: boolean, program: HookProgram): readonly string[] {
  const { hookScript, windows } = program;
  if (hookScript === null || windows || !isProgramFile(hookScript, true)) return [];
  if (!byName) return [hookScript];
  return isOnPath('savepoint-hook', hookScript, program) ? ['savepoint-hook'] : [];
}

function forShell(parts: readonly string[], windows: boolean): string {
  return parts.map((part) => (isPlain(part) ? part : windows ? `"${part}"` : shellQuoted(part))).join(' ');
}

/** PowerShell prints a quoted text at the start of a line instead of running it. `&` runs it. */
function forPowerShell(parts: readonly string[]): string {
  const line = parts.map((part) => (isPlain(part) ? part : `'${part.replaceAll("'", "''")}'`)).join(' ');
  return line.startsWith("'") ? `& ${line}` : line;
}

/** Whether a part is written without quotes. */
function isPlain(part: string): boolean {
  return /^[\w./:@%+=,-]+$/.test(part);
}

function shellQuoted(part: string): string {
  return `'${part.replaceAll("'", "'\\''")}'`;
}

/** Whether this name on PATH is the given file. */
function isOnPath(name: string, file: string, { path, windows }: HookProgram): boolean {
  const [found] = programsOnPath(name, { path, windows });
  // The first one on PATH runs. On Windows, npm creates a separate file next to the package of the script.
  return found !== undefined && (windows || realpathSync.native(found) === realpathSync.native(file));
}
