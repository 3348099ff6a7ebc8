/** How checks went on a state: a sign and words for each that did not pass, or one for all. */
import type { Output } from '../api/call.ts';
import { shownText } from '../data/names.ts';
import { plural } from '../data/times.ts';

export type CheckSummary = NonNullable<Output<'turns'>['turns'][number]['checks']>;
type Check = CheckSummary['checks'][number];

const NAMED = 3;

export function CheckMarks({ checks: summary }: { readonly checks: Pick<CheckSummary, 'checks'> | null }) {
  if (summary === null || summary.checks.length === 0) return null;
  const { checks } = summary;
  const others = checks.filter(({ comparison }) => comparison !== 'ok');
  const title = checks.map((check) => `${shownText(check.name)}: ${stateText(check)}`).join('\n');
  if (others.length === 0) {
    return (
      <span className="check-mark is-good" title={title}>
        ✓{' '}
        {checks.length === 1 ? `${shownText(checks[0]?.name ?? '')} passes` : `${plural(checks.length, 'check')} pass`}
      </span>
    );
  }
  return (
    <span className="check-marks" title={title}>
      {others.slice(0, NAMED).map((check) => (
        <span key={check.name} className={`check-mark ${check.comparison === 'worse' ? 'is-bad' : 'is-unclear'}`}>
          {check.comparison === 'worse' ? '✗' : '?'} {shownText(check.name)}: {stateText(check)}
        </span>
      ))}
      {others.length > NAMED && <span className="tag">and {others.length - NAMED} more</span>}
    </span>
  );
}

function stateText({ outcome, comparison, new: added }: Check): string {
  if (added > 0) return plural(added, 'new failure');
  if (outcome === 'failed') return comparison === 'same' ? 'fails as before' : 'fails';
  return outcome === 'passed' ? 'passes' : outcome.replaceAll('-', ' ');
}
