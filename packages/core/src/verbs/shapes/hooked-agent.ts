import * as z from 'zod';
import { named } from './names.ts';

const time = z.iso.datetime().describe('UTC, ISO 8601; for display only, not for ordering');

/** An agent's settings and hooks, as the command line finds them. The engine knows nothing about agents. */
export const hookedAgent = named(
  'HookedAgent',
  'An agent with hooks of Savepoint in its settings, and whether they fire.',
  z.strictObject({
    agent: z.string(),
    title: z.string(),
    present: z.boolean().describe('its program or its settings folder was found'),
    installed: z.array(
      z.strictObject({
        place: z.string().describe('`project` or `user`'),
        path: z.string(),
        state: z.string().describe('`hooked`, `partly` or `unreadable`'),
        problem: z.string().nullable(),
        problems: z.array(z.string()).describe('why the hooks cannot run: a program that was moved or removed'),
        renewal: z.string().nullable().describe('what `install` would change in them; null: nothing'),
      }),
    ),
    lastEventHere: z
      .strictObject({ time, event: z.string(), folder: z.string() })
      .nullable()
      .describe('the newest event from this workspace'),
    missed: z.boolean().describe('its hooks reported events from this workspace, and are not installed here now'),
    lastEvent: z.strictObject({ time, event: z.string(), folder: z.string() }).nullable(),
    lastFailure: z.strictObject({ time, event: z.string(), message: z.string() }).nullable(),
    uncovered: z
      .array(z.strictObject({ time, path: z.string(), why: z.string() }))
      .describe('paths that it wrote and that are in no checkpoint'),
    notes: z.array(z.string()).describe('further steps for the user'),
  }),
);
