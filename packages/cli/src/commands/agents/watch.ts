/** `savepoint watch`: not a verb, because it does not end. Prints a line of JSON for each event on the timeline. */
import { isatty } from 'node:tty';
import { open, SavepointError } from '@savepoint/core';
import { watchEventToJson } from '@savepoint/core/frontend';
import { nodePlaces, nodePorts } from '@savepoint/core/node';
import { safeJson } from '@savepoint/core/ports';
import type { StandaloneCommand } from '../../command.ts';
import { folderToOpen } from '../../folder.ts';
import { OutputError, writeAll } from '../../write.ts';

export const watch: StandaloneCommand = {
  description:
    'Prints a line of JSON for each new checkpoint, change, rollback and other operation, from any process. If ' +
    'there is no checkpoint yet, it waits for the first. It ends on Ctrl-C, or when its output is closed.',
  operands: [],
  takesCommand: false,
  options: [
    { flags: '--after <checkpoint>', description: 'start with the events after this checkpoint, for example cp_12' },
  ],
  examples: ['savepoint watch', "savepoint watch --after cp_12 | grep '\"change:'"],

  async run({ options }, { globals, env, interrupt }) {
    const { after } = options;
    const number = typeof after === 'string' ? Number(/^cp_([1-9]\d{0,8})$/.exec(after)?.[1] ?? Number.NaN) : undefined;
    if (Number.isNaN(number)) {
      throw new SavepointError('USAGE', `--after needs a checkpoint id such as cp_12, not ${JSON.stringify(after)}.`, {
        argument: '--after',
      });
    }
    const dir = folderToOpen(globals.folder, env);
    const savepoint = open({ dir, here: globals.here, ports: nodePorts(), places: nodePlaces(env) });
    const events = savepoint.watch({ signal: interrupt.signal, ...(number === undefined ? {} : { after: number }) });
    if (isatty(2)) writeAll(2, 'Waiting for events; press Ctrl-C to stop.\n');
    try {
      for await (const event of events) writeAll(1, `${safeJson(watchEventToJson(event), 0)}\n`);
    } catch (error) {
      // The reader closed the pipe on purpose.
      if (error instanceof OutputError && error.code === 'EPIPE') return 0;
      throw error;
    }
    return interrupt.status() ?? 0;
  },
};
