import { showText } from '@savepoint/core';
import { shellWord, VERBS } from '@savepoint/core/frontend';
import { command, lines } from '../../command.ts';
import { captureNotes } from '../../show/capture.ts';

export const checkpoint = command({
  verb: VERBS.checkpoint,
  operands: [],
  takesPaths: false,
  options: [
    { flags: '-m, --message <text>', description: 'the description (default: a summary of the changes)' },
    {
      flags: '--test-result <result>',
      description: 'the result of the tests on this state',
      choices: ['pass', 'fail'],
    },
  ],
  examples: [
    'savepoint checkpoint',
    'savepoint checkpoint -m "before the big rename"',
    'savepoint checkpoint --test-result pass',
  ],

  excessExample: (text) => `savepoint checkpoint -m ${shellWord(text)}`,

  input({ options: { message, testResult } }) {
    return {
      ...(typeof message === 'string' ? { message } : {}),
      ...(testResult === 'pass' || testResult === 'fail' ? ({ testResult } as const) : {}),
    };
  },

  render({ checkpoint: taken, capture, pending }, view) {
    const { style } = view;
    const text = [`${style.id(taken.id)}  ${showText(taken.description)}`, ...captureNotes(capture, view)];
    if (pending !== null) text.push(style.bad(showText(pending.message)), `  ${showText(pending.hint)}`);
    return lines(text);
  },
});
