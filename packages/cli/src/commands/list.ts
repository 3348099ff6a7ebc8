import { SavepointError, showText, VERBS } from '@savepoint/core';
import { command, lines, wholeNumber } from '../command.ts';
import { checkpointLine } from '../show/checkpoint.ts';

export const list = command({
  verb: VERBS.list,
  operands: [],
  takesPaths: false,
  options: [
    { flags: '--limit <number>', description: 'how many at most (50)' },
    { flags: '--before <checkpoint>', description: 'only older ones than this, as cp_12' },
  ],
  examples: ['savepoint list', 'savepoint list --limit 5', 'savepoint list --before cp_40'],

  input(given) {
    const limit = wholeNumber(given, 'limit', '--limit');
    const before = given.options['before'];
    if (typeof before === 'string' && !/^cp_[1-9]\d{0,8}$/.test(before)) {
      throw new SavepointError('USAGE', '--before wants a checkpoint as cp_12.', { argument: '--before' });
    }
    return { ...(limit === undefined ? {} : { limit }), ...(typeof before === 'string' ? { before } : {}) };
  },

  render({ checkpoints, damaged, more }, view) {
    if (checkpoints.length + damaged.length === 0) {
      return lines('No checkpoints. Take one with `savepoint checkpoint`.');
    }
    const columns = Math.max(...[...checkpoints, ...damaged].map(({ id }) => id.length));
    const rows = [
      ...checkpoints.map((one) => ({ id: one.id, line: checkpointLine(one, view, columns) })),
      ...damaged.map(({ id, problem }) => ({
        id,
        line: `${view.style.id(id.padEnd(columns))}  ${view.style.bad('damaged')}: ${showText(problem.message)}`,
      })),
    ].sort((a, b) => Number(b.id.slice(3)) - Number(a.id.slice(3)));
    const oldest = rows.at(-1)?.id ?? '';
    return lines(
      rows.map(({ line }) => line),
      more ? [`… and older ones: \`savepoint list --before ${oldest}\``] : [],
    );
  },
});
