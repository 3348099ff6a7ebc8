import { GRADES, type Grade } from '../data/authors.ts';
import { plural } from '../data/times.ts';

interface GradeMarkProps {
  readonly grade: Grade;
  /** The number of changes with this grade. Default: all. */
  readonly count?: number | undefined;
}

/** How sure an author is: the bar as in the margin of a diff, and the word. */
export function GradeMark({ grade, count }: GradeMarkProps) {
  const about = count === undefined ? '' : ` (${plural(count, 'change')})`;
  return (
    <span className="grade-mark" title={`Author: ${GRADES[grade]}${about}`}>
      <span className={`grade ${grade}`} aria-hidden="true" />
      <span className="hidden">Author: </span>
      {count !== undefined && `${count} `}
      {grade}
    </span>
  );
}

/** What the bars mean. */
export function GradeLegend() {
  return (
    <section className="legend">
      <h3>How sure an author is</h3>
      <dl>
        {LEGEND.map(([grade, about]) => (
          <div key={grade}>
            <dt>
              <span className={`grade ${grade}`} aria-hidden="true" /> {grade}
            </dt>
            <dd>{about}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

const LEGEND: readonly (readonly [Grade, string])[] = [
  ['sure', 'The tool reported exactly this content, or no agent was at work.'],
  ['likely', 'Only this author was active, but nothing reported the content.'],
  ['open', 'More than one may have written it.'],
];
