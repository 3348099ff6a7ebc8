/** What an agent is told, in words for its model. Names come from the disk, so they are escaped; everything is bounded. */

import { type Checkpoint, type PutBack, showName, showText } from '@savepoint/core';

const MOST_PATHS = 20;
const MOST_ACTS = 5;

/** @param acts of others, oldest first */
export function newsText(acts: readonly Checkpoint[]): readonly string[] {
  if (acts.length === 0) return [];
  const paths = new Set(acts.flatMap(({ changes }) => (changes ?? []).map(({ path }) => path)));
  if (paths.size === 0) return [];
  const told = acts
    .slice(-MOST_ACTS)
    .map(
      ({ id, trigger, actor, description }) =>
        `- ${id}, ${trigger} by ${showText(actor.name)}: ${shortText(description)}`,
    );
  const shown = [...paths].slice(0, MOST_PATHS).map((path) => showName(path));
  const rest = paths.size - shown.length;
  return [
    'Savepoint: files of this workspace were changed by somebody else since your last step, so what you know of them is old:',
    ...told,
    `Changed: ${shown.join(', ')}${rest > 0 ? `, and ${rest} more` : ''}. Read them again before you edit them, and do not redo what was taken back unless you are asked to.`,
  ];
}

/** @param putBack what was frozen, and changed all the same */
export function putBackText(putBack: PutBack | null): readonly string[] {
  if (putBack === null) return [];
  const { paths, problem } = putBack;
  const shown = paths.slice(0, MOST_PATHS).map((path) => showName(path));
  const rest = paths.length - shown.length;
  return [
    ...(paths.length === 0
      ? []
      : [
          `Savepoint: ${shown.join(', ')}${rest > 0 ? `, and ${rest} more` : ''} may not be changed. What was changed there is put back.`,
        ]),
    ...(problem === null
      ? []
      : [`Savepoint could not put back what may not be changed: ${shortText(problem.message)}`]),
  ];
}

export function uncoveredText(found: readonly { readonly path: string; readonly why: string }[]): readonly string[] {
  return found
    .slice(0, MOST_PATHS)
    .map(
      ({ path, why }) =>
        `Savepoint has no checkpoint of ${shortText(path)} (${why}); what you change there cannot be taken back.`,
    );
}

function shortText(text: string): string {
  const shown = showText(text);
  return shown.length > 300 ? `${shown.slice(0, 299)}…` : shown;
}
