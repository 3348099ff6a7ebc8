import { SavepointError } from '@savepoint/core';
import type { StandaloneCommand } from '../../command.ts';
import { SCRIPTS, SHELLS } from '../../completion/scripts.ts';
import { writeAll } from '../../write.ts';

export const completion: StandaloneCommand = {
  description:
    'Prints a script that makes the shell complete commands, options, checkpoints, changes, sessions, agents and paths. ' +
    'The script asks `savepoint` at each tab, so it stays the same when commands change. It changes nothing.',
  operands: [['<shell>', `${SHELLS.slice(0, -1).join(', ')} or ${SHELLS.at(-1)}`]],
  options: [],
  takesCommand: false,
  examples: [
    `eval "$(savepoint completion bash)"    # in ~/.bashrc`,
    `eval "$(savepoint completion zsh)"     # in ~/.zshrc, after compinit`,
    'savepoint completion fish > ~/.config/fish/completions/savepoint.fish',
  ],

  async run({ operands: [given = ''] }) {
    const shell = SHELLS.find((one) => one === given);
    if (shell === undefined) {
      const message = `There is no completion for ${JSON.stringify(given)}. Shells: ${SHELLS.join(', ')}.`;
      throw new SavepointError('USAGE', message, { argument: given });
    }
    writeAll(1, SCRIPTS[shell]);
    return 0;
  },
};
