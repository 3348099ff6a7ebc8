import { inverse } from './inverse.ts';

export const undo = inverse(
  {
    name: 'undo',
    summary: 'take back the newest act of Savepoint',
    description:
      'Takes back the newest restore (or redo) that stands. Files that changed since are merged three ways; where both ' +
      'changed the same lines it is a conflict, and nothing changes at all. `redo` brings the act again.',
  },
  (savepoint, options, dryRun) => (dryRun ? savepoint.previewUndo(options) : savepoint.undo(options)),
);
