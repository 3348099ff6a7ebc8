import { useMemo, useRef } from 'react';
import { type Command, useCommands } from '../shell/keys.ts';

export interface ChosenLineActs {
  readonly step: (by: 1 | -1, isMore: boolean) => void;
  /** Null: it cannot be done now. */
  readonly comment: (() => void) | null;
  readonly takeBack: (() => void) | null;
  readonly clear: () => void;
}

/** The keys that choose lines of a diff, and what is done with them. */
export function useChosenLineKeys(acts: ChosenLineActs): void {
  const latest = useRef(acts);
  latest.current = acts;
  const commands = useMemo<readonly Command[]>(
    () => [
      { keys: 'j', label: 'Choose the next line', run: () => latest.current.step(1, false) },
      { keys: 'k', label: 'Choose the previous line', run: () => latest.current.step(-1, false) },
      { keys: 'J', label: 'Choose one more line below', run: () => latest.current.step(1, true) },
      { keys: 'K', label: 'Choose one more line above', run: () => latest.current.step(-1, true) },
      { keys: 'c', label: 'Comment on the chosen lines', run: () => latest.current.comment?.() },
      { keys: 'b', label: 'Take the chosen lines back', run: () => latest.current.takeBack?.() },
      { keys: 'Escape', label: 'Choose no lines', run: () => latest.current.clear() },
    ],
    [],
  );
  useCommands(commands);
}
