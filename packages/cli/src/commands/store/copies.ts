import { SavepointError, showText } from '@savepoint/core';
import { VERBS } from '@savepoint/core/frontend';
import { command, lines } from '../../command.ts';
import { countText, pathText, relativeTime, sizeText } from '../../show/format.ts';

export const copies = command({
  verb: VERBS.copies,
  operands: [],
  takesPaths: false,
  options: [
    { flags: '--clean', description: 'remove stale copies without work, and what interrupted commands left' },
    { flags: '--all', description: 'with --clean: also kept copies, with their changes' },
  ],
  examples: ['savepoint copies', 'savepoint copies --clean', 'savepoint copies --clean --all'],
  input: ({ options }) => {
    const [clean, all] = [options['clean'] === true, options['all'] === true];
    if (all && !clean) throw new SavepointError('USAGE', '--all needs --clean.', { argument: '--all' });
    return { ...(clean ? { clean } : {}), ...(all ? { all } : {}) };
  },

  render({ copies: found, sharedBytes, leftovers, problems, removed, spared, kept }, { style }) {
    const isEmpty = found.length + leftovers.length + problems.length + removed.length + kept.length === 0;
    if (isEmpty) return lines('No copies.');
    const now = Date.now();
    return lines(
      removed.length === 0 ? [] : [`Removed ${countText(removed.length, 'copy', 'copies')} (${removed.join(', ')}).`],
      found.map(({ id, purpose, rung, name, root, created, state, pid, bytes }) => {
        const size = (bytes === null ? '?' : sizeText(bytes)).padStart(9);
        const use = state === 'in-use' ? `in use${pid === null ? '' : ` by ${pid}`}` : state;
        const label = name === null ? purpose : `${purpose} ${showText(name)}`;
        return `${style.faint(id)}  ${label}  ${rung}  ${relativeTime(created, now)}  ${size}  ${use}  ${pathText(root)}`;
      }),
      sharedBytes === 0 ? [] : [`${sizeText(sharedBytes)} more are shared by overlays of forks.`],
      spared.length === 0
        ? []
        : [
            `${countText(spared.length, 'stale copy', 'stale copies')} may hold work: \`savepoint try --continue ID\` opens one, ` +
              '`savepoint copies --clean --all` removes them all.',
          ],
      leftovers.length === 0 ? [] : [`${countText(leftovers.length, 'leftover')}: \`savepoint copies --clean\``],
      kept.map((path) => style.bad(`could not be removed: ${pathText(path)}`)),
      problems.map(({ message }) => style.bad(`unreadable copy: ${showText(message)}`)),
    );
  },
});
