import { nameKey, shownName } from '../data/names.ts';
import { useVerb } from '../data/verb-query.ts';
import type { RestoreSearch } from './search.ts';

export interface RestoreOptionsProps {
  readonly search: RestoreSearch;
  readonly onChange: (change: RestoreSearch) => void;
}

/** What goes back, where, and what happens to what others changed. */
export function RestoreOptions({ search, onChange }: RestoreOptionsProps) {
  const { data } = useVerb('repos', {});
  const roots = data?.repositories ?? [];
  const hasFiles = search.what !== 'conversation';
  return (
    <section className="restore-options" aria-label="What to restore">
      <Choice
        legend="What goes back"
        chosen={search.what ?? 'files'}
        choices={{ files: 'Files', both: 'Both', conversation: 'Conversation' }}
        onChoose={(what) => onChange({ ...without(search, 'what'), ...(what === 'files' ? {} : { what }) })}
      />
      {hasFiles && (
        <Choice
          legend="What others than agents changed since"
          chosen={search.mode ?? 'ask'}
          choices={{ ask: 'Ask', 'keep-outside': 'Keep', exact: 'Overwrite' }}
          onChoose={(mode) => onChange({ ...without(search, 'mode'), ...(mode === 'ask' ? {} : { mode }) })}
        />
      )}
      {hasFiles && roots.length > 1 && (
        <label className="root-choice">
          Repository
          <select
            className="field"
            value={search.root ?? ''}
            onChange={({ target: { value } }) =>
              onChange({ ...without(without(search, 'root'), 'except'), ...(value === '' ? {} : { root: value }) })
            }
          >
            <option value="">All</option>
            {roots.map(({ path }) => (
              <option key={nameKey(path)} value={nameKey(path) === '' ? '.' : nameKey(path)}>
                {shownName(path)}
              </option>
            ))}
          </select>
        </label>
      )}
      {hasFiles && roots.some(({ kind }) => kind === 'repository') && (
        <label className="git-choice">
          <input
            type="checkbox"
            checked={search.git === 'yes'}
            onChange={({ target }) =>
              onChange({ ...without(search, 'git'), ...(target.checked ? { git: 'yes' as const } : {}) })
            }
          />
          Branch, HEAD and index as well
        </label>
      )}
    </section>
  );
}

export function without(search: RestoreSearch, field: keyof RestoreSearch): RestoreSearch {
  const { [field]: _, ...rest } = search;
  return rest;
}

interface ChoiceProps<Value extends string> {
  readonly legend: string;
  readonly chosen: Value;
  readonly choices: Readonly<Record<Value, string>>;
  readonly onChoose: (value: Value) => void;
}

function Choice<Value extends string>({ legend, chosen, choices, onChoose }: ChoiceProps<Value>) {
  return (
    <div>
      <h3>{legend}</h3>
      <fieldset className="choice">
        <legend className="hidden">{legend}</legend>
        {(Object.entries(choices) as [Value, string][]).map(([value, label]) => (
          <button key={value} type="button" aria-pressed={value === chosen} onClick={() => onChoose(value)}>
            {label}
          </button>
        ))}
      </fieldset>
    </div>
  );
}
