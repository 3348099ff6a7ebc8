import { showText } from '@savepoint/core';
import { VERBS } from '@savepoint/core/faces';
import { agree, FOR_GOOD } from '../../agree.ts';
import { command, lines } from '../../command.ts';
import { listed } from '../../show/capture.ts';
import { counted, size } from '../../show/words.ts';

const WHY = {
  newest: 'newest checkpoint of the workspace',
  undo: 'needed to undo an operation that remains',
} as const;

export const deleteSession = command({
  verb: VERBS.deleteSession,
  operands: [['<session>', 'its full id, as `savepoint sessions` prints it']],
  takesPaths: false,
  options: [{ flags: '--yes', description: 'do not ask for confirmation' }],
  examples: ['savepoint sessions delete 3f2a91bc', 'savepoint sessions delete 3f2a91bc --yes'],
  input: ({ operands }) => ({ session: operands[0] ?? '' }),

  async carryOut(input, { options }, session) {
    const { savepoint, signal } = session;
    if (options['yes'] !== true) {
      const { sessions } = await VERBS.sessions.handle(savepoint, {}, { signal });
      const found = sessions.find(({ id }) => id === input.session);
      // An unknown session fails below.
      if (found !== undefined && found.checkpoints.length > 0) {
        const what = `${counted(found.checkpoints.length, 'checkpoint')} of session ${showText(input.session)}`;
        await agree(session, {
          verb: 'sessions delete',
          would: `This would delete ${what}`,
          hint: FOR_GOOD,
          shown: `This deletes ${what}. It cannot be undone.\n`,
          question: 'Delete them?',
          declined: 'Nothing was deleted.',
        });
      }
    }
    return VERBS.deleteSession.handle(savepoint, input, { signal });
  },

  render({ session, dropped, stayed, kept, bytesBefore, bytesAfter }) {
    return lines(
      `Deleted ${counted(dropped.length, 'checkpoint')} of session ${showText(session)}; ` +
        `the workspace has ${counted(kept, 'checkpoint')} left.`,
      listed(
        stayed.map(({ id, why }) => `${id} (${WHY[why]})`),
        (count) => `${counted(count, 'checkpoint')} of the session ${count === 1 ? 'was' : 'were'} kept:`,
      ),
      `Store size: ${size(bytesBefore)} before, ${size(bytesAfter)} now.`,
    );
  },
});
