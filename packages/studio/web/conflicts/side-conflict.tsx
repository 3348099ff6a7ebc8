/** A path where a person can only choose a side: a file that is not text, or that one side deleted or replaced. */
import { useMemo } from 'react';
import { shownLines, textOf } from '../data/names.ts';
import { type Command, useCommands } from '../shell/keys.ts';
import type { Preview } from '../take-back/requests.ts';
import type { ConflictFile } from './sides.ts';

type Side = 'ours' | 'theirs';
type WholeSides = NonNullable<Preview['detail']>['sides'][number];

export interface SideConflictProps {
  readonly file: ConflictFile;
  readonly sides: WholeSides | null;
  /** Null: not decided. */
  readonly chosen: Side | null;
  readonly onChoose: (side: Side) => void;
}

const MOST_LINES = 400;

export function SideConflict({ file: { entries }, sides, chosen, onChoose }: SideConflictProps) {
  const commands = useMemo<readonly Command[]>(
    () => [
      { keys: 'y', label: 'Take yours: the file as it is now', run: () => onChoose('ours') },
      { keys: 't', label: 'Take theirs: what would be written', run: () => onChoose('theirs') },
    ],
    [onChoose],
  );
  useCommands(commands);
  return (
    <div className="side-conflict">
      {(['ours', 'theirs'] as const).map((side) => {
        const entry = entries?.[side] ?? null;
        const content = sides?.[side] ?? null;
        return (
          <section key={side} aria-label={side === 'ours' ? 'Yours' : 'Theirs'}>
            <h3>
              {side === 'ours' ? 'Yours' : 'Theirs'} <span>{side === 'ours' ? 'now' : 'what would be there'}</span>
            </h3>
            <p>{entry === null ? 'Nothing: the file is deleted' : KINDS[entry.kind]}</p>
            <button type="button" className="button" aria-pressed={chosen === side} onClick={() => onChoose(side)}>
              {wordsOf(side, entry)} <kbd>{side === 'ours' ? 'y' : 't'}</kbd>
            </button>
            {typeof content === 'string' && !content.includes('\0') && (
              // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
              <pre tabIndex={0}>{shownLines(textOf(content).split('\n').slice(0, MOST_LINES).join('\n'))}</pre>
            )}
          </section>
        );
      })}
    </div>
  );
}

const KINDS = {
  file: 'A file',
  link: 'A symbolic link',
  folder: 'A folder',
} as const;

function wordsOf(side: Side, entry: object | null): string {
  if (side === 'ours') return entry === null ? 'Keep it deleted' : 'Keep the file as it is now';
  return entry === null ? 'Delete the file' : 'Take this one';
}
