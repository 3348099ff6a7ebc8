import { VERBS } from '@savepoint/core/frontend';
import { command, lines } from '../../command.ts';
import { confirm, IRREVERSIBLE_HINT } from '../../input/confirm.ts';
import { listWithHeading } from '../../show/capture.ts';
import { KEPT_BECAUSE } from '../../show/checkpoint.ts';
import { countText, sizeText } from '../../show/format.ts';

const WHY = {
  ...KEPT_BECAUSE,
  pinned: 'pinned; --pinned drops it as well',
  reverts: 'records that changes of a remaining checkpoint were reverted',
} as const;

export const drop = command({
  verb: VERBS.drop,
  operands: [['<checkpoints...>', 'for example cp_12']],
  takesPaths: false,
  options: [
    { flags: '-n, --dry-run', description: 'only show what would be dropped' },
    { flags: '-y, --yes', description: 'do not ask for confirmation' },
    { flags: '--pinned', description: 'drop pinned checkpoints as well' },
  ],
  examples: ['savepoint drop cp_12 --dry-run', 'savepoint drop cp_12 cp_13', 'savepoint drop cp_12 --pinned --yes'],
  input: ({ operands, options }) => ({
    checkpoints: [...operands],
    ...(options['pinned'] === true ? { pinned: true } : {}),
    ...(options['dryRun'] === true ? { dryRun: true } : {}),
  }),

  async carryOut(input, { options }, context) {
    const { savepoint, signal } = context;
    if (options['yes'] !== true && input.dryRun !== true) {
      const seen = await VERBS.drop.handle(savepoint, { ...input, dryRun: true }, { signal });
      // A refused checkpoint fails below.
      if (seen.refused.length === 0) {
        const what = `${countText(seen.dropped.length, 'checkpoint')} (${seen.dropped.join(', ')})`;
        await confirm(context, {
          verb: 'drop',
          consequence: `This would drop ${what}`,
          hint: IRREVERSIBLE_HINT,
          preview: lines(
            `This drops ${what}. It cannot be undone.`,
            'Changes of the checkpoint after a dropped one can then be shown, but not rolled back.',
            'Nothing records any more who made the changes of a dropped one: a restore across it asks about their files.',
          ),
          question: 'Drop them?',
          declinedMessage: 'Nothing was dropped.',
        });
      }
    }
    return VERBS.drop.handle(savepoint, input, { signal });
  },

  render({ dryRun, dropped, refused, kept, bytesBefore, bytesAfter }) {
    const what = `${countText(dropped.length, 'checkpoint')}${dropped.length === 0 ? '' : ` (${dropped.join(', ')})`}`;
    if (dryRun) {
      return lines(
        `Preview: would drop ${what}.`,
        listWithHeading(
          refused.map(({ id, why }) => `${id} (${WHY[why]})`),
          () => 'refused, so nothing would be dropped:',
        ),
      );
    }
    return lines(
      `Dropped ${what}, kept ${kept}. ` +
        `Store size: ${sizeText(bytesBefore ?? 0)} before, ${sizeText(bytesAfter ?? 0)} now.`,
    );
  },
});
