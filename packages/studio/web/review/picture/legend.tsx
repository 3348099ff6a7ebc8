/** What the signs of the picture mean. */
export function Legend({ areAllLinesShown }: { readonly areAllLinesShown: boolean }) {
  return (
    <ul className="signs" aria-label="Signs">
      <li>
        <span className="sample is-changed">M</span> changed
      </li>
      <li>
        <span className="sample is-outside" /> not changed, depends on it
      </li>
      <li>
        <span className="count breaks">✗1</span> broken
      </li>
      <li>
        <span className="count may-be-affected">?1</span> may be affected, or follows
      </li>
      <li className="hint">
        {areAllLinesShown
          ? 'A line leads from a file up to what it needs.'
          : 'Lines lead from broken files to what they need. Point at a file to see its others.'}
      </li>
    </ul>
  );
}
