/** What a key means: a change of the state, or a command. */
import type { Key } from '../terminal-host/overlay/keys.ts';
import { type State, TABS } from './model.ts';
import type { Action } from './reduce.ts';

/** What a key starts that is more than a change of the state. */
export type Command =
  | 'quit'
  | 'suspend'
  | 'redraw'
  | 'refresh'
  | 'help'
  | 'create'
  | 'restore'
  | 'rollback'
  | 'pin'
  | 'undo'
  | 'redo';

export type Meaning = { readonly action: Action } | { readonly command: Command } | null;

export function meaningOf(key: Key, state: State): Meaning {
  if (key === 'ctrl-c') return { command: 'quit' };
  if (key === 'ctrl-z') return { command: 'suspend' };
  if (state.typed !== null) return typing(key, state.typed.purpose);
  const action = ACTIONS[nameOf(key)] ?? (state.focus === 'diff' ? IN_DIFF : IN_LIST)[nameOf(key)];
  if (action !== undefined) return { action };
  const command = COMMANDS[nameOf(key)];
  return command === undefined ? null : { command };
}

function nameOf(key: Key): string {
  return typeof key === 'string' ? key : key.text;
}

function typing(key: Key, purpose: 'filter' | 'checkpoint'): Meaning {
  if (typeof key !== 'string') return { action: { type: 'type', text: key.text } };
  switch (key) {
    case 'enter':
      return purpose === 'checkpoint' ? { command: 'create' } : { action: { type: 'end-typing' } };
    case 'escape':
      return { action: { type: 'cancel-typing' } };
    case 'backspace':
      return { action: { type: 'erase' } };
    case 'up':
      return { action: { type: 'move', by: -1 } };
    case 'down':
      return { action: { type: 'move', by: 1 } };
    default:
      return null;
  }
}

const ACTIONS: Readonly<Record<string, Action>> = {
  j: { type: 'move', by: 1 },
  down: { type: 'move', by: 1 },
  k: { type: 'move', by: -1 },
  up: { type: 'move', by: -1 },
  g: { type: 'move', by: 'first' },
  home: { type: 'move', by: 'first' },
  G: { type: 'move', by: 'last' },
  end: { type: 'move', by: 'last' },
  'ctrl-d': { type: 'move', by: 'half-down' },
  'ctrl-u': { type: 'move', by: 'half-up' },
  'page-down': { type: 'move', by: 'page-down' },
  'page-up': { type: 'move', by: 'page-up' },
  J: { type: 'scroll-diff', by: 3 },
  K: { type: 'scroll-diff', by: -3 },
  n: { type: 'jump', to: 'file', by: 1 },
  N: { type: 'jump', to: 'file', by: -1 },
  ']': { type: 'jump', to: 'hunk', by: 1 },
  '[': { type: 'jump', to: 'hunk', by: -1 },
  z: { type: 'fold-all' },
  m: { type: 'mark' },
  tab: { type: 'switch' },
  'back-tab': { type: 'switch' },
  escape: { type: 'back' },
  '/': { type: 'ask', purpose: 'filter' },
  c: { type: 'ask', purpose: 'checkpoint' },
  ...Object.fromEntries(TABS.map((tab, index) => [String(index + 1), { type: 'tab', tab } as const])),
};

const IN_LIST: Readonly<Record<string, Action>> = {
  enter: { type: 'focus', on: 'diff' },
  l: { type: 'focus', on: 'diff' },
  right: { type: 'focus', on: 'diff' },
  ' ': { type: 'scroll-diff', by: 10 },
};

const IN_DIFF: Readonly<Record<string, Action>> = {
  enter: { type: 'fold' },
  ' ': { type: 'fold' },
  h: { type: 'focus', on: 'list' },
  right: { type: 'sideways', by: 1 },
  left: { type: 'sideways', by: -1 },
};

const COMMANDS: Readonly<Record<string, Command>> = {
  q: 'quit',
  '?': 'help',
  r: 'restore',
  b: 'rollback',
  p: 'pin',
  u: 'undo',
  'ctrl-r': 'redo',
  U: 'redo',
  'ctrl-l': 'redraw',
  R: 'refresh',
};
