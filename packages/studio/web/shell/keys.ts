/** The keys of the page: what is listed by `?` and in the command palette is what works. */
import { useEffect, useSyncExternalStore } from 'react';

export interface Command {
  /** One key as the browser names it, or two after one another, such as `g t`. */
  readonly keys?: string;
  readonly label: string;
  readonly run: () => void;
}

const groups = new Set<readonly Command[]>();
const listeners = new Set<() => void>();
let all: readonly Command[] = [];
let pending = '';

/** Makes commands available as long as the part of the page that calls it is shown. Pass a memoised list. */
export function useCommands(commands: readonly Command[]): void {
  useEffect(() => {
    groups.add(commands);
    changed();
    return () => {
      groups.delete(commands);
      changed();
    };
  }, [commands]);
}

export function useAllCommands(): readonly Command[] {
  return useSyncExternalStore(subscribe, () => all);
}

/** @returns ends listening */
export function listenToKeys(): () => void {
  const onKey = (event: KeyboardEvent): void => {
    if (event.defaultPrevented || isTyping(event)) return;
    const name = event.key === ' ' ? 'Space' : event.key;
    const key = event.ctrlKey || event.metaKey ? `Ctrl ${name}` : name;
    if (event.altKey) return;
    const both = pending === '' ? key : `${pending} ${key}`;
    const found = newest(both) ?? newest(key);
    pending = found === undefined && all.some(({ keys }) => keys?.startsWith(`${key} `)) ? key : '';
    if (found === undefined) return;
    event.preventDefault();
    found.run();
  };
  window.addEventListener('keydown', onKey);
  return () => window.removeEventListener('keydown', onKey);
}

function newest(keys: string): Command | undefined {
  return all.findLast((command) => command.keys === keys);
}

/**
 * In a field or a dialog, keys are not commands. Only the palette can be opened from a field too. A dialog has the keys also
 * if its focused button was disabled, and nothing has the focus.
 */
function isTyping({ target, key, ctrlKey, metaKey }: KeyboardEvent): boolean {
  if (document.querySelector('dialog[open]') !== null) return true;
  if ((ctrlKey || metaKey) && key === 'k') return false;
  if (!(target instanceof HTMLElement)) return false;
  // It presses what has the focus.
  if (key === ' ' && target.closest('button, summary') !== null) return true;
  return target.closest('input:not([type="range"]), textarea, select, [contenteditable]') !== null;
}

function changed(): void {
  all = [...groups].flat();
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
