import { Link } from '@tanstack/react-router';
import { actorName } from '../data/authors.ts';
import { shownLines, shownText } from '../data/names.ts';
import { useWorkspace } from '../data/workspace.ts';
import type { ShownPlan } from './decisions.ts';
import { PlanPeople } from './plan-people.tsx';
import { useTurnOfPlan } from './turn-of-plan.ts';

/** Whose plan it is, and which words led to it. */
export function PlanOrigin({ plan }: { readonly plan: ShownPlan }) {
  const { id: workspace } = useWorkspace();
  const turn = useTurnOfPlan(plan);
  const { session, prompts, by, authors, applied_by: appliedBy } = plan;
  // The head of the page names who proposed it.
  const hasMorePeople = appliedBy !== null || authors.some((one) => actorName(one) !== actorName(by));
  if (!hasMorePeople && turn === undefined && prompts.length === 0) return null;
  return (
    <section className="plan-origin" aria-label="Where the plan is from">
      <p className="facts">
        {hasMorePeople && <PlanPeople plan={plan} />}
        {session !== null && turn !== undefined && (
          <span>
            made in the turn{' '}
            <Link to="/w/$workspace/timeline" params={{ workspace }} search={{ session }}>
              “{shownText(turn.prompt ?? 'work without a recorded prompt')}”
            </Link>
            {plan.revision > 1 && ', and revised since'}
          </span>
        )}
      </p>
      {prompts.length > 0 && (
        <details>
          <summary>Prompts in the copy that it was made in</summary>
          <ul>
            {prompts.map((prompt, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the same words can come twice, and the list only grows
              <li key={index}>{shownLines(prompt)}</li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}
