import { useState } from 'react';
import { shownName, shownText } from '../data/names.ts';
import { plural } from '../data/times.ts';
import { useVerb } from '../data/verb-query.ts';
import { Failure, Loading } from '../parts/message.tsx';

/** Reads the store and says what is damaged; only on request, because it reads everything. */
export function VerifyPart() {
  const [isWanted, setWanted] = useState(false);
  const { data, error, isFetching, refetch } = useVerb('verify', {}, { isEnabled: isWanted });
  return (
    <section aria-label="Store">
      <h2>Store</h2>
      {data !== undefined && !isFetching && data.damage.length === 0 && (
        <p className="good">All {plural(data.checkpoints, 'checkpoint')} can be restored completely.</p>
      )}
      {data !== undefined && data.damage.length > 0 && (
        <ul className="bad">
          {data.damage.map(({ object, file, problem }) => (
            <li key={`${object} ${problem}`}>
              {file !== null && <code>{shownName(file)}</code>} {shownText(problem)}
            </li>
          ))}
        </ul>
      )}
      {error !== null && <Failure error={error} />}
      {isFetching ? (
        <Loading what="the store" />
      ) : (
        <button type="button" className="button" onClick={() => (isWanted ? void refetch() : setWanted(true))}>
          Verify the store
        </button>
      )}
    </section>
  );
}
