import { showText } from '@savepoint/core';
import { VERBS } from '@savepoint/core/frontend';
import { command, lines } from '../../command.ts';
import { localTime, pathText } from '../../show/format.ts';

export const workspaces = command({
  verb: VERBS.workspaces,
  operands: [],
  takesPaths: false,
  options: [],
  examples: ['savepoint workspaces'],
  input: () => ({}),

  render({ workspaces: found, problems }, { style }) {
    if (found.length + problems.length === 0) return lines('No workspaces yet.');
    return lines(
      found.map(
        ({ id, path, created, present }) =>
          `${style.faint(id)}  since ${localTime(created)}  ${pathText(path)}${present ? '' : '  [folder missing]'}`,
      ),
      problems.map(({ message }) => style.bad(`unreadable store: ${showText(message)}`)),
    );
  },
});
