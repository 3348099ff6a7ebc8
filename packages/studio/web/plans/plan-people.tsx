import type { Output } from '../api/call.ts';
import { type Actor, actorName } from '../data/authors.ts';
import { shownText } from '../data/names.ts';

type People = Pick<Output<'planList'>['plans'][number], 'by' | 'authors' | 'applied_by'>;

/** Who made the proposed changes, who proposed them if that was somebody else, and who applied them. */
export function PlanPeople({ plan: { by, authors, applied_by: appliedBy } }: { readonly plan: People }) {
  const names = authors.length === 0 ? nameOf(by) : authors.map(nameOf).join(', ');
  const isOther = !authors.some((one) => isSame(one, by)) && authors.length > 0;
  return (
    <>
      <span>by {names}</span>
      {isOther && <span>proposed by {nameOf(by)}</span>}
      {appliedBy !== null && <span>applied by {nameOf(appliedBy)}</span>}
    </>
  );
}

function nameOf(actor: Actor): string {
  return shownText(actorName(actor));
}

function isSame(one: Actor, other: Actor): boolean {
  return one.kind === other.kind && actorName(one) === actorName(other);
}
