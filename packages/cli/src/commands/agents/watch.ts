/** `savepoint watch`: not a verb, because it does not end. Prints a line of JSON for each event on the timeline. */
import { isatty } from 'node:tty';
import { open } from '@savepoint/core';
import { watchEventToJson } from '@savepoint/core/frontend';
import { nodePlaces, nodePorts } from '@savepoint/core/node';
import { safeJson } from '@savepoint/core/ports';
import type { StandaloneCommand } from '../../command.ts';
import { folderToOpen } from '../../folder.ts';
import { OutputError, writeAll } from '../../write.ts';

export const watch: StandaloneCommand = {
  description:
    'Prints a line of JSON for each new checkpoint, change, rollback and other operation, from any process. With ' +
    '`--all`, also when calls of agents begin and end, and when plans, checks, forks, sessions, the guard, frozen ' +
    'paths, scopes or the hooks of agents change. A `state:changed` event only names what to ask for again: `"plans"` for ' +
    '`plan list`, `plan mode` and `plan policy`, `"checks"` for `check` and `trust`, `"forks"` for `fork list` and `copies`, ' +
    '`"frozen"` and `"agents"` for `status`, and so on. If there is no checkpoint yet, it waits for the first. It ends on ' +
    'Ctrl-C, or when its output is closed.',
  operands: [],
  takesCommand: false,
  options: [
    {
      flags: '--after <point>',
      description: 'start after this checkpoint, for example cp_12, or after the `point` of an event',
    },
    { flags: '--all', description: 'also tell of calls, plans, checks, forks and other states that change' },
  ],
  examples: ['savepoint watch', "savepoint watch --after cp_12 | grep '\"change:'"],

  async run({ options }, { globals, env, interrupt }) {
    const { after, all } = options;
    const dir = folderToOpen(globals.folder, env);
    const savepoint = open({ dir, here: globals.here, ports: nodePorts(), places: nodePlaces(env) });
    const from = typeof after === 'string' ? { after } : {};
    const events = savepoint.watch({ signal: interrupt.signal, all: all === true, ...from });
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
