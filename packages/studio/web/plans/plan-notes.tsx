import { useState } from 'react';
import { CheckResults } from '../checks/check-results.tsx';
import { PrintedOutput } from '../checks/printed-output.tsx';
import { actorName } from '../data/authors.ts';
import { shownLines, shownText } from '../data/names.ts';
import { useWorkspace } from '../data/workspace.ts';
import { LineForm } from '../parts/line-form.tsx';
import { isOpen, type ShownPlan } from './decisions.ts';
import { PlanOrigin } from './plan-origin.tsx';
import type { PlanActs } from './use-plan-acts.ts';

/** The checks of a plan with their failures, and what its author is to change. */
export function PlanNotes({ plan, acts }: { readonly plan: ShownPlan; readonly acts: PlanActs }) {
  const results = plan.checks?.results ?? [];
  const validations = plan.validations.flatMap((one) => one.results);
  const last = plan.status === 'rolled-back' ? plan.applications.at(-1)?.results : null;
  return (
    <div className="plan-notes">
      <PlanOrigin plan={plan} />
      {acts.running !== null && <PrintedOutput lines={acts.running} />}
      {plan.checked === 'stale' && isOpen(plan) && (
        <p className="hint">
          The checks ran before you accepted or rejected parts, or it was revised, so they do not count. Check it again.
        </p>
      )}
      <CheckResults title="Checks before it is applied" results={results} />
      <CheckResults title="Checks after it was applied" results={validations} />
      <CheckResults title="Checks after it was applied, before it was rolled back" results={last ?? []} />
      <Words plan={plan} acts={acts} />
    </div>
  );
}

function Words({ plan, acts }: { readonly plan: ShownPlan; readonly acts: PlanActs }) {
  const { server } = useWorkspace();
  const [text, setText] = useState('');
  const canRevise = isOpen(plan) && !server.isReadOnly;
  if (plan.words.length === 0 && !canRevise) return null;
  return (
    <section aria-label="What is to be changed">
      {plan.words.map(({ by, text: said, time, revision }) => (
        <p key={time} className="said">
          <strong>{shownText(actorName(by))}</strong> on revision {revision}: {shownLines(said)}
        </p>
      ))}
      {canRevise && (
        <LineForm
          label="What the author of the plan is to change"
          placeholder="Ask its author to change something"
          act="Ask for a revision"
          text={text}
          onText={setText}
          onSubmit={(words) => {
            void acts.revise(words).then((isRecorded) => isRecorded && setText(''));
          }}
          isBusy={acts.isBusy}
        />
      )}
    </section>
  );
}
