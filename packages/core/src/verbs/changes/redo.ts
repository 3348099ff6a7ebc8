import { inverseVerb } from './inverse.ts';

export const redo = inverseVerb(
  {
    name: 'redo',
    summary: 'redo the last undone operation',
    description:
      'Reverts the last undo, provided that no other operation followed it. Files that changed since are merged ' +
      'three ways. If both sides changed the same lines, that is a conflict and nothing is changed.',
  },
  (savepoint, options, dryRun) => (dryRun ? savepoint.previewRedo(options) : savepoint.redo(options)),
);
