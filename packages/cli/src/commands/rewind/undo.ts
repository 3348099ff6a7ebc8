import { VERBS } from '@savepoint/core/frontend';
import { command } from '../../command.ts';
import { INVERSE_OPTIONS, insteadOfInverse, inverseInput, inverseText } from './inverse.ts';

export const undo = command({
  verb: VERBS.undo,
  operands: [],
  takesPaths: false,
  options: INVERSE_OPTIONS,
  examples: ['savepoint undo', 'savepoint undo --dry-run'],
  excessExample: insteadOfInverse,
  input: inverseInput,
  render: (output, view) => inverseText(output, view, 'Run `savepoint redo` to redo it.'),
});
