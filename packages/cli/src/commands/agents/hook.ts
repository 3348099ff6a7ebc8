/** `savepoint hook <agent>`: no command for people. `main.ts` comes here on a shorter way, which loads no command line. */
import type { OwnCommand } from '../../command.ts';
import { hook } from '../../hook.ts';

export const hookCommand: OwnCommand = {
  description: "Reads an agent's event from standard input, and answers in the agent's form.",
  operands: [['[arguments...]', 'the agent, and what its settings say of the event']],
  takesCommand: false,
  options: [],
  examples: ['savepoint hook claude'],
  run: async ({ operands }) => hook(operands),
};
