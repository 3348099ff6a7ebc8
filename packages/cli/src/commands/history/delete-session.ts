import { showText } from '@savepoint/core';
import { VERBS } from '@savepoint/core/faces';
import { agree, FOR_GOOD } from '../../agree.ts';
import { command, lines } from '../../command.ts';
import { listed } from '../../show/capture.ts';
import { counted, size } from '../../show/words.ts';

const WHY = {
  newest: "it is the workspace's newest",
  undo: 'it is the state before an act that stays',
} as const;

export const deleteSession = command({
  verb: VERBS.deleteSession,
  operands: [['<session>', 'its whole id, as `savepoint sessions` prints it']],
  takesPaths: false,
  options: [{ flags: '--yes', description: 'do not ask' }],
  examples: ['savepoint sessions delete 3f2a91bc', 'savepoint sessions delete 3f2a91bc --yes'],
  input: ({ operands }) => ({ session: operands[0] ?? '' }),

  async carryOut(input, { options }, session) {
    const { savepoint, signal } = session;
    if (options['yes'] !== true) {
      const { sessions } = await VERBS.sessions.handle(savepoint, {}, { signal });
      const found = sessions.find(({ id }) => id === input.session);
      // One that is not there fails below, and says so.
      if (found !== undefined && found.checkpoints.length > 0) {
        const what = `${counted(found.checkpoints.length, 'checkpoint')} of session ${showText(input.session)}`;
        await agree(session, {
          verb: 'sessions delete',
          would: `That would drop ${what}`,
          hint: FOR_GOOD,
          shown: `This drops ${what}. It cannot be undone.\n`,
          question: 'Drop them?',
          declined: 'Not dropped.',
        });
      }
    }
    return VERBS.deleteSession.handle(savepoint, input, { signal });
  },

  render({ session, dropped, stayed, kept, bytesBefore, bytesAfter }) {
    return lines(
      `Dropped ${counted(dropped.length, 'checkpoint')} of session ${showText(session)}; ` +
        `${counted(kept, 'checkpoint')} of the workspace ${kept === 1 ? 'is' : 'are'} left.`,
      listed(
        stayed.map(({ id, why }) => `${id} (${WHY[why]})`),
        (count) => `${counted(count, 'checkpoint')} of it ${count === 1 ? 'stays' : 'stay'}:`,
      ),
      `The store took ${size(bytesBefore)} and takes ${size(bytesAfter)}.`,
    );
  },
});
