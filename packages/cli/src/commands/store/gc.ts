import { type OutputOf, VERBS } from '@savepoint/core/frontend';
import { command, lines, wholeNumber } from '../../command.ts';
import { confirm, IRREVERSIBLE_HINT } from '../../input/confirm.ts';
import { countText, sizeText } from '../../show/format.ts';

const MB = 1024 * 1024;

export const gc = command({
  verb: VERBS.gc,
  operands: [],
  takesPaths: false,
  options: [
    { flags: '-n, --dry-run', description: 'only show what would be dropped' },
    { flags: '-y, --yes', description: 'do not ask for confirmation' },
    { flags: '--max-checkpoints <number>', description: 'keep at most this many checkpoints (default 1000)' },
    { flags: '--max-age-days <number>', description: 'drop checkpoints older than this (default 90)' },
    { flags: '--keep-at-least <number>', description: 'always keep this many of the newest (default 50)' },
    { flags: '--max-sessions <number>', description: 'keep checkpoints of at most this many sessions (default 30)' },
    {
      flags: '--max-store-mb <number>',
      description: 'drop the oldest while the store is larger than this (default 10240)',
    },
  ],
  examples: ['savepoint gc --dry-run', 'savepoint gc --yes', 'savepoint gc --max-checkpoints 100 --keep-at-least 20'],

  input(given) {
    const megabytes = wholeNumber(given, 'maxStoreMb', '--max-store-mb');
    const wanted = {
      maxCheckpoints: wholeNumber(given, 'maxCheckpoints', '--max-checkpoints'),
      maxAgeDays: wholeNumber(given, 'maxAgeDays', '--max-age-days'),
      keepAtLeast: wholeNumber(given, 'keepAtLeast', '--keep-at-least'),
      maxSessions: wholeNumber(given, 'maxSessions', '--max-sessions'),
      maxStoreBytes: megabytes === undefined ? undefined : megabytes * MB,
    };
    const retention = Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined));
    return { ...retention, ...(given.options['dryRun'] === true ? { dryRun: true } : {}) };
  },

  async carryOut(input, { options }, context) {
    const { savepoint, signal } = context;
    if (options['yes'] !== true && input.dryRun !== true) {
      const seen = await VERBS.gc.handle(savepoint, { ...input, dryRun: true }, { signal });
      if (seen.dropped.length > 0 || seen.forks.length > 0 || seen.tooLarge) {
        await confirm(context, {
          verb: 'gc',
          consequence: `Clean-up would ${consequenceText(seen)}`,
          hint: IRREVERSIBLE_HINT,
          preview: lines(previewLines(seen)),
          question: 'Drop them?',
          declinedMessage: 'Nothing was dropped.',
        });
      }
    }
    return VERBS.gc.handle(savepoint, input, { signal });
  },

  render(output) {
    const { dropped, forks, kept, bytesBefore, bytesAfter } = output;
    if (bytesAfter === null) return lines(previewLines(output));
    const which = dropped.length === 0 ? '' : ` (${rangeText(dropped)})`;
    return lines(
      `Dropped ${countText(dropped.length, 'checkpoint')}${which}, kept ${kept}. ` +
        `Store size: ${sizeText(bytesBefore)} before, ${sizeText(bytesAfter)} now.`,
      forks.length === 0 ? [] : `No longer restorable: ${forksText(forks)}.`,
    );
  },
});

type GcJson = OutputOf<typeof VERBS.gc>;

const LISTED = 10;

function previewLines(seen: GcJson): string[] {
  if (seen.dropped.length + seen.forks.length === 0 && !seen.tooLarge)
    return ['Nothing to drop: retention keeps every checkpoint.'];
  return [`Clean-up would ${consequenceText(seen)}.`];
}

function consequenceText({ dropped, forks, kept, tooLarge, bytesBefore }: GcJson): string {
  const more = dropped.length > LISTED ? ` and ${countText(dropped.length - LISTED, 'other')}` : '';
  const listed = dropped.length === 0 ? '' : ` (${dropped.slice(0, LISTED).join(', ')}${more})`;
  const lost = forks.length === 0 ? '' : `, and drop the last state of ${forksText(forks)}`;
  const which = `drop ${countText(dropped.length, 'checkpoint')}${listed} and keep ${kept}${lost}`;
  const size = `the store has ${sizeText(bytesBefore)}, which is over its limit, so the oldest others may go as well`;
  return tooLarge ? `${which}; ${size}` : which;
}

function forksText(forks: readonly string[]): string {
  const more = forks.length > LISTED ? ` and ${countText(forks.length - LISTED, 'other')}` : '';
  return `${forks.length === 1 ? 'fork' : 'forks'} ${forks.slice(0, LISTED).join(', ')}${more}`;
}

/** @param ids oldest first, at least one. Between them, some may have been kept */
function rangeText(ids: readonly string[]): string {
  const [first = '', last = first] = [ids[0], ids.at(-1)];
  if (ids.length === 1) return first;
  const isWhole = Number(last.slice(3)) - Number(first.slice(3)) + 1 === ids.length;
  return isWhole ? `${first} to ${last}` : `between ${first} and ${last}`;
}
