/** Stops an operation that would lose content, or that cannot be done completely. */

import { showName } from '../content/show-name.ts';
import { someOf } from '../content/some-of.ts';
import { shownEntry } from '../model/entries.ts';
import { type ErrorData, SavepointError } from '../model/errors.ts';
import { nameToJson } from '../model/names.ts';
import type { ChangeSet, PathConflict, ThreeSides } from './change-set.ts';

/** Most paths that a message names. Its data lists all. */
const NAMED_PATHS = 5;

/** @throws SavepointError PATH_REFUSED, GIT_REFUSED, CONFLICT */
export function assertFeasible(plan: ChangeSet): void {
  const refused = [
    ...plan.refused,
    ...plan.toCapture.map((path) => ({ path, why: 'its current content cannot be backed up' })),
  ];
  const [first] = refused;
  if (first !== undefined) {
    const paths = conflictsToJson(refused);
    throw new SavepointError(
      'PATH_REFUSED',
      `${counted(refused.length, 'path')} cannot be overwritten: ${first.why}.`,
      {
        path: nameToJson(first.path),
        why: first.why,
        paths,
      },
      plan.hint === null ? {} : { hint: plan.hint },
    );
  }
  const refusedHeads = plan.headsRefused ?? [];
  if (refusedHeads.length > 0) {
    const repositories = refusedHeads.map(({ path, why }) => ({ path: nameToJson(path), why }));
    throw new SavepointError('GIT_REFUSED', `Branches cannot be restored: ${refusedHeads[0]?.why}.`, { repositories });
  }
  if (plan.conflicts.length > 0) {
    throw new SavepointError(
      'CONFLICT',
      `Conflict in ${counted(plan.conflicts.length, 'path')}: ${namedPaths(plan.conflicts)}.`,
      { paths: conflictsToJson(plan.conflicts) },
      plan.hint === null ? {} : { hint: plan.hint },
    );
  }
}

function namedPaths(conflicts: readonly PathConflict[]): string {
  const names = conflicts.map(({ path }) => (path === '' ? 'the workspace itself' : showName(path)));
  return someOf(names, NAMED_PATHS);
}

function conflictsToJson(conflicts: readonly PathConflict[]): ErrorData<'CONFLICT'>['paths'] {
  return conflicts.map(({ path, why, sides }) => ({
    path: nameToJson(path),
    why,
    ...(sides === undefined ? {} : sidesToJson(sides)),
  }));
}

function sidesToJson({ base, ours, theirs, text }: ThreeSides) {
  return {
    base: shownEntry(base),
    ours: shownEntry(ours),
    theirs: shownEntry(theirs),
    text: text === null ? null : nameToJson(text.toString('latin1')),
  };
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
