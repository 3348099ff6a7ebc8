/** What an agent's model reads about comments of people. Texts from others are escaped, and limited in length. */

import { type Session, showName, showText } from '@savepoint/core';
import { truncate } from '@savepoint/core/ports';

type SentComment = Awaited<ReturnType<Session['takeComments']>>[number];

const MAX_LINES = 20;
const MAX_LINE = 300;
const MAX_TEXT = 4_000;

export function commentsText(comments: readonly SentComment[]): readonly string[] {
  if (comments.length === 0) return [];
  return [
    // Not whose lines they are: a comment for any agent may be about lines of a person.
    `Savepoint: the user commented on ${comments.length === 1 ? 'lines' : `lines, ${comments.length} times`}:`,
    ...comments.flatMap(linesOfComment),
    'Take this into account in your work. The user sees in Savepoint that you have it.',
  ];
}

/** If it is unknown whether there are comments, the user is to learn of it. */
export function untakenText(message: string): readonly string[] {
  return [
    `Savepoint could not look for comments of the user: ${truncate(showText(message), MAX_LINE)} Tell the user that ` +
      '`savepoint comment list` says more.',
  ];
}

function linesOfComment({ comment, place }: SentComment): readonly string[] {
  const { id, anchor, text } = comment;
  const { path, first, last, lines, plan, side } = anchor;
  const where = place ?? { first, last };
  const range = where.first === where.last ? `line ${where.first}` : `lines ${where.first}-${where.last}`;
  const quoted = lines.replace(/\n$/, '').split('\n');
  const more = quoted.length - MAX_LINES;
  const notes = [
    ...(plan === null ? [] : [`of your plan ${plan.id}`]),
    ...(side === 'before'
      ? ['as they were before the change']
      : place === null
        ? ['which are gone or changed now']
        : []),
  ];
  return [
    `${id}: ${showName(path)}, ${[range, ...notes].join(', ')}:`,
    ...quoted.slice(0, MAX_LINES).map((line) => `> ${truncate(showName(line.replace(/\r$/, '')), MAX_LINE)}`),
    ...(more > 0 ? [`> and ${more} more ${more === 1 ? 'line' : 'lines'}`] : []),
    truncate(showText(text, 'keep'), MAX_TEXT),
  ];
}
