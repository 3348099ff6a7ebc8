import { showText } from '@savepoint/core';
import { VERBS } from '@savepoint/core/frontend';
import { command, lines } from '../../command.ts';
import { localTime, pathText, sizeText } from '../../show/format.ts';

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
        ({ id, path, created, present, bytes }) =>
          `${style.faint(id)}  since ${localTime(created)}  ${(bytes === null ? '?' : sizeText(bytes)).padStart(9)}  ${pathText(path)}${present ? '' : '  [folder missing]'}`,
      ),
      problems.map(({ message }) => style.bad(`unreadable store: ${showText(message)}`)),
    );
  },
});
