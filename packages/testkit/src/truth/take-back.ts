/** Rolls back what one agent surely did, and checks that no line of others is lost or comes back; then undoes it. */

import { SavepointError } from '@savepoint/core';
import { manifest } from '../manifest.ts';
import { Files } from './files.ts';
import { markOf } from './lines.ts';
import type { Played, Stage } from './play.ts';
import { EXECUTABLE, type LineEvent, linesOf, NO_LINES, TrueHistory, without } from './true-history.ts';

export interface TakenBack {
  readonly agent: string;
  readonly outcome: 'rolled back' | 'nothing to do' | 'conflict' | 'conflict, the rest rolled back';
  /** What went wrong; empty if all is well. */
  readonly problems: readonly string[];
}

export async function takeBack(
  { dir, savepoint }: Pick<Stage, 'dir' | 'savepoint'>,
  { truth }: Played,
  agent: string,
): Promise<TakenBack> {
  const before = manifest(dir);
  const linesBefore = truth.now;
  const problems: string[] = [];
  const first = await rollback(false);
  if (first === 'conflict' && !isSame(manifest(dir), before)) problems.push('a conflict changed files');
  const second = first === 'conflict' ? await rollback(true) : first;
  if (second !== 'changed') return { agent, outcome: first === 'conflict' ? first : 'nothing to do', problems };
  const after = new TrueHistory(dir).now;
  // A line that somebody moved to another file is still its writer's.
  const authorOf = (path: string, line: string, added: boolean): string => {
    const isIt = (event: LineEvent): boolean => event.line === line && event.added === added;
    const here = truth.events.findLastIndex((event) => isIt(event) && event.path === path);
    const earlier = here < 0 ? truth.events : truth.events.slice(0, here + 1);
    return earlier.findLast((event) => isIt(event) && !event.isMoved)?.author ?? 'seed';
  };
  for (const path of new Set([...linesBefore.keys(), ...after.keys()])) {
    const [old, current] = [linesBefore.get(path) ?? [], after.get(path) ?? []];
    // The permission to execute an agent's file goes with the file.
    const isContent = (line: string): boolean => line !== NO_LINES && (line !== EXECUTABLE || after.has(path));
    const lost = without(old, current).filter(isContent);
    const back = without(current, old).filter((line) => line !== NO_LINES);
    for (const line of lost.filter((one) => markOf(one) !== null)) {
      const by = authorOf(path, line, true);
      // The agent's own line, which somebody removed and brought back, is still its work.
      const isOwn = by === agent || truth.events.find((event) => event.line === line && event.added)?.author === agent;
      if (!isOwn) problems.push(`lost in ${path}: "${line}" by ${by}`);
    }
    for (const line of back.filter((one) => markOf(one) !== null)) {
      const by = authorOf(path, line, false);
      if (by !== agent) problems.push(`came back in ${path}: "${line}", removed by ${by}`);
    }
    // Equal lines: no more of them may be lost or come back than the agent added or removed.
    for (const [lines, added] of [
      [lost, true],
      [back, false],
    ] as const) {
      const own = truth.events.filter((event) => event.author === agent && event.added === added);
      const others = without(
        lines.filter((line) => markOf(line) === null),
        own.map(({ line }) => line),
      );
      problems.push(...others.map((line) => `${added ? 'lost' : 'came back'} in ${path}: "${line}"`));
    }
    const all = linesOf(new Files(dir).read(path) ?? '').filter((line) => markOf(line) !== null);
    for (const line of all.filter((one, at) => all.indexOf(one) !== at)) problems.push(`twice in ${path}: "${line}"`);
  }
  await savepoint.undo();
  if (!isSame(manifest(dir), before)) problems.push('the undo is not exact');
  const outcome = first === 'conflict' ? 'conflict, the rest rolled back' : 'rolled back';
  return { agent, outcome, problems };

  async function rollback(skipConflicts: boolean): Promise<'changed' | 'unchanged' | 'conflict'> {
    try {
      // A killed agent leaves open calls.
      const { checkpoint } = await savepoint.rollback({ agent }, { skipConflicts, force: true });
      return checkpoint === null ? 'unchanged' : 'changed';
    } catch (error) {
      if (error instanceof SavepointError && error.code === 'UNKNOWN_AGENT') return 'unchanged';
      if (error instanceof SavepointError && error.code === 'CONFLICT') return 'conflict';
      throw error;
    }
  }
}

function isSame(a: object, b: object): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
