import { VERBS } from '@savepoint/core/frontend';
import { command } from '../../command.ts';
import { INVERSE_OPTIONS, insteadOfInverse, inverseInput, inverseText } from './inverse.ts';

export const redo = command({
  verb: VERBS.redo,
  operands: [],
  takesPaths: false,
  options: INVERSE_OPTIONS,
  examples: ['savepoint redo', 'savepoint redo --dry-run'],
  excessExample: insteadOfInverse,
  input: inverseInput,
  render: (output, view) => inverseText(output, view, 'Run `savepoint undo` to revert.'),
});
