import { useMemo, useRef } from 'react';
import { type Command, useCommands } from '../shell/keys.ts';

/** `s` puts the sides of a diff side by side, or below one another. */
export function useSideKey(isSideBySide: boolean, set: (sides: 'two' | undefined) => void): void {
  const latest = useRef(set);
  latest.current = set;
  const commands = useMemo<readonly Command[]>(
    () => [
      {
        keys: 's',
        label: isSideBySide ? 'Show the diff unified' : 'Show the diff side by side',
        run: () => latest.current(isSideBySide ? undefined : 'two'),
      },
    ],
    [isSideBySide],
  );
  useCommands(commands);
}
