/** Undo and redo for as long as the page is open: the message with the button goes away by itself. */
import { useMemo } from 'react';
import { useWorkspace } from '../data/workspace.ts';
import { type Command, useCommands } from '../shell/keys.ts';
import { useTakeBack } from './take-back.tsx';

export function UndoCommands() {
  const { server, isBundle } = useWorkspace();
  const open = useTakeBack();
  const isPossible = !server.isReadOnly && !isBundle;
  const commands = useMemo<readonly Command[]>(() => {
    if (!isPossible) return [];
    return [
      { keys: 'u', label: UNDO, run: () => open({ title: UNDO, act: 'Undo', selection: UNDONE }) },
      { keys: 'U', label: REDO, run: () => open({ title: REDO, act: 'Redo', selection: REDONE }) },
    ];
  }, [open, isPossible]);
  useCommands(commands);
  return null;
}

const UNDO = 'Undo the last operation';
const REDO = 'Redo what was undone last';
const UNDONE = { kind: 'call', call: { verb: 'undo', input: {} } } as const;
const REDONE = { kind: 'call', call: { verb: 'redo', input: {} } } as const;
