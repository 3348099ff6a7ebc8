import { VERBS } from '@savepoint/core/faces';
import { command, lines } from '../../command.ts';
import { counted, shown } from '../../show/words.ts';

const WORDS = {
  forward: 'finished',
  back: 'taken back',
  discarded: 'thrown away: it had changed nothing yet',
} as const;

export const recover = command({
  verb: VERBS.recover,
  operands: [],
  takesPaths: false,
  options: [
    { flags: '--forward', description: 'finish what needs a decision; what stands in its way is kept under the store' },
    { flags: '--back', description: 'take back what needs a decision', conflicts: 'forward' },
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
        `An act of a dead process (${counted(paths.length, 'path')}) was ${WORDS[direction]}.`,
        ...keptFiles.map(({ path, backup }) => `  ${shown(path)} was in the way; its bytes are in ${shown(backup)}`),
      ]),
      ...waiting.map(
        ({ roots, paths }) =>
          `An act (${counted(paths.length, 'path')}) waits for ${roots.map(shown).join(', ')}: mount it again, and the next command settles it.`,
      ),
    ]);
  },
});
