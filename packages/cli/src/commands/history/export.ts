import { SavepointError, showText } from '@savepoint/core';
import { VERBS } from '@savepoint/core/frontend';
import { command, lines } from '../../command.ts';
import { listWithHeading } from '../../show/capture.ts';
import { countText, pathText } from '../../show/format.ts';

export const exportSession = command({
  verb: VERBS.exportSession,
  operands: [],
  takesPaths: false,
  options: [
    { flags: '--session <id>', description: 'the session: its id, or a unique prefix (required)' },
    { flags: '--format <format>', description: 'the output format', choices: ['json'] },
    { flags: '--out <dir>', description: 'the folder to create (default savepoint-export-SESSION)' },
  ],
  examples: [
    'savepoint export --session 3f2a91bc --format json',
    'savepoint export --session 3f2a91bc --out ../changes',
  ],

  input({ options: { session, out } }, { absolutePath: absolute }) {
    if (typeof session !== 'string' || session === '') {
      throw new SavepointError('USAGE', 'export needs a session: use --session ID.', { argument: '--session' });
    }
    const name = session.replace(/[^A-Za-z0-9._-]+/g, '-').slice(0, 60);
    return { session, folder: absolute(typeof out === 'string' ? out : `savepoint-export-${name}`) };
  },

  render({ session, folder, changes, incomplete, damaged }) {
    return lines(
      `Wrote ${countText(changes, 'change')} of session ${showText(session)} to ${pathText(folder)}`,
      listWithHeading(
        incomplete,
        (count) => `${countText(count, 'change')} incomplete, because content is no longer in the store:`,
      ),
      listWithHeading(
        damaged.map(({ id, problem }) => `${id}: ${showText(problem.message)}`),
        () => 'damaged checkpoints, whose changes may be missing:',
      ),
    );
  },
});
