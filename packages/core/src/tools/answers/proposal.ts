/** The answer about a plan that was made or revised, with what it breaks elsewhere in the code. */
import { showText } from '../../content/show-name.ts';
import { unsaidText } from '../../content/unsaid-text.ts';
import type { planProposed } from '../../verbs/plans/proposal.ts';
import type { OutputOf } from '../../verbs/verb.ts';
import { present } from './fields.ts';
import { type WorstFindings, worstFindingLines, worstFindings } from './findings.ts';
import { type PlanAnswer, planAnswer, planLines } from './plans.ts';
import { pathText } from './text.ts';

type FoundJson = OutputOf<typeof planProposed>['found'];

export interface ProposalAnswer extends PlanAnswer, WorstFindings {
  /** What the findings cannot say. */
  readonly notes?: readonly string[];
}

export function proposalAnswer({ plan, found }: OutputOf<typeof planProposed>): ProposalAnswer {
  const { next, ...answer } = planAnswer(plan);
  return {
    ...answer,
    ...worstFindings(found.findings, found.omitted),
    ...present<Pick<ProposalAnswer, 'notes'>>({ notes: notesOf(plan.id, found) }),
    next: found.findings.some((one) => one.class === 'breaks')
      ? `It breaks other code. Fix that with plan_revise. ${next}`
      : next,
  };
}

export function proposalLines({ next, ...answer }: ProposalAnswer): string[] {
  const lines = planLines({ ...answer, next });
  return [
    ...lines.slice(0, -1),
    ...worstFindingLines(answer),
    ...(answer.notes ?? []).map((note) => `  ${showText(note)}`),
    ...lines.slice(-1),
  ];
}

/** The author of a plan knows that texts and pictures are not code. */
function notesOf(id: string, { unsaid, unfinished }: FoundJson): readonly string[] {
  const said = unsaid.filter(({ reason }) => reason !== 'no-language' && reason !== 'not-measured');
  return [
    ...(unfinished === null
      ? []
      : [`What it breaks elsewhere is not known: ${unfinished}. plan_check with id ${id} says it.`]),
    ...said.map((one) => unsaidText(one, one.paths.map(pathText))),
  ];
}
