/** The answer of guarded steps, for a model: the fields, and the same as lines of text. */
import { showText } from '../../content/show-name.ts';
import type { VERBS } from '../../verbs/table.ts';
import type { OutputOf } from '../../verbs/verb.ts';
import { present } from './fields.ts';

type StepsJson = OutputOf<typeof VERBS.guardSteps>;
type VerdictJson = NonNullable<StepsJson['verdict']>;

export interface GuardAnswer {
  readonly outcome: 'begun' | VerdictJson['outcome'];
  /** The state before the steps. */
  readonly since: string;
  readonly failing_already?: readonly string[];
  readonly why?: string;
  readonly new_failures?: readonly { readonly check: string; readonly shown: string }[];
  /** The checkpoint of the rollback. */
  readonly taken_back_by?: string;
  readonly kept?: readonly { readonly path: string; readonly why: string }[];
  readonly next?: string;
}

export function guardAnswer({ since, failing, verdict }: StepsJson): GuardAnswer {
  if (verdict === null) {
    const next = `Do the steps, then call guard again with the same checks and since ${since}.`;
    return {
      outcome: 'begun',
      since,
      ...present<Pick<GuardAnswer, 'failing_already'>>({ failing_already: failing }),
      next,
    };
  }
  const { outcome, why, failures, operation, kept } = verdict;
  return {
    outcome,
    since,
    ...present<Omit<GuardAnswer, 'outcome' | 'since'>>({
      why,
      new_failures: failures.map(({ check, shown }) => ({ check, shown })),
      taken_back_by: operation,
      kept,
      next:
        operation === null
          ? null
          : 'Read the files again, then do the work in a way that does not cause these failures.',
    }),
  };
}

const BEGINNINGS: { readonly [Outcome in GuardAnswer['outcome']]: string } = {
  begun: 'Guarded',
  good: 'Nothing is worse',
  unchanged: 'You have changed nothing',
  'taken-back': 'Checks became worse, and your changes were taken back',
  left: 'Checks became worse, and your changes stay',
  unknown: 'The checks gave no answer, and your changes stay',
};

export function guardLines(answer: GuardAnswer): string[] {
  const { outcome, since, why, taken_back_by: takenBack, next } = answer;
  return [
    `${BEGINNINGS[outcome]} (${outcome}, since ${since}${takenBack === undefined ? '' : `, by ${takenBack}`})${why === undefined ? '' : `: ${showText(why)}`}`,
    ...(answer.failing_already ?? []).map((name) => `  ${showText(name)} fails already: only new failures count`),
    ...(answer.new_failures ?? []).map(({ check, shown }) => `  new: ${showText(check)}: ${showText(shown)}`),
    ...(answer.kept ?? []).map(({ path, why: reason }) => `  stays: ${showText(path)}: ${showText(reason)}`),
    ...(next === undefined ? [] : [next]),
  ];
}
