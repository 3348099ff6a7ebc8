import { SavepointError, showText } from '@savepoint/core';
import { VERBS } from '@savepoint/core/faces';
import { command, lines } from '../../command.ts';
import { listed } from '../../show/capture.ts';
import { counted, shown } from '../../show/words.ts';

export const exportSession = command({
  verb: VERBS.exportSession,
  operands: [],
  takesPaths: false,
  options: [
    { flags: '--session <id>', description: 'its id, or enough of its beginning' },
    { flags: '--format <format>', description: 'json', choices: ['json'] },
    { flags: '--out <dir>', description: 'the folder to make (savepoint-export-SESSION)' },
  ],
  examples: [
    'savepoint export --session 3f2a91bc --format json',
    'savepoint export --session 3f2a91bc --out ../changes',
  ],

  input({ options: { session, out } }, { absolute }) {
    if (typeof session !== 'string' || session === '') {
      throw new SavepointError('USAGE', 'export wants a session, as --session ID.', { argument: '--session' });
    }
    const name = session.replace(/[^A-Za-z0-9._-]+/g, '-').slice(0, 60);
    return { session, folder: absolute(typeof out === 'string' ? out : `savepoint-export-${name}`) };
  },

  render({ session, folder, changes, incomplete, damaged }) {
    return lines(
      `Wrote ${counted(changes, 'change')} of session ${showText(session)} to ${shown(folder)}`,
      listed(incomplete, (count) => `${counted(count, 'change')} without a content that is not in the store any more:`),
      listed(
        damaged.map(({ id, problem }) => `${id}: ${showText(problem.message)}`),
        () => 'damaged, so that changes of theirs may be missing:',
      ),
    );
  },
});
