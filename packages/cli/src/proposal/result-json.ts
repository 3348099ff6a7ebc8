/** The result of `try` and `run --isolated` as JSON. */
import { nameToJson } from '@savepoint/core';
import { changeToJson } from '@savepoint/core/frontend';
import type { ChildExit } from '../child.ts';
import type { Copy, CopyDifference, Finished } from './proposal.ts';

/** @param ended null: no command was run */
export function resultToJson(
  { copy, notes }: Copy,
  ended: ChildExit | null,
  finished: Finished,
): Readonly<Record<string, unknown>> {
  const { difference, operation, file, plan, failure, outcome, isKept } = finished;
  return {
    exit: ended?.kind === 'exit' ? ended.status : null,
    signal: ended?.kind === 'signal' ? ended.signal : null,
    outcome,
    copy: { id: copy.record.id, rung: copy.record.rung, isKept, files: isKept ? nameToJson(copy.files) : null },
    notes: [...notes],
    ended: [...finished.ended],
    notIsolated: [...copy.notIsolated],
    changes: difference === null ? null : difference.changes.map(changeToJson),
    totals: difference === null ? null : { ...difference.totals },
    notApplied: difference === null ? null : difference.notApplied.map(nameToJson),
    commits: difference === null ? null : difference.commits.map(commitToJson),
    patch: file,
    plan,
    operation,
    error: failure === null ? null : failure.toJSON(),
  };
}

function commitToJson({ path, commit, ref }: CopyDifference['commits'][number]) {
  return { path: nameToJson(path), commit, ref: nameToJson(ref) };
}
