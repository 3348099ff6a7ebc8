import { showText } from '@savepoint/core';
import { shellWord, VERBS } from '@savepoint/core/frontend';
import { command, lines } from '../../command.ts';
import { uncountedLines } from '../../show/checkpoint.ts';
import { countedLines, countText, localTime } from '../../show/format.ts';

const TITLE_LETTERS = 70;

export const sessions = command({
  verb: VERBS.sessions,
  operands: [],
  takesPaths: false,
  options: [],
  examples: ['savepoint sessions', 'savepoint list --session 3f2a91bc', 'savepoint sessions delete 3f2a91bc'],
  excessExample: (id) => `savepoint list --session ${shellWord(id)}`,
  input: () => ({}),

  render({ sessions: found, damaged }, view) {
    const { style } = view;
    return lines(
      found.length === 0 ? ['No sessions recorded yet.'] : [],
      found.flatMap(({ id, actor, first, last, title, prompts, calls, changes, unsure, ...counts }) => [
        `${style.id(showText(id))}  ${showText(actor.name)}  ${style.faint(`${localTime(first)} to ${localTime(last)}`)}`,
        ...(title === null ? [] : [`  ${showText(truncateTitle(title))}`]),
        `  ${[
          countText(prompts, 'prompt'),
          countText(calls, 'call'),
          `${countText(changes, 'change')}${unsure === 0 ? '' : ` (${unsure} possibly by another author)`}`,
          countedLines(counts, changes, 'change'),
        ]
          .filter((part) => part !== '')
          .join(', ')}`,
      ]),
      uncountedLines(damaged, view),
    );
  },
});

function truncateTitle(title: string): string {
  const line = title.replace(/\s+/g, ' ').trim();
  return line.length > TITLE_LETTERS ? `${line.slice(0, TITLE_LETTERS - 1)}…` : line;
}
