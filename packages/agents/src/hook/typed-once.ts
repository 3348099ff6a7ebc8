/**
 * Carries out a typed command once. Several settings of an agent may have our hook, and if the daemon does not answer in
 * time, the hook script passes the event on to another process. A second undo would undo something else.
 */

import { createHash } from 'node:crypto';
import { closeSync, lstatSync, mkdirSync, openSync, readdirSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentEvent } from '../event.ts';
import type { RunnableCommand, SlashRequest } from '../slash/request.ts';
import { slashUsage } from '../slash/table.ts';
import type { CarryOut, OpenTyped } from './handle.ts';
import { eventKey } from './pairing.ts';

/** @returns what to show to the user; it does not fail */
export type RunTyped = (typed: RunnableCommand, open: OpenTyped) => Promise<string>;

/** Much longer than an agent waits for a hook. */
const KEPT_MS = 60 * 60_000;
const ELSEWHERE =
  'Savepoint is already carrying out this command, in another process. `savepoint list` in a terminal shows what it did.';

const IN_TERMINAL = 'Use `savepoint` in a terminal instead.';

/** @param home the folder of the stores */
export function carryingOut(home: string, run: RunTyped): CarryOut {
  return async (typed, event, open) => {
    if (typed.request.kind === 'usage') return slashUsage(typed.prefix);
    const doubt = event.typedDoubt ?? null;
    if (doubt !== null && changesSomething(typed.request)) return `Nothing was changed. ${doubt} ${IN_TERMINAL}`;
    return isFirst(home, event) ? run({ prefix: typed.prefix, request: typed.request }, open) : ELSEWHERE;
  };
}

/** The others only show what is there. */
function changesSomething({ kind }: SlashRequest): boolean {
  return !['list', 'turns', 'show', 'diff'].includes(kind);
}

function isFirst(home: string, event: AgentEvent): boolean {
  const key = eventKey(event);
  if (key === null) return true;
  const folder = join(home, 'agents', 'typed');
  const name = createHash('sha256')
    .update(JSON.stringify([event.agent, event.session, key]))
    .digest('hex');
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    closeSync(openSync(join(folder, name), 'wx', 0o600));
  } catch (error) {
    // If no file can be created, the command is carried out all the same: usually there is only one hook.
    return (error as NodeJS.ErrnoException).code !== 'EEXIST';
  }
  removeOld(folder);
  return true;
}

/** A failure is harmless: the files stay, or another process has removed them. */
function removeOld(folder: string): void {
  for (const name of namesIn(folder)) {
    const file = join(folder, name);
    try {
      if (Date.now() - lstatSync(file).mtimeMs > KEPT_MS) unlinkSync(file);
    } catch {
      // See above. The others do not depend on it.
    }
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
