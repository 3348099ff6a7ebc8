/** Which turn made which plan. */
import type { Output } from '../api/call.ts';
import { useVerb } from '../data/verb-query.ts';

type Turn = Output<'turns'>['turns'][number];
type Plan = Pick<Output<'planList'>['plans'][number], 'session' | 'created'>;

/** Of one session. Older turns than these have no link. */
const MOST_TURNS = 500;

/** @returns the turn that made a plan; undefined if no session of this timeline did, or it is not known yet */
export function useTurnOfPlan({ session, created }: Plan): Turn | undefined {
  const { data } = useTurns(session, session !== null);
  return madeIn(data?.turns ?? [], created);
}

/** @returns the plans that a turn made, the oldest first */
export function usePlansOfTurn({ session, began }: Pick<Turn, 'session' | 'began'>): Output<'planList'>['plans'] {
  const plans = useVerb('planList', { all: true }, { keepsLast: true }).data?.plans ?? [];
  const its = plans.filter((plan) => plan.session === session);
  const { data } = useTurns(session, its.length > 0);
  return its.filter(({ created }) => madeIn(data?.turns ?? [], created)?.began === began);
}

function useTurns(session: string | null, isEnabled: boolean) {
  return useVerb('turns', { session: session ?? '', limit: MOST_TURNS }, { isEnabled, keepsLast: true });
}

/** @param turns of one session, newest first @returns the newest one that began before the plan was made */
function madeIn(turns: readonly Turn[], created: string): Turn | undefined {
  return turns.find(({ began }) => Date.parse(began) <= Date.parse(created));
}
