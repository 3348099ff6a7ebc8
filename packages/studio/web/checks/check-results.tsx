import { COMPARISONS } from '../data/comparisons.ts';
import { shownText } from '../data/names.ts';
import { plural } from '../data/times.ts';

export interface CheckResult {
  readonly name: string;
  readonly comparison: keyof typeof COMPARISONS;
  readonly why: string | null;
  /** The number of new failures. */
  readonly new: number;
  /** The first of them, one line each. */
  readonly failures: readonly string[];
}

/** How checks went, each with its new failures. */
export function CheckResults({ title, results }: { readonly title: string; readonly results: readonly CheckResult[] }) {
  if (results.length === 0) return null;
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      <ul>
        {results.map(({ name, comparison, why, new: count, failures }) => (
          <li key={name} className={`check ${comparison}`}>
            <span className="name">{shownText(name)}</span>
            <span className="tag">
              {comparison === 'worse' && count > 0 ? plural(count, 'new failure') : COMPARISONS[comparison]}
              {why !== null && `: ${shownText(why)}`}
            </span>
            {failures.length > 0 && <pre>{failures.map((line) => shownText(line)).join('\n')}</pre>}
          </li>
        ))}
      </ul>
    </section>
  );
}

interface RunCheck extends Pick<CheckResult, 'name' | 'comparison' | 'why'> {
  readonly new: readonly { readonly shown: string }[];
}

/** Of a run of checks, as a verb answers it. */
export function resultOfRun({ name, comparison, why, new: added }: RunCheck): CheckResult {
  return { name, comparison, why, new: added.length, failures: added.map(({ shown }) => shown) };
}

interface FailedCheck extends Pick<CheckResult, 'name' | 'comparison' | 'why'> {
  readonly new: readonly string[];
}

/** Of the data of CHECKS_FAILED. */
export function failedResults(data: unknown): readonly CheckResult[] {
  const { checks = [] } = data as { readonly checks?: readonly FailedCheck[] };
  return checks.map((one) => ({ ...one, new: one.new.length, failures: one.new }));
}
