/** Rolls back what one agent surely did, and checks that no line of others is lost or comes back; then undoes it. */

import { SavepointError } from '@savepoint/core';
import { manifest } from '../manifest.ts';
import { Files } from './files.ts';
import type { Played, Stage } from './play.ts';
import { type LineEvent, linesOf, NO_LINES, TrueHistory } from './true-history.ts';

export interface TakenBack {
  readonly outcome: 'rolled back' | 'nothing to do' | 'conflict';
  /** What went wrong; empty if all is well. */
  readonly problems: readonly string[];
  /**
   * Lines of a file that the agent deleted, which somebody else had removed right before. No report says what a deleted
   * file contained, so it comes back as it was before the call.
   */
  readonly withDeleted: number;
}

export async function takeBack({ dir, savepoint }: Stage, { truth }: Played, agent: string): Promise<TakenBack> {
  const before = manifest(dir);
  const linesBefore = truth.now;
  const problems: string[] = [];
  let withDeleted = 0;
  try {
    const { changed } = await rollback();
    if (!changed) return { outcome: 'nothing to do', problems, withDeleted };
  } catch (error) {
    if (!(error instanceof SavepointError) || error.code !== 'CONFLICT') throw error;
    if (!isSame(manifest(dir), before)) problems.push('a conflict changed files');
    return { outcome: 'conflict', problems, withDeleted };
  }
  const after = new TrueHistory(dir).now;
  // A line that somebody moved to another file is still its writer's.
  const authorOf = (path: string, line: string, added: boolean): string => {
    const isIt = (event: LineEvent): boolean => event.line === line && event.added === added;
    const here = truth.events.findLastIndex((event) => isIt(event) && event.path === path);
    const earlier = here < 0 ? truth.events : truth.events.slice(0, here + 1);
    return earlier.findLast((event) => isIt(event) && !event.isMoved)?.author ?? 'seed';
  };
  for (const path of new Set([...linesBefore.keys(), ...after.keys()])) {
    for (const line of linesBefore.get(path) ?? []) {
      if (after.get(path)?.has(line) === true) continue;
      const by = authorOf(path, line, true);
      // The agent's own line, which somebody removed and brought back, is still its work.
      const isOwn = by === agent || truth.events.find((event) => event.line === line && event.added)?.author === agent;
      if (!isOwn && line !== NO_LINES) problems.push(`lost in ${path}: "${line}" by ${by}`);
    }
    for (const line of after.get(path) ?? []) {
      if (linesBefore.get(path)?.has(line) === true || line === NO_LINES) continue;
      const by = authorOf(path, line, false);
      if (by === agent) continue;
      if (!linesBefore.has(path)) withDeleted += 1;
      else problems.push(`came back in ${path}: "${line}", removed by ${by}`);
    }
    const all = linesOf(new Files(dir).read(path) ?? '');
    for (const line of all.filter((one, at) => all.indexOf(one) !== at)) problems.push(`twice in ${path}: "${line}"`);
  }
  await savepoint.undo();
  if (!isSame(manifest(dir), before)) problems.push('the undo is not exact');
  return { outcome: 'rolled back', problems, withDeleted };

  async function rollback(): Promise<{ readonly changed: boolean }> {
    try {
      return { changed: (await savepoint.rollback({ agent })).checkpoint !== null };
    } catch (error) {
      if (error instanceof SavepointError && error.code === 'UNKNOWN_AGENT') return { changed: false };
      throw error;
    }
  }
}

function isSame(a: object, b: object): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
