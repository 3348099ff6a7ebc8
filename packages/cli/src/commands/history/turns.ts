import { VERBS } from '@savepoint/core/frontend';
import { checkpointIdOption, command, lines, wholeNumber } from '../../command.ts';
import { uncountedLines } from '../../show/checkpoint.ts';
import { localTime, relativeTime } from '../../show/format.ts';
import { turnLines } from '../../show/turn.ts';

export const turns = command({
  verb: VERBS.turns,
  operands: [],
  takesPaths: false,
  isPaged: true,
  options: [
    { flags: '--session <id>', description: 'only turns of this session: its id, or a unique prefix' },
    { flags: '--limit <number>', description: 'maximum number of turns (default 20)' },
    { flags: '--before <checkpoint>', description: 'only turns that began before this one (cp_12)' },
    { flags: '--absolute-time', description: 'show local times instead of `5 min ago`' },
  ],
  examples: ['savepoint turns', 'savepoint restore cp_12', 'savepoint turns --session 3f2a91bc --limit 5'],

  input(given) {
    const before = checkpointIdOption(given, 'before', '--before');
    const { session } = given.options;
    const limit = wholeNumber(given, 'limit', '--limit');
    return {
      ...(typeof session === 'string' ? { session } : {}),
      ...(limit === undefined ? {} : { limit }),
      ...(before === undefined ? {} : { before }),
    };
  },

  render({ turns: found, damaged, next }, view, { options }) {
    const now = Date.now();
    const timeOf = ({ ended }: { readonly ended: string }): string =>
      options['absoluteTime'] === true ? localTime(ended) : relativeTime(ended, now);
    return lines(
      found.length === 0 ? ['No prompts to agents recorded yet.'] : turnLines(found, view, timeOf),
      uncountedLines(damaged, view),
      next === null ? [] : [`Older turns: \`savepoint turns --before ${next}\``],
    );
  },
});
