import { useId } from 'react';
import { actorName } from '../data/authors.ts';
import { shownText } from '../data/names.ts';
import { clockText } from '../data/times.ts';
import { useVerb } from '../data/verb-query.ts';
import type { ReplaySearch } from './search.ts';

export interface ReplayHeadProps {
  readonly search: ReplaySearch;
  readonly onChange: (change: { readonly [Name in keyof ReplaySearch]?: ReplaySearch[Name] | undefined }) => void;
}

/** What is replayed: a session or everything, and the range. */
export function ReplayHead({ search, onChange }: ReplayHeadProps) {
  const { data } = useVerb('sessions', {});
  const id = useId();
  return (
    <div className="view-head">
      <h1>Replay</h1>
      <span className="space" />
      <label className="hidden" htmlFor={id}>
        Session
      </label>
      <select
        id={id}
        className={`field choice-field ${search.session === undefined ? '' : 'is-set'}`}
        value={search.session ?? ''}
        onChange={(event) => onChange({ session: event.target.value, at: undefined })}
      >
        <option value="">All sessions</option>
        {(data?.sessions ?? []).map(({ id: session, actor, title, last }) => (
          <option key={session} value={session}>
            {`${clockText(last)} ${shownText(actorName(actor))}: ${shownText(title ?? session).slice(0, 48)}`}
          </option>
        ))}
      </select>
      <End label="After" value={search.from} onChange={(from) => onChange({ from, at: undefined })} />
      <End label="Up to" value={search.to} onChange={(to) => onChange({ to, at: undefined })} />
    </div>
  );
}

interface EndProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
}

/** One end of the range. Anything but the id of a checkpoint is taken back when the field is left. */
function End({ label, value, onChange }: EndProps) {
  return (
    <input
      key={value ?? ''}
      className={`field checkpoint-field ${value === undefined ? '' : 'is-set'}`}
      aria-label={`${label} the checkpoint`}
      placeholder={`${label} cp_…`}
      defaultValue={value ?? ''}
      pattern="cp_[1-9][0-9]*"
      onBlur={({ target }) => {
        const text = target.value.trim();
        if (text === (value ?? '')) return;
        if (text === '' || /^cp_[1-9]\d*$/.test(text)) onChange(text === '' ? undefined : text);
        else target.value = value ?? '';
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter') event.currentTarget.blur();
      }}
    />
  );
}
