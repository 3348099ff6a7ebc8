import { useState } from 'react';
import { actorName } from '../data/authors.ts';
import { COMPARISONS } from '../data/comparisons.ts';
import { shownLines, shownText } from '../data/names.ts';
import { plural } from '../data/times.ts';
import { useWorkspace } from '../data/workspace.ts';
import { LineForm } from '../parts/line-form.tsx';
import { isOpen, type ShownPlan } from './decisions.ts';
import type { PlanActs } from './use-plan-acts.ts';

/** The checks of a plan with their failures, and what its author is to change. */
export function PlanNotes({ plan, acts }: { readonly plan: ShownPlan; readonly acts: PlanActs }) {
  const results = plan.checks?.results ?? [];
  const validations = plan.validations.flatMap(({ phase, results: its }) => its.map((one) => ({ ...one, phase })));
  return (
    <div className="plan-notes">
      {plan.checked === 'stale' && isOpen(plan) && (
        <p className="hint">
          The checks ran before you accepted or rejected parts, or it was revised, so they do not count. Check it again.
        </p>
      )}
      <Checks title="Checks before it is applied" results={results} />
      <Checks title="Checks after it was applied" results={validations} />
      <Words plan={plan} acts={acts} />
    </div>
  );
}

type Result = Pick<
  NonNullable<ShownPlan['checks']>['results'][number],
  'name' | 'comparison' | 'why' | 'new' | 'failures'
>;

function Checks({ title, results }: { readonly title: string; readonly results: readonly Result[] }) {
  if (results.length === 0) return null;
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      <ul>
        {results.map(({ name, comparison, why, new: count, failures }) => (
          <li key={name} className={`check ${comparison}`}>
            <span className="name">{shownText(name)}</span>
            <span className="tag">
              {COMPARISONS[comparison]}
              {count > 0 && `: ${plural(count, 'new failure')}`}
              {why !== null && `: ${shownText(why)}`}
            </span>
            {failures.length > 0 && <pre>{failures.map((line) => shownText(line)).join('\n')}</pre>}
          </li>
        ))}
      </ul>
    </section>
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
            acts.revise(words);
            setText('');
          }}
          isBusy={acts.isBusy}
        />
      )}
    </section>
  );
}
