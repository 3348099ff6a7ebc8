import { inverse } from './inverse.ts';

export const redo = inverse(
  {
    name: 'redo',
    summary: 'bring again what the last undo took back',
    description:
      'Takes back the newest undo, as long as no other act came after it. Files that changed since are merged three ' +
      'ways; where both changed the same lines it is a conflict, and nothing changes at all.',
  },
  (savepoint, options, dryRun) => (dryRun ? savepoint.previewRedo(options) : savepoint.redo(options)),
);
