/** `savepoint watch`: prints a line of JSON for each event until it is stopped, or answers once, as text. */
import { isatty } from 'node:tty';
import { type Savepoint, SavepointError, showText } from '@savepoint/core';
import { EVENT_KINDS, type InputOf, shellWord, VERBS, watchEventToJson } from '@savepoint/core/frontend';
import { safeJson } from '@savepoint/core/ports';
import { command, lines, type VerbArguments, wholeNumber } from '../../command.ts';
import { eventLine } from '../../show/event.ts';
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
    { flags: '--once', description: 'print what is known as text, and end instead of waiting for more' },
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

  render: ({ events, point, more }, _view, { options }) =>
    lines(
      events.length === 0 ? 'There are no events to report.' : events.map(eventLine),
      point === null
        ? 'There is no checkpoint yet.'
        : `${more ? 'There are more events. ' : ''}To continue from here: ${continuation(point, options)}.`,
    ),
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

/** The same events, from another point. */
function continuation(point: string, { all, kind }: VerbArguments['options']): string {
  const kinds = Array.isArray(kind) ? kind.map((one) => ` --kind ${one}`).join('') : '';
  return `\`savepoint watch --once --after ${showText(shellWord(point))}${all === true ? ' --all' : kinds}\``;
}

function linesOf(events: readonly object[]): string {
  return events.map((event) => `${safeJson(event, 0)}\n`).join('');
}
