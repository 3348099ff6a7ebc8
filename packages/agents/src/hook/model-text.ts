/** Messages for an agent's model. Names from disk are escaped, and the length is limited. */

import { type PutBack, type Session, showName, showText } from '@savepoint/core';
import { shortText } from './short-text.ts';

const MAX_PATHS = 20;
const MAX_OPERATIONS = 5;

/** Tells the net result: which files differ from what the session knows. */
type OperationsByOthers = Awaited<ReturnType<Session['operationsByOthers']>>;

export function operationsText({ operations, paths, wentBack }: OperationsByOthers): readonly string[] {
  if (paths.length === 0) return [];
  const lines = operations
    .slice(-MAX_OPERATIONS)
    .map(
      ({ id, trigger, actor, description }) =>
        `- ${id}, ${trigger} by ${showText(actor.name)}: ${shortText(description)}`,
    );
  const shown = paths.slice(0, MAX_PATHS).map((path) => showName(path));
  const rest = paths.length - shown.length;
  if (wentBack === true) {
    return [
      'Savepoint: the user took this conversation back to an earlier place. Some files differ from their state there:',
      `${shown.join(', ')}${rest > 0 ? `, and ${rest} more` : ''}. Read them again before you edit them.`,
    ];
  }
  return [
    'Savepoint: another actor has changed files of this workspace since your last step, so your knowledge of them ' +
      'is stale:',
    ...lines,
    `Changed: ${shown.join(', ')}${rest > 0 ? `, and ${rest} more` : ''}. Read them again before you edit them. Do not redo reverted changes unless you are asked to.`,
  ];
}

/** @param putBack the frozen paths that were changed and reverted */
export function putBackText(putBack: PutBack | null): readonly string[] {
  if (putBack === null) return [];
  const { paths, problem } = putBack;
  const shown = paths.slice(0, MAX_PATHS).map((path) => showName(path));
  const rest = paths.length - shown.length;
  return [
    ...(paths.length === 0
      ? []
      : [
          `Savepoint: ${shown.join(', ')}${rest > 0 ? `, and ${rest} more` : ''} ${paths.length === 1 ? 'is' : 'are'} frozen and may not be changed. Savepoint has reverted the changes.`,
        ]),
    ...(problem === null ? [] : [`Savepoint could not revert changes of frozen paths: ${shortText(problem.message)}`]),
  ];
}

export function uncoveredText(found: readonly { readonly path: string; readonly why: string }[]): readonly string[] {
  return found
    .slice(0, MAX_PATHS)
    .map(
      ({ path, why }) => `Savepoint has no checkpoint of ${shortText(path)} (${why}); changes to it cannot be undone.`,
    );
}

type ScopeNews = Awaited<ReturnType<Session['scopeNews']>>;

/** @param known paths that the answer names already */
export function scopeText(news: ScopeNews, session: string, known: readonly string[]): readonly string[] {
  const untold = news.filter(({ path }) => !known.includes(path));
  if (untold.length === 0) return [];
  const rest = untold.length - MAX_PATHS;
  return [
    'Savepoint: files that you work with were changed by others since you last heard of them:',
    ...untold.slice(-MAX_PATHS).map(({ path, from, operation, checkpoint, by }) => {
      const name = from === null ? showName(path) : `${showName(from)} to ${showName(path)}`;
      return `- ${operation} ${name}, by ${[...new Set(by.authors.map((one) => authorText(one, session)))].join(' or ')} (${checkpoint})`;
    }),
    ...(rest > 0 ? [`- and ${rest} more`] : []),
    'Read them again before you edit them, and keep these changes.',
  ];
}

function authorText({ actor, session }: ScopeNews[number]['by']['authors'][number], own: string): string {
  if (session === own) return 'you';
  if (actor.kind === 'outside') return 'the user or another program';
  if (actor.kind === 'user') return 'the user';
  return session === null ? showText(actor.name) : `${showText(actor.name)} in session ${shortText(session)}`;
}
