/** `savepoint watch`: no verb, for it has no end; a line of JSON for each thing that happens on the timeline. */
import { isatty } from 'node:tty';
import { open, SavepointError, watchEventToJson } from '@savepoint/core';
import { nodePlaces, nodePorts } from '@savepoint/core/node';
import { folderToOpen } from '../folder.ts';
import { safeJson } from '../json.ts';
import { OutputError, writeAll } from '../write.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface WatchRequest {
  readonly options: { readonly folder: string | undefined; readonly here: boolean };
  readonly after: string | undefined;
}

export const WATCH = {
  summary: 'tell what happens on the timeline, as it happens',
  description:
    'A line of JSON for each checkpoint, change, roll-back and act from now on, whatever process it comes of. It waits ' +
    'for the first checkpoint where there is none yet, and ends with Ctrl-C or when nobody reads it any more.',
  flags: '--after <checkpoint>',
  flagsDescription: 'begin behind that one, as cp_12, with what came since',
  examples: ['savepoint watch', "savepoint watch --after cp_12 | grep '\"change:'"],

  /** @returns the exit status; null when the signal ended it */
  async run({ options, after }: WatchRequest, env: Environment, signal: AbortSignal): Promise<number | null> {
    const number = after === undefined ? undefined : Number(/^cp_([1-9]\d{0,8})$/.exec(after)?.[1] ?? Number.NaN);
    if (Number.isNaN(number)) {
      throw new SavepointError('USAGE', '--after wants a checkpoint as cp_12.', { argument: '--after' });
    }
    const dir = folderToOpen(options.folder, env);
    const savepoint = open({ dir, here: options.here, ports: nodePorts(), places: nodePlaces(env) });
    const events = savepoint.watch({ signal, ...(number === undefined ? {} : { after: number }) });
    if (isatty(2)) writeAll(2, 'Waiting for what happens; Ctrl-C ends it.\n');
    try {
      for await (const event of events) writeAll(1, `${safeJson(watchEventToJson(event), 0)}\n`);
    } catch (error) {
      // Who closed the pipe has seen enough.
      if (error instanceof OutputError && error.code === 'EPIPE') return 0;
      throw error;
    }
    return null;
  },
};
