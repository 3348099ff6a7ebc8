/** A fork: a named copy of the workspace for one piece of work, whose changes are merged back. */

import type { CopyRecord, ForkRecord } from '../copy/copy.ts';
import type { CheckpointId } from '../model/ids.ts';

/** What the record of its copy says. The fork exists as long as that does. */
export interface Fork extends ForkRecord {
  readonly name: string;
  readonly copy: CopyRecord;
  /** The checkpoint that it left the workspace at. */
  readonly checkpoint: CheckpointId;
}

/** @returns null if the copy is not a fork */
export function forkOf(copy: CopyRecord): Fork | null {
  const { name, fork, base } = copy;
  return name === null || fork === null ? null : { ...fork, name, copy, checkpoint: base };
}

/** Each fork has this many ports of its own. */
export const PORTS_PER_FORK = 10;
export const FIRST_PORT = 20_000;
/** Ports from here on are given out by the system. */
const LAST_PORT = 32_760;

/** @returns the first free range; forks share the last one if there are too many */
export function freePort(used: readonly number[]): number {
  const taken = new Set(used);
  for (let port = FIRST_PORT; port + PORTS_PER_FORK <= LAST_PORT; port += PORTS_PER_FORK)
    if (!taken.has(port)) return port;
  return LAST_PORT - PORTS_PER_FORK;
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

export function isForkName(name: string): boolean {
  return NAME.test(name) && !name.endsWith('.') && !name.endsWith('.lock') && !name.includes('..');
}

/** By this variable, the processes of a fork are found. */
export const FORK_ID_VARIABLE = 'SAVEPOINT_FORK_ID';

/** The variables of commands in a fork. */
export function forkVariables({ name, copy, port }: Fork): Readonly<Record<string, string>> {
  return {
    SAVEPOINT_FORK: name,
    [FORK_ID_VARIABLE]: copy.id,
    SAVEPOINT_FORK_PORT: String(port),
    SAVEPOINT_FORK_PORTS: String(PORTS_PER_FORK),
  };
}
