import { inverseVerb } from './inverse.ts';

export const undo = inverseVerb(
  {
    name: 'undo',
    summary: 'undo the last operation',
    description:
      'Reverts the last operation of Savepoint that is in effect: a restore, rollback, edit or redo. Files that ' +
      'changed since are merged three ways. If both sides changed the same lines, that is a conflict and nothing is ' +
      'changed. `redo` reverts the undo.',
  },
  (savepoint, options, dryRun) => (dryRun ? savepoint.previewUndo(options) : savepoint.undo(options)),
);
