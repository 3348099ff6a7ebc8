/** `savepoint watch`: no verb, for it has no end; a line of JSON for each thing that happens on the timeline. */
import { isatty } from 'node:tty';
import { open, SavepointError } from '@savepoint/core';
import { watchEventToJson } from '@savepoint/core/faces';
import { nodePlaces, nodePorts } from '@savepoint/core/node';
import { safeJson } from '@savepoint/core/ports';
import type { OwnCommand } from '../../command.ts';
import { folderToOpen } from '../../folder.ts';
import { OutputError, writeAll } from '../../write.ts';

export const watch: OwnCommand = {
  description:
    'A line of JSON for each checkpoint, change, roll-back and act from now on, whatever process it comes of. It waits ' +
    'for the first checkpoint where there is none yet, and ends with Ctrl-C or when nobody reads it any more.',
  operands: [],
  takesCommand: false,
  options: [{ flags: '--after <checkpoint>', description: 'begin behind that one, as cp_12, with what came since' }],
  examples: ['savepoint watch', "savepoint watch --after cp_12 | grep '\"change:'"],

  async run({ options }, { globals, env, interrupt }) {
    const { after } = options;
    const number = typeof after === 'string' ? Number(/^cp_([1-9]\d{0,8})$/.exec(after)?.[1] ?? Number.NaN) : undefined;
    if (Number.isNaN(number)) {
      throw new SavepointError('USAGE', '--after wants a checkpoint as cp_12.', { argument: '--after' });
    }
    const dir = folderToOpen(globals.folder, env);
    const savepoint = open({ dir, here: globals.here, ports: nodePorts(), places: nodePlaces(env) });
    const events = savepoint.watch({ signal: interrupt.signal, ...(number === undefined ? {} : { after: number }) });
    if (isatty(2)) writeAll(2, 'Waiting for what happens; Ctrl-C ends it.\n');
    try {
      for await (const event of events) writeAll(1, `${safeJson(watchEventToJson(event), 0)}\n`);
    } catch (error) {
      // Who closed the pipe has seen enough.
      if (error instanceof OutputError && error.code === 'EPIPE') return 0;
      throw error;
    }
    return interrupt.status() ?? 0;
  },
};
