import { GRADES, type Grade } from '../data/authors.ts';

/** How sure an author is: the bar as in the margin of a diff, and the word. */
export function GradeMark({ grade }: { readonly grade: Grade }) {
  return (
    <span className="grade-mark" title={`Author: ${GRADES[grade]}`}>
      <span className={`grade ${grade}`} aria-hidden="true" />
      <span className="hidden">Author: </span>
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
