import { useId } from 'react';
import { actorName, type Grade } from '../data/authors.ts';
import { shownText } from '../data/names.ts';
import { clockText } from '../data/times.ts';
import { useVerb } from '../data/verb-query.ts';
import { agentRequest } from '../take-back/requests.ts';
import { TakeBackButton } from '../take-back/take-back-button.tsx';
import type { TimelineSearch } from './search.ts';

export interface FiltersProps {
  readonly search: TimelineSearch;
  readonly onChange: (change: (search: TimelineSearch) => TimelineSearch) => void;
}

export function Filters({ search, onChange }: FiltersProps) {
  const { data } = useVerb('sessions', {});
  const sessions = data?.sessions ?? [];
  const agents = [...new Set(sessions.map(({ actor }) => actorName(actor)))].sort();
  const isAgent = sessions.some(({ actor }) => actor.kind === 'agent' && actorName(actor) === search.agent);
  const set = (name: keyof TimelineSearch, value: string): void =>
    onChange(({ [name]: _, ...rest }) => (value === '' ? rest : { ...rest, [name]: value }));
  return (
    <div className="view-head">
      <h1>Timeline</h1>
      {search.agent !== undefined && isAgent && (
        <TakeBackButton request={agentRequest(search.agent)} label={`Take back all of ${shownText(search.agent)}`} />
      )}
      <span className="space" />
      <input
        className="field"
        type="search"
        placeholder="Words"
        aria-label="Only with these words"
        value={search.text ?? ''}
        onChange={(event) => set('text', event.target.value)}
      />
      <input
        className="field path"
        type="search"
        placeholder="File or folder"
        aria-label="Only work on this file or folder"
        value={search.file ?? ''}
        onChange={(event) => set('file', event.target.value)}
      />
      <Choice
        label="Agent"
        all="All authors"
        value={search.agent}
        options={['you', ...agents.filter((name) => name !== 'you')].map((name) => [name, shownText(name)])}
        onChange={(value) => set('agent', value)}
      />
      <Choice
        label="Session"
        all="All sessions"
        value={search.session}
        options={sessions.map(({ id, actor, title, last }) => [
          id,
          `${clockText(last)} ${shownText(actorName(actor))}: ${shownText(title ?? id).slice(0, 48)}`,
        ])}
        onChange={(value) => set('session', value)}
      />
      <Choice
        label="Grade of evidence"
        all="Any evidence"
        value={search.grade}
        options={GRADES}
        onChange={(value) => set('grade', value)}
      />
    </div>
  );
}

const GRADES: readonly (readonly [Grade, string])[] = [
  ['sure', 'Author is sure'],
  ['likely', 'Author is likely'],
  ['open', 'Author is open'],
];

interface ChoiceProps {
  readonly label: string;
  /** The text for no filter. */
  readonly all: string;
  readonly value: string | undefined;
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly onChange: (value: string) => void;
}

function Choice({ label, all, value, options, onChange }: ChoiceProps) {
  const id = useId();
  return (
    <>
      <label className="hidden" htmlFor={id}>
        {label}
      </label>
      <select
        id={id}
        className={`field choice-field ${value === undefined ? '' : 'is-set'}`}
        value={value ?? ''}
        onChange={(event) => onChange(event.target.value)}
      >
        <option value="">{all}</option>
        {options.map(([one, text]) => (
          <option key={one} value={one}>
            {text}
          </option>
        ))}
      </select>
    </>
  );
}
