/** What becomes of a plan whose checks fail after it was applied: chosen before, and shown afterwards. */
import type { Output } from '../api/call.ts';
import { CheckResults, resultOfRun } from '../checks/check-results.tsx';
import { shownText } from '../data/names.ts';
import type { Decisions } from './requests.ts';

export interface ChecksAfterProps {
  readonly decisions: Decisions;
  /** Whether it is applied phase by phase. */
  readonly hasPhases: boolean;
  readonly isBusy: boolean;
  readonly onDecide: (decisions: Decisions) => void;
}

type OnFailure = NonNullable<Decisions['onFailure']>;

export function ChecksAfter({ decisions, hasPhases, isBusy, onDecide }: ChecksAfterProps) {
  const { validate, onFailure = 'keep', ...others } = decisions;
  const ways: readonly (readonly [OnFailure, string])[] = hasPhases
    ? [
        ['keep', 'stop and keep what is applied'],
        ['rollback', 'roll back the phase that failed'],
        ['rollback-all', 'roll back the whole plan'],
      ]
    : [
        ['keep', 'keep the plan applied'],
        ['rollback', 'roll the plan back'],
      ];
  return (
    <fieldset className="check-after" disabled={isBusy}>
      <legend className="hidden">Checks</legend>
      <label>
        <input
          type="checkbox"
          checked={validate !== undefined}
          onChange={({ target }) => onDecide(target.checked ? { ...others, validate: [] } : others)}
        />
        Run the checks afterwards
      </label>
      {validate !== undefined && (
        <label>
          If they find new failures,
          <select
            className="field"
            value={onFailure}
            onChange={({ target }) => onDecide({ ...others, validate, onFailure: target.value as OnFailure })}
          >
            {ways.map(([value, text]) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </select>
        </label>
      )}
    </fieldset>
  );
}

type Step = Output<'planApply'>['steps'][number];

/** Whether a step was reverted because of its checks. */
export function isRolledBack({ rolledBack }: Step): boolean {
  return rolledBack !== null;
}

/** What was applied and then rolled back, and why. */
export function RolledBack({ steps }: { readonly steps: readonly Step[] }) {
  const [step] = steps.filter(isRolledBack);
  const what = step?.phase == null ? 'The plan' : `The phase ${shownText(step.phase)}`;
  return (
    <div className="preview rolled-back">
      <section className="warning" role="alert">
        <h3>{what} was applied and rolled back</h3>
        <p>Its checks found new failures, or gave no answer. Both states are on the timeline.</p>
      </section>
      {steps.map(({ phase, checks }) => (
        <CheckResults
          key={phase ?? ''}
          title={phase === null ? 'Checks after it was applied' : `Checks after the phase ${shownText(phase)}`}
          results={(checks ?? []).map(resultOfRun)}
        />
      ))}
    </div>
  );
}
