import { EVENT_KINDS } from '../../engine/watch/kinds.ts';
import { watchEventToJson } from '../shapes/watch-event.ts';
import { verb, withoutUndefined } from '../verb.ts';

const DEFAULT_LIMIT = 1_000;
const MAX_WAIT_MS = 600_000;

/** Not among the tools for models: an agent that waits for events does nothing else, and the list of tools is bounded. */
export const watch = verb({
  name: 'watch',
  summary: 'print events of agents, files and plans as they happen',
  description:
    'Returns what happened after a point, from any process, and the point to continue from. Without a point it begins ' +
    'now. Events of the timeline: a checkpoint, each of its changes, and what an operation did. Others: calls, turns and ' +
    'sessions of agents; plans that are proposed, revised, checked, decided, approved, applied, committed, rolled back or ' +
    'cancelled; checks that start and end, with their outcome; forks that are created, checked, merged or dropped; what the ' +
    'guard did; failures of hooks, and the daemon. `calls:changed` has all open calls. `state:changed` names a state to ask ' +
    'for again: `"plans"` for `plan list`, `plan mode` and `plan policy`, `"checks"` for `check` and `trust`, `"forks"` for ' +
    '`fork list` and `copies`, `"frozen"` and `"agents"` for `status`, and so on.\n\n' +
    'Nothing on the timeline is missed after a point, also if a checkpoint appears late, with a lower number than one that ' +
    'was there before. All events of one checkpoint but the last have the point before it, so it comes again if the reader ' +
    'ends in between. Of other states, two changes between two looks, 200 ms apart or while no process watched, are reported ' +
    'as far as both are still known: a call that changed nothing and is over is not. If the store no longer knows the ' +
    'point, `events:missed` comes first: load everything again.',
  changes: 'nothing',
  schemas: ({ z }) => ({
    input: z.strictObject({
      after: z
        .string()
        .nullable()
        .optional()
        .describe('the `point` of an answer or of an event, or a checkpoint (cp_12); default: begin now'),
      kinds: z
        .array(z.enum(EVENT_KINDS))
        .min(1)
        .optional()
        .describe('only these kinds of events; default: `checkpoints` and `acts`, those of the timeline'),
      waitMs: z.int().min(0).max(MAX_WAIT_MS).optional().describe('wait this long for the first event (default 0)'),
      limit: z
        .int()
        .min(1)
        .max(10_000)
        .optional()
        .describe(`end the answer after this many events, with all of the last checkpoint (default ${DEFAULT_LIMIT})`),
    }),
    output: z.strictObject({
      events: z
        .array(
          z.looseObject({
            event: z.string().describe('what happened: `checkpoint:created`, `call:began`, `plan:approved` and so on'),
            point: z.string().describe('continue from here after this event'),
          }),
        )
        .describe('oldest first; each has further fields'),
      point: z.string().nullable().describe('pass it as `after` to continue; null if there is no checkpoint yet'),
      more: z.boolean().describe('more events are known already'),
    }),
  }),

  async handle(savepoint, { after, kinds, waitMs, limit = DEFAULT_LIMIT }, { signal }) {
    const query = withoutUndefined({ after: after ?? undefined, kinds, waitMs, signal });
    const { events, point, more } = await savepoint.events({ ...query, limit });
    return { events: events.map(watchEventToJson), point, more };
  },
});
