import { SavepointError, showText } from '@savepoint/core';
import { type OutputOf, VERBS } from '@savepoint/core/frontend';
import { command, lines } from '../../command.ts';
import { confirm, IRREVERSIBLE_HINT } from '../../input/confirm.ts';
import { countText, pathText, relativeTime, sizeText } from '../../show/format.ts';
import type { OutputView } from '../../view.ts';

export const copies = command({
  verb: VERBS.copies,
  operands: [],
  takesPaths: false,
  options: [
    { flags: '--clean', description: 'remove stale copies without work, and what interrupted commands left' },
    { flags: '--all', description: 'with --clean: also kept copies of this workspace, with their changes' },
    { flags: '--everywhere', description: 'with --all: those of all workspaces' },
    { flags: '-y, --yes', description: 'do not ask for confirmation' },
  ],
  examples: ['savepoint copies', 'savepoint copies --clean', 'savepoint copies --clean --all'],
  input: ({ options }) => {
    const [clean, all, everywhere] = ['clean', 'all', 'everywhere'].map((name) => options[name] === true);
    if (all && !clean) throw new SavepointError('USAGE', '--all needs --clean.', { argument: '--all' });
    if (everywhere && !all)
      throw new SavepointError('USAGE', '--everywhere needs --all.', { argument: '--everywhere' });
    return { ...(clean ? { clean } : {}), ...(all ? { all } : {}), ...(everywhere ? { everywhere } : {}) };
  },

  async carryOut(input, { options }, context) {
    const { savepoint, signal, view } = context;
    if (input.all === true && options['yes'] !== true) {
      const { copies: known } = await VERBS.copies.handle(savepoint, {}, { signal });
      const lost = known.filter(
        (one) => one.state === 'stale' && one.mayHoldWork && (one.isHere || input.everywhere === true),
      );
      if (lost.length > 0) {
        const what = `${countText(lost.length, 'kept copy', 'kept copies')} with changes that may exist nowhere else`;
        await confirm(context, {
          verb: 'copies',
          consequence: `This would remove ${what} (${lost.map(({ id }) => id).join(', ')})`,
          hint: IRREVERSIBLE_HINT,
          preview: lines(`This removes ${what}. It cannot be undone.`, copyLines(lost, view)),
          question: 'Remove them?',
          declinedMessage: 'Nothing was removed.',
        });
      }
    }
    return VERBS.copies.handle(savepoint, input, { signal });
  },

  render({ copies: found, sharedBytes, leftovers, problems, removed, spared, kept }, view) {
    const { style } = view;
    const isEmpty = found.length + leftovers.length + problems.length + removed.length + kept.length === 0;
    if (isEmpty) return lines('No copies.');
    return lines(
      removed.length === 0 ? [] : [`Removed ${countText(removed.length, 'copy', 'copies')} (${removed.join(', ')}).`],
      copyLines(found, view),
      sharedBytes === 0 ? [] : [`${sizeText(sharedBytes)} more are shared by overlays of forks.`],
      spared.length === 0
        ? []
        : [
            `${countText(spared.length, 'kept copy', 'kept copies')} may hold work: \`savepoint try --continue ID\` opens one, ` +
              '`savepoint copies --clean --all` removes those of this workspace.',
          ],
      leftovers.length === 0 ? [] : [`${countText(leftovers.length, 'leftover')}: \`savepoint copies --clean\``],
      kept.map((path) => style.bad(`could not be removed: ${pathText(path)}`)),
      problems.map(({ message }) => style.bad(`unreadable copy: ${showText(message)}`)),
    );
  },
});

function copyLines(found: OutputOf<typeof VERBS.copies>['copies'], { style }: OutputView): readonly string[] {
  const now = Date.now();
  return found.map(({ id, purpose, rung, name, root, created, state, mayHoldWork, hasCommits, pid, bytes }) => {
    const size = (bytes === null ? '?' : sizeText(bytes)).padStart(9);
    const unused = state === 'stale' && mayHoldWork ? 'kept' : state;
    const use = state === 'in-use' ? `in use${pid === null ? '' : ` by ${pid}`}` : unused;
    const marked = hasCommits === true ? `${use}, has commits` : use;
    const label = name === null ? purpose : `${purpose} ${showText(name)}`;
    return `${style.faint(id)}  ${label}  ${rung}  ${relativeTime(created, now)}  ${size}  ${marked}  ${pathText(root)}`;
  });
}
