/** The filters of the timeline. All of them are in its address. */
import { Link } from '@tanstack/react-router';
import { useId, useMemo, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { actorName } from '../data/authors.ts';
import { shownText } from '../data/names.ts';
import { clockText } from '../data/times.ts';
import { useWorkspace } from '../data/workspace.ts';
import { Icon } from '../parts/icon.tsx';
import { type Command, useCommands } from '../shell/keys.ts';
import { agentRequest } from '../take-back/requests.ts';
import { TakeBackButton } from '../take-back/take-back-button.tsx';
import type { Sessions } from './lanes.ts';
import { type FilterName, filtersIn, type TimelineSearch } from './search.ts';

export interface FiltersProps {
  readonly search: TimelineSearch;
  readonly sessions: Sessions;
  readonly onChange: (change: (search: TimelineSearch) => TimelineSearch) => void;
}

export function Filters({ search, sessions, onChange }: FiltersProps) {
  const set = filtersIn(search, ['text']).length;
  const [chosen, setOpen] = useState<boolean | null>(null);
  const isOpen = chosen ?? set > 0;
  const bar = useId();
  const { id: workspace } = useWorkspace();
  const words = useRef<HTMLInputElement>(null);
  const file = useRef<HTMLInputElement>(null);
  const commands = useMemo<readonly Command[]>(
    () => [
      { keys: '/', label: 'Search the words of the timeline', run: () => words.current?.focus() },
      {
        keys: 'f',
        label: 'Filter the timeline',
        run: () => {
          flushSync(() => setOpen(true));
          file.current?.focus();
        },
      },
    ],
    [],
  );
  useCommands(commands);
  const isAgent = sessions.some(({ actor }) => actor.kind === 'agent' && actorName(actor) === search.agent);
  const change = (name: FilterName, value: string): void =>
    onChange(({ [name]: _, ...rest }) => (value === '' ? rest : { ...rest, [name]: value }));
  return (
    <>
      <div className="view-head">
        <h1>Timeline</h1>
        {search.agent !== undefined && isAgent && (
          <TakeBackButton request={agentRequest(search.agent)} label={`Take back all of ${shownText(search.agent)}`} />
        )}
        {search.session !== undefined && (
          <Link
            className="button small"
            to="/w/$workspace/replay"
            params={{ workspace }}
            search={{ session: search.session }}
          >
            Replay
          </Link>
        )}
        <span className="space" />
        <input
          ref={words}
          className="field words"
          type="search"
          placeholder="Search words"
          aria-label="Only with these words"
          value={search.text ?? ''}
          onChange={(event) => change('text', event.target.value)}
        />
        <button
          type="button"
          className={`button ${set > 0 ? 'is-set' : ''}`}
          aria-expanded={isOpen}
          aria-controls={bar}
          onClick={() => setOpen(!isOpen)}
        >
          <Icon name="filter" />
          Filter
          {set > 0 && (
            <span className="count">
              {set}
              <span className="hidden"> set</span>
            </span>
          )}
        </button>
      </div>
      <section id={bar} className="filter-bar" aria-label="Filters" hidden={!isOpen}>
        <Choices search={search} sessions={sessions} file={file} change={change} />
        {set > 0 && (
          <button
            type="button"
            className="button quiet"
            onClick={() => onChange(({ text, open }) => ({ ...(text && { text }), ...(open && { open }) }))}
          >
            Clear
          </button>
        )}
      </section>
    </>
  );
}

interface ChoicesProps extends Pick<FiltersProps, 'search' | 'sessions'> {
  readonly file: React.Ref<HTMLInputElement>;
  readonly change: (name: FilterName, value: string) => void;
}

function Choices({ search, sessions, file, change }: ChoicesProps) {
  const agents = [...new Set(sessions.map(({ actor }) => actorName(actor)))].sort();
  return (
    <>
      <input
        ref={file}
        className={`field path ${search.file === undefined ? '' : 'is-set'}`}
        type="search"
        placeholder="File or folder"
        aria-label="Only work on this file or folder"
        value={search.file ?? ''}
        onChange={(event) => change('file', event.target.value)}
      />
      <Choice
        label="Author"
        all="All authors"
        value={search.agent}
        options={[...new Set(['you', 'outside', ...agents])].map((name) => [name, shownText(name)])}
        onChange={(value) => change('agent', value)}
      />
      <Choice
        label="Session"
        all="All sessions"
        value={search.session}
        options={sessions.map(({ id, actor, title, last }) => [
          id,
          `${clockText(last)} ${shownText(actorName(actor))}: ${shownText(title ?? id).slice(0, 48)}`,
        ])}
        onChange={(value) => change('session', value)}
      />
      <Choice
        label="Grade of evidence"
        all="Any evidence"
        value={search.grade}
        options={GRADES}
        onChange={(value) => change('grade', value)}
      />
      <Choice
        label="In effect or taken back"
        all="In effect or not"
        value={search.effect}
        options={EFFECTS}
        onChange={(value) => change('effect', value)}
      />
      <Choice
        label="Time"
        all="Any time"
        value={search.time}
        options={PERIODS}
        onChange={(value) => change('time', value)}
      />
    </>
  );
}

type Options = readonly (readonly [value: string, text: string])[];

const GRADES = [
  ['sure', 'Author is sure'],
  ['likely', 'Author is likely'],
  ['open', 'Author is open'],
] as const satisfies Options;

const EFFECTS = [
  ['in', 'In effect'],
  ['back', 'Taken back'],
] as const satisfies Options;

const PERIODS = [
  ['hour', 'Last hour'],
  ['day', 'Last 24 hours'],
  ['week', 'Last 7 days'],
  ['month', 'Last 30 days'],
] as const satisfies Options;

interface ChoiceProps {
  readonly label: string;
  /** The text for no filter. */
  readonly all: string;
  readonly value: string | undefined;
  readonly options: Options;
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
