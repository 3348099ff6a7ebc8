import { showText } from '@savepoint/core';
import { VERBS } from '@savepoint/core/faces';
import { command, lines } from '../../command.ts';
import { shown, when } from '../../show/words.ts';

export const workspaces = command({
  verb: VERBS.workspaces,
  operands: [],
  takesPaths: false,
  options: [],
  examples: ['savepoint workspaces'],
  input: () => ({}),

  render({ workspaces: found, problems }, { style }) {
    if (found.length + problems.length === 0) return lines('No folder has checkpoints yet.');
    return lines(
      found.map(
        ({ id, path, created, present }) =>
          `${style.faint(id)}  ${when(created)}  ${shown(path)}${present ? '' : '  [not there]'}`,
      ),
      problems.map(({ message }) => style.bad(`cannot be read: ${showText(message)}`)),
    );
  },
});
