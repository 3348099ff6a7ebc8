import { Link } from '@tanstack/react-router';
import type { Output } from '../api/call.ts';
import { actorName } from '../data/authors.ts';
import { shownText } from '../data/names.ts';
import { clockText } from '../data/times.ts';
import { useWorkspace } from '../data/workspace.ts';
import { LayoutChoice } from '../diff/layout-choice.tsx';
import { AuthorMarks } from '../parts/author-mark.tsx';
import { Counts } from '../parts/counts.tsx';
import { NO_REVIEW, type ReviewSearch } from '../review/search.ts';
import type { TakeBackRequest } from '../take-back/requests.ts';
import { TakeBackButton } from '../take-back/take-back-button.tsx';
import type { RecordedByFile } from './recorded.ts';
import type { ChangesSearch } from './search.ts';

type Diff = Pick<Output<'diff'>, 'from' | 'to' | 'changes' | 'totals'>;

export interface ChangesHeadProps {
  readonly search: ChangesSearch;
  readonly diff: Diff;
  readonly recorded: RecordedByFile;
  readonly onChange: SetView;
}

/** Changes how the diff is shown; undefined removes a field from the address. */
export type SetView = (
  change: ReviewSearch & {
    readonly file?: string;
    readonly only?: undefined;
    readonly review?: 'on' | undefined;
    readonly sides?: 'two' | undefined;
    readonly space?: 'hidden' | undefined;
  },
) => void;

export function ChangesHead({ search, diff, recorded, onChange }: ChangesHeadProps) {
  const { id: workspace, server, isBundle } = useWorkspace();
  const { totals } = diff;
  const request = search.only === undefined ? requestOf(search, diff, recorded) : null;
  const isSideBySide = search.sides === 'two';
  const hidesWhitespace = search.space === 'hidden';
  const isReviewed = search.review === 'on';
  return (
    <div className="view-head changes-head">
      <Title search={search} diff={diff} />
      <Counts added={totals.added} removed={totals.removed} />
      {search.only !== undefined && (
        <button type="button" className="button small" onClick={() => onChange({ only: undefined })}>
          Show all files
        </button>
      )}
      <div className="head-acts">
        {canBeReviewed(search, diff) && (
          <button
            type="button"
            className={`button small ${isReviewed ? 'is-set' : 'quiet'}`}
            aria-pressed={isReviewed}
            title="Say what this change breaks elsewhere in the code"
            onClick={() => onChange(isReviewed ? { ...NO_REVIEW, review: undefined } : { review: 'on' })}
          >
            Review
          </button>
        )}
        <button
          type="button"
          className={`button small ${hidesWhitespace ? 'is-set' : 'quiet'}`}
          aria-pressed={hidesWhitespace}
          onClick={() => onChange({ space: hidesWhitespace ? undefined : 'hidden' })}
        >
          Hide white space
        </button>
        <LayoutChoice isSideBySide={isSideBySide} onSides={(sides) => onChange({ sides })} />
        {diff.to !== null && !server.isReadOnly && (
          <Link className="button small" to="/w/$workspace/forks" params={{ workspace }} search={{ from: diff.to.id }}>
            Fork from here
          </Link>
        )}
        {request !== null && <TakeBackButton request={request} label="Take back all" />}
        {diff.from !== null && !isBundle && (
          <Link
            className="button small"
            title={`Look at what going back to ${diff.from.id} would do`}
            to="/w/$workspace/restore"
            params={{ workspace }}
            search={{ to: diff.from.id }}
          >
            Restore …
          </Link>
        )}
      </div>
    </div>
  );
}

/** A single change of a range is not a state of the code. */
export function canBeReviewed({ change }: ChangesSearch, { from, changes }: Pick<Diff, 'from' | 'changes'>): boolean {
  return change === undefined && from !== null && changes.length > 0;
}

function Title({ search, diff: { from, to } }: { readonly search: ChangesSearch; readonly diff: Diff }) {
  const { id: workspace } = useWorkspace();
  const words = to?.conversation?.lastUser;
  if (to === null) {
    return (
      <div className="title">
        <h1>Since {from?.id ?? 'the beginning'}, not in a checkpoint yet</h1>
      </div>
    );
  }
  const isOne = search.change !== undefined || from === null || to.previous === from.id;
  // The changes of a range can be of many authors, which the files name.
  const actors = search.session !== undefined ? [to.actor] : isOne ? to.by : [];
  const text =
    search.session !== undefined && words != null ? words : isOne ? to.description : `From ${from.id} to ${to.id}`;
  return (
    <div className="title">
      <AuthorMarks actors={actors} />
      <h1 title={shownText(text)}>{shownText(text)}</h1>
      <p>
        {actors.length > 0 && `${actors.map((actor) => shownText(actorName(actor))).join(' or ')} · `}
        {clockText(to.time)} ·{' '}
        {from !== null && (
          <>
            <Link to="/w/$workspace/changes" params={{ workspace }} search={{ to: from.id }}>
              {from.id}
            </Link>{' '}
            →{' '}
          </>
        )}
        <Link to="/w/$workspace/changes" params={{ workspace }} search={{ to: to.id }}>
          {to.id}
        </Link>
        {search.change !== undefined && ` · change ${search.change}`}
      </p>
    </div>
  );
}

function requestOf(
  { change }: ChangesSearch,
  { from, to, changes }: Diff,
  recorded: RecordedByFile,
): TakeBackRequest | null {
  if (to === null) {
    if (from === null || changes.length === 0) return null;
    const paths = changes.flatMap(({ path, from: old }) => (old === null ? [path] : [path, old]));
    return {
      title: `Go back to ${from.id} in all of these files`,
      selection: { kind: 'paths', checkpoint: from.id, paths },
    };
  }
  const ids = [...recorded.values()]
    .flat()
    .filter(({ id, takenBack }) => takenBack === null && (change === undefined || id === change))
    .map(({ id }) => id);
  return ids.length === 0 ? null : { title: 'Take back all of these changes', selection: { kind: 'changes', ids } };
}
