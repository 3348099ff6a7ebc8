/**
 * Savepoint's home holds what people approved, trusted and turned on, so no agent may write there with its tools. A shell
 * command, or a tool that does not say what it writes, is not stopped.
 */
import { lstatSync, readlinkSync, realpathSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { showText } from '@savepoint/core';
import type { Environment } from '../agent.ts';
import type { AgentEvent } from '../event.ts';
import { homeFolder } from '../settings/home-folder.ts';

const HOME_IN_COPY = /^(.*)[/\\]copies[/\\]copy_[0-9a-f]{8}[/\\]home$/s;
/** The files of a copy of a workspace. Agents work there. */
const IN_COPY = /^(?:copies\/copy_[0-9a-f]{8}\/home\/)*copies\/copy_[0-9a-f]{8}\/tree(?:\/|$)/;
/** What these lead to depends on the process that opens them. */
const PER_PROCESS = /^\/(?:proc\/(?:self|thread-self|\d+)|dev\/fd)\//;
const MAX_LINKS = 40;

/**
 * Returns why a call must not run; null if it writes nothing in the home.
 * @param home of this process, as text
 */
export function ownHomeRefusal(
  event: Extract<AgentEvent, { readonly kind: 'call-began' }>,
  home: string,
  env: Environment,
): string | null {
  const { call, cwd } = event;
  if (call.own || home === '' || call.paths === null) return null;
  const homes = distinct([home, outermost(home)]).map(folderAt);
  const found = call.paths.find((path) =>
    meanings(path, cwd, env).some((one) => PER_PROCESS.test(one) || homes.some((each) => isInHome(one, each))),
  );
  if (found === undefined) return null;
  const shown = showText(JSON.stringify(found));
  return `${shown} is, or may be, in the folder where Savepoint keeps its records. Agents must not write there, so nothing was written. Use Savepoint's tools or commands, or ask the user.`;
}

/** The home of a process in a copy is inside that of the processes outside. */
function outermost(home: string): string {
  const outer = HOME_IN_COPY.exec(home)?.[1];
  return outer === undefined ? home : outermost(outer);
}

/** A program may shorten `a/../b` by its text or let the system follow `a`, and may take `~` for the home folder. */
function meanings(path: string, cwd: string, env: Environment): readonly string[] {
  const expanded = path.startsWith('~/') ? [resolve(homeFolder(env), path.slice(2))] : [];
  return distinct([resolve(cwd, path), isAbsolute(path) ? path : `${cwd}${sep}${path}`, ...expanded]);
}

function distinct(paths: readonly string[]): readonly string[] {
  return [...new Set(paths)];
}

interface Folder {
  /** Its path without links. */
  readonly real: string;
  readonly stat: Stats | null;
}

function folderAt(path: string): Folder {
  return { real: realPath(path, MAX_LINKS), stat: statOf(path) };
}

function isInHome(path: string, home: Folder): boolean {
  const real = realPath(path, MAX_LINKS);
  for (let folder = real; ; folder = dirname(folder)) {
    if (folder === home.real || isSame(statOf(folder), home.stat))
      return !IN_COPY.test(relative(folder, real).split(sep).join('/'));
    if (folder === dirname(folder)) return false;
  }
}

/** Follows all links, also if what they lead to does not exist yet. */
function realPath(path: string, links: number): string {
  try {
    return realpathSync.native(path);
  } catch {
    const parent = dirname(path);
    if (parent === path || links === 0) return path;
    const name = join(realPath(parent, links - 1), basename(path));
    const target = linkAt(name);
    return target === null ? name : realPath(resolve(dirname(name), target), links - 1);
  }
}

function linkAt(path: string): string | null {
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : null;
  } catch {
    return null;
  }
}

/** The same folder may have several names: by a mount, or by the case of letters. */
function isSame(one: Stats | null, other: Stats | null): boolean {
  return one !== null && other !== null && one.ino !== 0 && one.ino === other.ino && one.dev === other.dev;
}

function statOf(path: string): Stats | null {
  try {
    return statSync(path);
  } catch {
    return null;
  }
}
