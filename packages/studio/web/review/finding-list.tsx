/** The findings of a review, the worst first. What follows from one is folded below it. */
import { type FindingCause, findingCauses } from '@savepoint/core/text';
import { useMemo, useState } from 'react';
import { nameKey, shownCode, shownText } from '../data/names.ts';
import { plural } from '../data/times.ts';
import { FINDING_WORDS } from '../diff/line-findings.ts';
import { countsOf, type Finding, type FindingClass } from './findings.ts';
import { type OnPlace, PlaceButton } from './places.tsx';

export interface FindingListProps {
  readonly findings: readonly Finding[];
  /** How many more there are. */
  readonly omitted: number;
  readonly onPlace: OnPlace;
}

type Filter = FindingClass | 'all';

const FILTERS: readonly Filter[] = ['all', 'breaks', 'follows', 'may-be-affected'];
/** Shown at once, and with each "Show more". */
const STEP = 100;
const MOST_PLACES = 8;

export function FindingList({ findings, omitted, onPlace }: FindingListProps) {
  const [filter, setFilter] = useState<Filter>('all');
  const [most, setMost] = useState(STEP);
  const counts = useMemo(() => countsOf(findings), [findings]);
  const causes = useMemo(() => findingCauses(findings).filter((one) => matches(one, filter)), [findings, filter]);
  if (findings.length === 0) return null;
  return (
    <>
      <fieldset className="choice finding-filter">
        <legend className="hidden">Which findings are shown</legend>
        {FILTERS.map((one) => (
          <button key={one} type="button" aria-pressed={filter === one} onClick={() => setFilter(one)}>
            {one === 'all' ? 'all' : FINDING_WORDS[one]} {one === 'all' ? findings.length : counts[one]}
          </button>
        ))}
      </fieldset>
      {causes.length === 0 && <p className="hint">None of this class.</p>}
      <ol className="finding-list" aria-label="Findings">
        {causes.slice(0, most).map((cause) => (
          <Cause key={keyOf(cause.places[0])} cause={cause} isOpen={filter === 'follows'} onPlace={onPlace} />
        ))}
      </ol>
      {causes.length > most && (
        <button type="button" className="button small" onClick={() => setMost(most + STEP)}>
          Show {Math.min(STEP, causes.length - most)} more of {causes.length - most}
        </button>
      )}
      {omitted > 0 && <p className="hint">{omitted} more findings are not listed.</p>}
    </>
  );
}

interface CauseProps {
  readonly cause: FindingCause<Finding>;
  readonly isOpen: boolean;
  readonly onPlace: OnPlace;
}

function Cause({ cause: { places, following }, isOpen, onPlace }: CauseProps) {
  const [first] = places;
  return (
    <li className={`finding ${first.class}`}>
      <p className="said-of">
        <span className="finding-class">{FINDING_WORDS[first.class]}</span>
        {places.length === 1 && <PlaceButton path={first.path} line={first.line} onPlace={onPlace} />}
        <code className="rule">{first.rule}</code>
      </p>
      <p>{shownText(first.message)}</p>
      {first.evidence.map((one) => (
        <p key={`${one.state} ${nameKey(one.path)} ${one.line} ${one.text}`} className="evidence">
          {one.state === 'base' ? 'before' : 'after'}{' '}
          <PlaceButton
            path={one.path}
            line={one.line}
            side={one.state === 'base' ? 'before' : 'after'}
            onPlace={onPlace}
          />{' '}
          <code>{shownCode(one.text)}</code>
        </p>
      ))}
      {places.length > 1 && <Places title={`in ${plural(places.length, 'place')}`} places={places} onPlace={onPlace} />}
      {following.length > 0 && (
        <details className="follows" key={String(isOpen)} open={isOpen}>
          <summary>
            <span className="finding-class">{FINDING_WORDS.follows}</span> {plural(following.length, 'finding')}
          </summary>
          <Places title="" places={following} onPlace={onPlace} />
        </details>
      )}
    </li>
  );
}

interface PlacesProps {
  readonly title: string;
  readonly places: readonly Finding[];
  readonly onPlace: OnPlace;
}

function Places({ title, places, onPlace }: PlacesProps) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? places : places.slice(0, MOST_PLACES);
  return (
    <div className="places">
      {title !== '' && <span>{title}</span>}
      {shown.map((one) => (
        <PlaceButton key={keyOf(one)} path={one.path} line={one.line} onPlace={onPlace} />
      ))}
      {places.length > shown.length && (
        <button type="button" className="button quiet small" onClick={() => setWhole(true)}>
          {places.length - shown.length} more
        </button>
      )}
    </div>
  );
}

function matches({ places, following }: FindingCause<Finding>, filter: Filter): boolean {
  if (filter === 'all') return true;
  return places[0].class === filter || following.some((one) => one.class === filter);
}

function keyOf({ class: of, rule, path, line, message }: Finding): string {
  return JSON.stringify([of, rule, nameKey(path), line, message]);
}
