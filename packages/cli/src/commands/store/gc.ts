import { VERBS } from '@savepoint/core/frontend';
import { command, lines, wholeNumber } from '../../command.ts';
import { countText, sizeText } from '../../show/format.ts';

const MB = 1024 * 1024;

export const gc = command({
  verb: VERBS.gc,
  operands: [],
  takesPaths: false,
  options: [
    { flags: '--max-checkpoints <number>', description: 'keep at most this many checkpoints (default 1000)' },
    { flags: '--max-age-days <number>', description: 'drop checkpoints older than this (default 90)' },
    { flags: '--keep-at-least <number>', description: 'always keep this many of the newest (default 50)' },
    { flags: '--max-sessions <number>', description: 'keep checkpoints of at most this many sessions (default 30)' },
    {
      flags: '--max-store-mb <number>',
      description: 'drop the oldest while the store is larger than this (default 10240)',
    },
  ],
  examples: ['savepoint gc', 'savepoint gc --max-checkpoints 100 --keep-at-least 20'],

  input(given) {
    const megabytes = wholeNumber(given, 'maxStoreMb', '--max-store-mb');
    const wanted = {
      maxCheckpoints: wholeNumber(given, 'maxCheckpoints', '--max-checkpoints'),
      maxAgeDays: wholeNumber(given, 'maxAgeDays', '--max-age-days'),
      keepAtLeast: wholeNumber(given, 'keepAtLeast', '--keep-at-least'),
      maxSessions: wholeNumber(given, 'maxSessions', '--max-sessions'),
      maxStoreBytes: megabytes === undefined ? undefined : megabytes * MB,
    };
    return Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined));
  },

  render({ dropped, kept, bytesBefore, bytesAfter }) {
    const first = dropped[0];
    const which = first === undefined ? '' : ` (${first}${dropped.length > 1 ? ` to ${dropped.at(-1)}` : ''})`;
    return lines(
      `Dropped ${countText(dropped.length, 'checkpoint')}${which}, kept ${kept}. ` +
        `Store size: ${sizeText(bytesBefore)} before, ${sizeText(bytesAfter)} now.`,
    );
  },
});
