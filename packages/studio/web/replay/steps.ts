/** The steps of a replay: turns, and checkpoints that belong to no turn and changed something; oldest first. */
import type { Output } from '../api/call.ts';
import type { Actor } from '../data/authors.ts';
import type { ReplaySearch } from './search.ts';

type Page = Pick<Output<'list'>, 'turns' | 'checkpoints'>;

export interface Step {
  /** For the address: the state after, with a number if several turns end there. */
  readonly id: string;
  /** The state before; null: it is not known, so there is no diff. */
  readonly from: string | null;
  /** The state after. */
  readonly to: string;
  /** The session whose turn it is; null: a checkpoint between turns. */
  readonly session: string | null;
  readonly actor: Actor;
  /** The prompt or the description; null: a turn whose prompt is not known. */
  readonly words: string | null;
  /** ISO 8601. */
  readonly time: string;
  readonly calls: number | null;
  readonly files: number;
  readonly added: number;
  readonly removed: number;
  readonly testResult: 'pass' | 'fail' | null;
  readonly isTakenBack: boolean;
}

export function stepsOf(pages: readonly Page[], { from, to }: ReplaySearch): readonly Step[] {
  const after = from === undefined ? 0 : numberOf(from);
  const upTo = to === undefined ? Number.POSITIVE_INFINITY : numberOf(to);
  let same = 0;
  return pages
    .flatMap(({ turns, checkpoints }) => [
      ...turns.map((turn): Step => {
        const { before, place, session, actor, prompt, ended, calls, files, added, removed, testResult } = turn;
        return {
          id: turn.after ?? place,
          from: before,
          to: turn.after ?? place,
          session,
          actor,
          words: prompt,
          time: ended,
          calls,
          files,
          added,
          removed,
          testResult,
          isTakenBack: turn.changes > 0 && turn.takenBack >= turn.changes,
        };
      }),
      ...checkpoints
        .filter(({ totals }) => totals.files > 0)
        .map((checkpoint): Step => {
          const { id, previous, actor, description, time, totals, testResult } = checkpoint;
          const { files, added, removed } = totals;
          const about = { actor, words: description, time, calls: null, files, added, removed, testResult };
          return { id, from: previous, to: id, session: null, ...about, isTakenBack: false };
        }),
    ])
    .filter((step) => numberOf(step.to) > after && numberOf(step.to) <= upTo)
    .toSorted((one, other) => numberOf(one.to) - numberOf(other.to))
    .map((step, index, all) => {
      same = all[index - 1]?.to === step.to ? same + 1 : 0;
      return same === 0 ? step : { ...step, id: `${step.to}~${same}` };
    });
}

/** @returns the place of the step, or of the first one that has a checkpoint; the last one if that is newer than all */
export function placeOf(steps: readonly Step[], at: string | undefined): number {
  if (at === undefined) return 0;
  const exact = steps.findIndex(({ id }) => id === at);
  if (exact >= 0) return exact;
  const found = steps.findIndex(({ to }) => numberOf(to) >= numberOf(at));
  return found < 0 ? Math.max(0, steps.length - 1) : found;
}

function numberOf(id: string): number {
  return Number.parseInt(id.slice('cp_'.length), 10);
}
