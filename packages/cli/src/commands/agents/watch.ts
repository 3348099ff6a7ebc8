/** `savepoint watch`: prints a line of JSON for each event until it is stopped, or answers once. */
import { isatty } from 'node:tty';
import { type Savepoint, SavepointError } from '@savepoint/core';
import { EVENT_KINDS, type InputOf, VERBS, watchEventToJson } from '@savepoint/core/frontend';
import { safeJson } from '@savepoint/core/ports';
import { command, type VerbArguments, wholeNumber } from '../../command.ts';
import { OutputError, writeAll } from '../../write.ts';

type WatchInput = InputOf<(typeof VERBS)['watch']>;

export const watch = command({
  verb: VERBS.watch,
  operands: [],
  takesPaths: false,
  options: [
    {
      flags: '--after <point>',
      description: 'start after this checkpoint, for example cp_12, or after the `point` of an event',
    },
    { flags: '--all', description: 'events of all kinds, not only those of the timeline', conflicts: 'kind' },
    {
      flags: '--kind <kind>',
      description: 'only events of this kind; can be repeated',
      choices: EVENT_KINDS,
      isRepeatable: true,
    },
    { flags: '--once', description: 'print what is known and end, instead of waiting for more' },
    { flags: '--wait <seconds>', description: 'with `--once`: wait this long for the first event' },
    { flags: '--limit <number>', description: 'with `--once`: end after this many events (default 1000)' },
  ],
  examples: [
    'savepoint watch',
    "savepoint watch --after cp_12 | grep '\"change:'",
    'savepoint watch --kind plans --kind checks',
    'savepoint watch --once --after cp_12 --json',
  ],

  input(given) {
    const { options } = given;
    const { after, all, kind } = options;
    const kinds = (all === true ? EVENT_KINDS : kind) as WatchInput['kinds'];
    const [wait, limit] = [wholeNumber(given, 'wait', '--wait'), wholeNumber(given, 'limit', '--limit')];
    const alone = (
      [
        ['--wait', wait],
        ['--limit', limit],
      ] as const
    ).find(([, value]) => value !== undefined)?.[0];
    if (options['once'] !== true && alone !== undefined)
      throw new SavepointError('USAGE', `${alone} needs --once.`, { argument: alone });
    return {
      ...(typeof after === 'string' ? { after } : {}),
      ...(kinds === undefined ? {} : { kinds: [...kinds] }),
      ...(wait === undefined ? {} : { waitMs: wait * 1_000 }),
      ...(limit === undefined ? {} : { limit }),
    };
  },

  follow: (input, given: VerbArguments, { savepoint, signal }) =>
    given.options['once'] === true ? null : printEvents(savepoint, input, signal),

  render: ({ events }) => linesOf(events),
});

/** Ends with the signal, or when the reader closes the pipe. */
async function printEvents(savepoint: Savepoint, { after, kinds }: WatchInput, signal: AbortSignal): Promise<void> {
  const from = typeof after === 'string' ? { after } : {};
  const events = savepoint.watch({ signal, ...from, ...(kinds === undefined ? {} : { kinds }) });
  if (isatty(2)) writeAll(2, 'Waiting for events; press Ctrl-C to stop.\n');
  try {
    for await (const event of events) writeAll(1, linesOf([watchEventToJson(event)]));
  } catch (error) {
    if (!(error instanceof OutputError) || error.code !== 'EPIPE') throw error;
  }
}

function linesOf(events: readonly object[]): string {
  return events.map((event) => `${safeJson(event, 0)}\n`).join('');
}
