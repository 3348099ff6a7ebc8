/** What the code says about a change: the choice between its lines, the findings and the picture, and how far it is known. */
import type { JsonName } from '@savepoint/core';
import { type UnsaidToShow, unsaidText } from '@savepoint/core/text';
import { lazy, type ReactNode, Suspense, useMemo } from 'react';
import type { ContentSource } from '../api/call.ts';
import { asWireError } from '../api/call.ts';
import { shownName, shownText } from '../data/names.ts';
import type { ListedChange } from '../diff/diff-file.ts';
import type { FindingsByLine } from '../diff/line-findings.ts';
import type { LineTarget } from '../diff/line-target.ts';
import { Loading } from '../parts/message.tsx';
import { type Command, useCommands } from '../shell/keys.ts';
import { countsOf, type Finding, type Report } from './findings.ts';
import type { OnPlace } from './places.tsx';
import type { ReviewSearch } from './search.ts';
import type { ReportState } from './use-report.ts';

const FindingList = lazy(async () => ({ default: (await import('./finding-list.tsx')).FindingList }));
const Picture = lazy(async () => ({ default: (await import('./picture/picture.tsx')).Picture }));
const OutsideFile = lazy(async () => ({ default: (await import('./outside-file.tsx')).OutsideFile }));

export interface ReviewProps {
  readonly search: ReviewSearch;
  readonly onSearch: (change: ReviewSearch) => void;
  readonly changes: readonly ListedChange[];
  readonly state: ReportState;
  /** What is listed. Null: nothing is known yet. */
  readonly known: KnownFindings | null;
  readonly byLine: FindingsByLine;
  readonly target: LineTarget | null;
  /** The state after the change, and what tells it from others. */
  readonly source: ContentSource;
  readonly of: string;
  readonly onPlace: OnPlace;
  /** The lines of the change. */
  readonly children: ReactNode;
}

export interface KnownFindings extends Pick<Report, 'findings' | 'omitted'> {
  readonly unsaid: readonly (UnsaidToShow & { readonly paths?: readonly JsonName[] })[];
  /** What they are about, as a sentence; empty: that is plain to see. */
  readonly about: string;
}

type View = 'lines' | 'findings' | 'picture';

const VIEWS: readonly (readonly [View, string, string])[] = [
  ['lines', 'Lines', 'd'],
  ['findings', 'Findings', 'e'],
  ['picture', 'Picture', 'm'],
];

export function Review(props: ReviewProps) {
  const { search, onSearch, known, state } = props;
  const view: View = search.view ?? 'lines';
  useViewKeys(onSearch);
  return (
    <>
      <div className="review-bar">
        <fieldset className="choice">
          <legend className="hidden">What is shown of the change</legend>
          {VIEWS.map(([one, label]) => (
            <button
              key={one}
              type="button"
              aria-pressed={view === one && search.outside === undefined}
              onClick={() => onSearch(toView(one))}
            >
              {label}
              {one === 'findings' && known !== null && ` ${known.findings.length + known.omitted}`}
            </button>
          ))}
        </fieldset>
        <Known known={known} state={state} />
      </div>
      <Suspense fallback={<Loading what="the review" />}>
        <Content {...props} view={view} />
      </Suspense>
    </>
  );
}

function Content({ view, ...props }: ReviewProps & { readonly view: View }) {
  const { search, onSearch, known, state, onPlace, changes, children } = props;
  const { outside } = search;
  const findings = known?.findings ?? NONE;
  if (outside !== undefined) {
    const { source, of, byLine, target } = props;
    const close = (): void => onSearch({ outside: undefined, line: undefined, side: undefined });
    return <OutsideFile file={outside} source={source} of={of} findings={byLine} target={target} onClose={close} />;
  }
  if (view === 'lines') return children;
  if (view === 'picture') {
    return (
      <div className="view-body review-body">
        {state.report === null ? (
          <NotKnown state={state} />
        ) : (
          <Picture changes={changes} findings={findings} report={state.report} onPlace={onPlace} />
        )}
      </div>
    );
  }
  return (
    <div className="view-body review-body">
      {known === null ? (
        <NotKnown state={state} />
      ) : (
        <>
          {known.about !== '' && <p className="hint">{known.about}</p>}
          <FindingList findings={findings} omitted={known.omitted} onPlace={onPlace} />
          {findings.length === 0 && (
            <p>{isSilent(known, changes) ? 'Nothing of it could be analysed.' : 'No findings.'}</p>
          )}
          {known.unsaid.map((one) => (
            <p key={`${one.reason} ${one.language}`} className="hint">
              {unsaidText(one, (one.paths ?? []).map(shownName))}
            </p>
          ))}
        </>
      )}
    </div>
  );
}

const NONE: readonly Finding[] = [];

/** What is known in a few words, and what can be done about the rest. */
function Known({ known, state }: Pick<ReviewProps, 'known' | 'state'>) {
  const { isReading, isStale, error, report, start, stop } = state;
  const counts = useMemo(() => (known === null ? null : countsOf(known.findings)), [known]);
  return (
    <span className="known" role="status">
      {counts !== null && (
        <>
          {counts.breaks > 0 && <b className="breaks finding-class">{counts.breaks} broken</b>}
          {counts['may-be-affected'] > 0 && (
            <b className="may-be-affected finding-class">{counts['may-be-affected']} may be affected</b>
          )}
          {counts.breaks + counts['may-be-affected'] === 0 && !isReading && 'nothing found'}
        </>
      )}
      {isStale && <span className="tag warning">of what was shown before</span>}
      {isReading && (
        <>
          <span>Reading the code …</span>
          <button type="button" className="button quiet small" onClick={stop}>
            Stop
          </button>
        </>
      )}
      {error !== null && <span className="tag fail">{shownText(asWireError(error).message)}</span>}
      {!isReading && (report === null || isStale || error !== null) && (
        <button type="button" className="button small" onClick={start}>
          {error === null ? 'Read the code' : 'Try again'}
        </button>
      )}
    </span>
  );
}

function NotKnown({ state: { isReading } }: Pick<ReviewProps, 'state'>) {
  return (
    <p>{isReading ? 'The code is being read …' : 'The code was not read yet. “Read the code” says what it breaks.'}</p>
  );
}

/** Whether there was nothing that could be analysed, so that no findings mean nothing. */
function isSilent({ unsaid }: KnownFindings, changes: readonly ListedChange[]): boolean {
  const left = unsaid.find(({ reason }) => reason === 'no-language')?.files ?? 0;
  return left >= changes.length || unsaid.some(({ reason }) => reason === 'too-many');
}

function useViewKeys(onSearch: ReviewProps['onSearch']): void {
  const commands = useMemo<readonly Command[]>(
    () =>
      VIEWS.map(([view, label, keys]) => ({
        keys,
        label: `Show the ${label.toLowerCase()} of the change`,
        run: () => onSearch(toView(view)),
      })),
    [onSearch],
  );
  useCommands(commands);
}

function toView(view: View): ReviewSearch {
  return { view: view === 'lines' ? undefined : view, outside: undefined };
}
