import { SavepointError, showText } from '@savepoint/core';
import { VERBS } from '@savepoint/core/frontend';
import { command, lines } from '../../command.ts';

const RESULTS = ['pass', 'fail', 'none'] as const;

export const testResult = command({
  verb: VERBS.setTestResult,
  operands: [
    ['<checkpoint>', 'for example cp_12, last or @prompt'],
    ['<result>', 'pass, fail, or none to remove it'],
  ],
  takesPaths: false,
  options: [],
  examples: ['npm test && savepoint test-result last pass', 'savepoint test-result cp_12 fail'],

  input({ operands: [checkpoint = '', given = ''] }) {
    const result = RESULTS.find((one) => one === given);
    if (result !== undefined) return { checkpoint, result };
    throw new SavepointError('USAGE', `The result is pass, fail or none, not ${JSON.stringify(given)}.`, {
      argument: 'result',
    });
  },

  render: ({ checkpoint }, { style }) =>
    lines(
      `${style.id(checkpoint.id)}  ${showText(checkpoint.description)}  [${
        checkpoint.testResult === null ? 'no test result' : `tests ${checkpoint.testResult}`
      }]`,
    ),
});
