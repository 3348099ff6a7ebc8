/** A file that is merged line by line: the three sides of the current conflict, and the result that a person edits. */
import { lazy, Suspense, useCallback, useMemo, useRef, useState } from 'react';
import { shownCode } from '../data/names.ts';
import { Loading } from '../parts/message.tsx';
import { type Command, useCommands } from '../shell/keys.ts';
import type { TextDraft } from './drafts.ts';
import { beginning, type Choice, type Result } from './result.ts';
import type { ResultHandle } from './result-view.tsx';
import type { ConflictFile, MergedPart, TextSides } from './sides.ts';

const ResultView = lazy(() => import('./result-view.tsx').then((loaded) => ({ default: loaded.ResultView })));

type Conflict = Extract<MergedPart, { readonly kind: 'conflict' }>;

export interface TextConflictProps {
  readonly file: ConflictFile;
  readonly sides: TextSides;
  readonly draft: TextDraft | undefined;
  readonly onDraft: (draft: TextDraft) => void;
  /** Beyond the first or the last conflict of the file. */
  readonly onBeyond: (by: 1 | -1) => void;
}

export function TextConflict({ file, sides, draft, onDraft, onBeyond }: TextConflictProps) {
  const [at, setAt] = useState(0);
  const result = useRef<ResultHandle>(null);
  // A decision can be quicker than the editor, which is loaded on demand.
  const whenThere = useRef<((handle: ResultHandle) => void) | null>(null);
  const takeHandle = useCallback((handle: ResultHandle | null) => {
    result.current = handle;
    if (handle === null) return;
    whenThere.current?.(handle);
    whenThere.current = null;
  }, []);
  const start = useMemo(() => beginning(sides.parts), [sides]);
  const begin = useMemo<Result>(() => draft ?? start, [draft, start]);
  const conflicts = useMemo(() => sides.parts.filter((part): part is Conflict => part.kind === 'conflict'), [sides]);
  const regions = (draft ?? start).regions;
  const { version } = file;
  const note = useCallback(
    (next: Result) => {
      onDraft({ kind: 'text', ...next, parts: sides.parts, ending: sides.ending, version });
    },
    [onDraft, sides, version],
  );
  const go = useCallback(
    (by: 1 | -1) => {
      const next = at + by;
      if (next < 0 || next >= conflicts.length) return onBeyond(by);
      setAt(next);
      result.current?.show(next, false);
    },
    [at, conflicts.length, onBeyond],
  );
  const take = useCallback(
    (choice: Choice) => {
      const conflict = conflicts[at];
      if (conflict === undefined) return;
      const decide = (handle: ResultHandle): void => {
        handle.decide(at, choice, conflict);
        handle.show(at, choice === 'edited');
      };
      if (result.current === null) whenThere.current = decide;
      else decide(result.current);
    },
    [at, conflicts],
  );
  const commands = useMemo<readonly Command[]>(
    () => [
      { keys: 'n', label: 'Next conflict', run: () => go(1) },
      { keys: 'p', label: 'Previous conflict', run: () => go(-1) },
      { keys: 'y', label: 'Take yours: the lines of the file now', run: () => take('ours') },
      { keys: 't', label: 'Take theirs: the lines that would be written', run: () => take('theirs') },
      { keys: 'b', label: 'Take both, yours first', run: () => take('both') },
      { keys: 'e', label: 'Edit the lines of this conflict (Escape leaves the editor)', run: () => take('edited') },
    ],
    [go, take],
  );
  useCommands(commands);
  const keys = useMemo(() => Object.fromEntries(commands.map(({ keys: key, run }) => [key ?? '', run])), [commands]);
  const place = useRef<HTMLDivElement>(null);
  const conflict = conflicts[at];
  const choice = regions[at]?.choice ?? null;
  return (
    <div className="text-conflict" ref={place} tabIndex={-1}>
      <div className="conflict-bar">
        <button type="button" className="button small" onClick={() => go(-1)} title="Previous conflict (p)">
          Previous
        </button>
        <button type="button" className="button small" onClick={() => go(1)} title="Next conflict (n)">
          Next
        </button>
        <p>
          Conflict {at + 1} of {conflicts.length}
          <span className={`tag ${choice === null ? 'warning' : 'pass'}`}>
            {choice === null ? 'not decided' : STATES[choice]}
          </span>
        </p>
        <span className="space" />
        {CHOICES.map(({ choice: one, key, label }) => (
          <button
            key={one}
            type="button"
            className="button small"
            aria-pressed={choice === one}
            title={`${label} (${key})`}
            onClick={() => take(one)}
          >
            {label}
          </button>
        ))}
      </div>
      {conflict !== undefined && (
        <div className="three-sides">
          <Lines title="Base" about="what both began with" text={conflict.base} />
          <Lines title="Yours" about="the file now" text={conflict.ours} />
          <Lines title="Theirs" about="what would be written" text={conflict.theirs} />
        </div>
      )}
      <Suspense fallback={<Loading what="the editor" />}>
        <ResultView
          key={`${file.key} ${version}`}
          ref={takeHandle}
          path={file.key}
          sides={sides}
          begin={begin}
          onResult={note}
          keys={keys}
          onLeave={() => place.current?.focus()}
        />
      </Suspense>
    </div>
  );
}

const CHOICES: readonly { readonly choice: Choice; readonly key: string; readonly label: string }[] = [
  { choice: 'ours', key: 'y', label: 'Take yours' },
  { choice: 'theirs', key: 't', label: 'Take theirs' },
  { choice: 'both', key: 'b', label: 'Take both' },
  { choice: 'edited', key: 'e', label: 'Edit' },
];

const STATES: Readonly<Record<Choice, string>> = {
  ours: 'yours',
  theirs: 'theirs',
  both: 'both',
  edited: 'edited by hand',
};

function Lines({ title, about, text }: { readonly title: string; readonly about: string; readonly text: string }) {
  const lines = text === '' ? [] : text.replace(/\n$/, '').split('\n');
  return (
    <section aria-label={`${title}: ${about}`}>
      <h3>
        {title} <span>{about}</span>
      </h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <pre tabIndex={0}>{lines.length === 0 ? <em>no lines</em> : lines.map(shownCode).join('\n')}</pre>
    </section>
  );
}
