import { VERBS } from '@savepoint/core/frontend';
import { command, lines } from '../../command.ts';
import { countText, pathText } from '../../show/format.ts';

const WORDS = {
  forward: 'finished',
  back: 'rolled back',
  discarded: 'discarded: it had not changed anything yet',
} as const;

export const recover = command({
  verb: VERBS.recover,
  operands: [],
  takesPaths: false,
  options: [
    { flags: '--forward', description: 'finish operations that need a decision; conflicting files are backed up' },
    { flags: '--back', description: 'roll back operations that need a decision', conflicts: 'forward' },
  ],
  examples: ['savepoint recover', 'savepoint recover --forward', 'savepoint recover --back'],

  input({ options }) {
    if (options['forward'] === true) return { decision: 'forward' as const };
    return options['back'] === true ? { decision: 'back' as const } : {};
  },

  render({ settled, waiting }) {
    if (settled.length === 0 && waiting.length === 0) return lines('Nothing is pending.');
    return lines([
      ...settled.flatMap(({ direction, paths, keptFiles }) => [
        `An interrupted operation (${countText(paths.length, 'path')}) was ${WORDS[direction]}.`,
        ...keptFiles.map(
          ({ path, backup }) => `  ${pathText(path)} was in the way; it was moved to ${pathText(backup)}`,
        ),
      ]),
      ...waiting.map(
        ({ roots, paths }) =>
          `An interrupted operation (${countText(paths.length, 'path')}) needs ${roots.map(pathText).join(', ')}: ` +
          'mount it again, and the next command recovers the operation.',
      ),
    ]);
  },
});
