/** Output lines for a model about changes and their authors. Text from disk or from people is escaped. */
import { showText } from '../content/show-name.ts';
import type { VERBS } from '../verbs/table.ts';
import type { OutputOf } from '../verbs/verb.ts';
import { operationLines, pathText } from './lines.ts';

type HistoryJson = OutputOf<typeof VERBS.history>;
type HistoryChangeJson = HistoryJson['changes'][number];
type BlameJson = OutputOf<typeof VERBS.blame>;
type RangeJson = BlameJson['ranges'][number];
type RollbackJson = OutputOf<typeof VERBS.rollback>;

export function historyLines({ changes, unlisted, damaged, more }: HistoryJson): string[] {
  const oldest = changes.at(-1)?.id;
  return [
    ...(changes.length === 0 ? ['No changes. With scope "all", changes of other authors are listed, too.'] : []),
    ...changes.map(changeLine),
    ...unlisted.map(({ id, why, files }) =>
      why === 'first'
        ? `${id}  the first checkpoint`
        : why === 'damaged'
          ? `${id}  has an incomplete list: a folder could not be compared`
          : `${id}  has too many changes to list: ${files} paths`,
    ),
    ...damaged.map(({ id, problem }) => `${id}  damaged: ${showText(problem.message)}`),
    ...(more && oldest !== undefined ? [`There are older changes: before "${oldest}".`] : []),
  ];
}

export function blameLines({ file, at, total, ranges }: BlameJson): string[] {
  const state = at === null ? 'as it is now' : `as of ${at}`;
  return [
    `${pathText(file)} ${state}, ${total} ${total === 1 ? 'line' : 'lines'}:`,
    ...ranges.map((range) => {
      const { first, last } = range;
      return `  ${first === last ? first : `${first}-${last}`}  ${originText(range)}`;
    }),
    ...(ranges.some(({ origin }) => origin === 'older')
      ? ['Lines that are older than the timeline: `git blame` may know who wrote them.']
      : []),
  ];
}

export function rollbackLines(output: RollbackJson): string[] {
  const { skipped, results, openCalls } = output;
  const left = skipped.filter(({ grade }) => grade !== null);
  return [
    ...operationLines(output),
    ...results
      .filter(({ result }) => result === 'skipped')
      .map(({ path, why }) => `  left  ${pathText(path)}: ${showText(why ?? '')}`),
    ...skipped.map(
      ({ id, path, why, grade }) =>
        `  left${grade === null ? '' : ` (${grade})`}  ${id} ${pathText(path)}: ${showText(why)}`,
    ),
    ...openCalls.map(
      ({ agent, tool, summary }) =>
        `  open call of ${showText(agent)}: ${showText(tool)} ${showText(summary)}; it may write the same files`,
    ),
    ...(left.some(({ grade }) => grade === 'likely') ? ['To revert likely ones, too: likely true.'] : []),
    ...(left.some(({ grade }) => grade === 'open') ? ['To revert open ones, too: include_shared true.'] : []),
  ];
}

function changeLine(change: HistoryChangeJson): string {
  const { id, time, operation, path, from, added, removed, takenBack, takenBackHunks } = change;
  const lines = added === null && removed === null ? '' : `  +${added ?? 0} -${removed ?? 0}`;
  const hunks = takenBackHunks.map(({ hunk, by }) => `hunk ${hunk} reverted by ${by}`).join(', ');
  const back = takenBack === null ? hunks : `reverted by ${takenBack}`;
  const moved = from === null ? '' : `${pathText(from)} -> `;
  const before = change.beforeUncaptured === null ? '' : `  (before: not captured, ${change.beforeUncaptured})`;
  return `${id}  ${time}  ${authorsText(change)}  ${operation}  ${moved}${pathText(path)}${lines}${before}${back === '' ? '' : `  [${back}]`}`;
}

function originText(range: RangeJson): string {
  const { origin, why, change, checkpoint, time, description } = range;
  if (origin === 'older') return `older than the timeline (already in ${checkpoint})`;
  if (origin === 'unknown') return `unknown author (${why}), first in ${checkpoint}`;
  if (origin === 'uncaptured') return `${authorsText(range)}, not in a checkpoint yet`;
  return `${authorsText(range)}, ${change}, ${time}: ${showText(description ?? '')}`;
}

const SESSION_LETTERS = 8;

/** `claude, session 3f2a91bc, Edit (sure)`; all possible authors, if there are several. */
function authorsText({ authors, grade }: Pick<RangeJson, 'authors' | 'grade'>): string {
  const names = authors.map(({ actor, session, tool }) =>
    [
      showText(actor.id === null ? actor.name : `${actor.name}/${actor.id}`),
      ...(session === null ? [] : [`session ${showText(session.slice(0, SESSION_LETTERS))}`]),
      ...(tool === null ? [] : [showText(tool)]),
    ].join(', '),
  );
  return `${[...new Set(names)].join(' or ')} (${grade ?? 'open'})`;
}
