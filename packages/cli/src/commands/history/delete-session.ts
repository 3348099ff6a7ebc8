import { type Savepoint, SavepointError, showText } from '@savepoint/core';
import { VERBS } from '@savepoint/core/frontend';
import { command, lines } from '../../command.ts';
import { confirm, IRREVERSIBLE_HINT } from '../../input/confirm.ts';
import { listWithHeading } from '../../show/capture.ts';
import { KEPT_BECAUSE } from '../../show/checkpoint.ts';
import { countText, sizeText } from '../../show/format.ts';

export const deleteSession = command({
  verb: VERBS.deleteSession,
  operands: [['<session>', 'its id, or a unique prefix']],
  takesPaths: false,
  options: [{ flags: '--yes', description: 'do not ask for confirmation' }],
  examples: ['savepoint sessions delete 3f2a91bc', 'savepoint sessions delete 3f2a91bc --yes'],
  input: ({ operands }) => ({ session: operands[0] ?? '' }),

  async carryOut(input, { options }, context) {
    const { savepoint, signal } = context;
    if (options['yes'] !== true) {
      const { sessions } = await VERBS.sessions.handle(savepoint, {}, { signal });
      const [found, another] = sessions.filter(({ id }) => id.startsWith(input.session));
      // An unknown session, and an ambiguous one, fail below.
      if (found !== undefined && (another === undefined || found.id === input.session)) {
        const what = `${countText(found.checkpoints.length, 'checkpoint')} of session ${showText(found.id)}${await commentsText(savepoint, found.id, signal)}`;
        await confirm(context, {
          verb: 'sessions delete',
          consequence: `This would delete ${what}`,
          hint: IRREVERSIBLE_HINT,
          preview: lines(
            `This deletes ${what}. It cannot be undone.`,
            'Nothing records any more who made changes that only they list: a restore across them asks about their files.',
          ),
          question: 'Delete them?',
          declinedMessage: 'Nothing was deleted.',
        });
      }
    }
    return VERBS.deleteSession.handle(savepoint, input, { signal });
  },

  render({ session, dropped, stayed, plans, unsentComments, kept, bytesBefore, bytesAfter }) {
    return lines(
      `Deleted ${countText(dropped.length, 'checkpoint')} of session ${showText(session)}; ` +
        `the workspace has ${countText(kept, 'checkpoint')} left.`,
      listWithHeading(
        stayed.map(({ id, why }) => `${id} (${KEPT_BECAUSE[why]})`),
        (count) => `${countText(count, 'checkpoint')} of the session ${count === 1 ? 'was' : 'were'} kept:`,
      ),
      plans.length === 0 ? [] : `Removed its texts from ${plans.join(', ')}; what is proposed there stays.`,
      unsentComments === 0 ? [] : `Deleted ${countText(unsentComments, 'comment')} that no agent had received.`,
      `Store size: ${sizeText(bytesBefore)} before, ${sizeText(bytesAfter)} now.`,
    );
  },
});

/** What is lost of the comments of people, as the end of a list. Nothing if each has reached an agent. */
async function commentsText(savepoint: Savepoint, session: string, signal: AbortSignal): Promise<string> {
  try {
    const { comments } = await VERBS.commentList.handle(savepoint, {}, { signal });
    const unsent = comments.filter((one) => one.session === session && one.status === 'open').length;
    return unsent === 0 ? '' : `, and ${countText(unsent, 'comment')} that no agent has received`;
  } catch (error) {
    if (!(error instanceof SavepointError) || error.code !== 'STORE_DAMAGED') throw error;
    return ', and the comments, which cannot be read';
  }
}
