/** `savepoint hook <agent>`: run by agents. `main.ts` has a faster path to it, which does not load the command line. */
import type { StandaloneCommand } from '../../command.ts';
import { hook } from '../../hook.ts';

export const hookCommand: StandaloneCommand = {
  description: "Reads an agent's event from standard input and answers in the agent's format.",
  operands: [['[arguments...]', 'the agent, and the event as its settings name it']],
  takesCommand: false,
  options: [],
  examples: ['savepoint hook claude'],
  run: async ({ operands }) => hook(operands),
};
