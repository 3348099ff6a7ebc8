/** Which key opens the overlay when it is pressed twice. */
import { basename } from 'node:path';

/** `esc`, `ctrl-]`, … */
export type KeyName = string;

const DEFAULT_KEY: KeyName = 'esc';
/** Reachable with one hand, and hardly any program does anything with it. */
const OTHER_KEY: KeyName = 'ctrl-]';
/** In vi, Ctrl-] jumps to a tag. */
const KEY_IN_VI: KeyName = 'ctrl-_';
/** Line editors ignore it. Esc would wait for the next key there, and take it for one with Alt. */
const KEY_IN_LINE_EDITORS: KeyName = 'ctrl-^';
const LINE_EDITOR = ['Esc makes the next key one with Alt', KEY_IN_LINE_EDITORS] as const;

/** Programs in which Esc is for something else: what for, and the key instead. */
const USES_ESC: Readonly<Record<string, readonly [reason: string, key: KeyName]>> = {
  claude: ['goes back to an earlier message, and clears the input', OTHER_KEY],
  codex: ['edits the previous message', OTHER_KEY],
  gemini: ['clears the input, and opens its own list of earlier states', OTHER_KEY],
  copilot: ['goes back to an earlier message', OTHER_KEY],
  opencode: ['interrupts the agent', OTHER_KEY],
  vi: ['people press Esc until they are in command mode', KEY_IN_VI],
  vim: ['as in vi', KEY_IN_VI],
  nvim: ['as in vi', KEY_IN_VI],
  view: ['as in vi', KEY_IN_VI],
  emacs: ['Esc Esc Esc leaves whatever is open', OTHER_KEY],
  psql: LINE_EDITOR,
  sqlite: LINE_EDITOR,
};

/** Shells and interpreters. With a script, it is not known what the keys do. */
const EDITS_LINES_WITHOUT_SCRIPT: ReadonlySet<string> = new Set(['bash', 'zsh', 'fish', 'python', 'node', 'irb']);

/** What the user chose. */
export interface ChosenKey {
  /** From the command line. False: none. */
  readonly key: string | false | undefined;
  /** From the settings; empty: not chosen. */
  readonly setting: string;
}

/** @returns null if no key opens it */
export function gestureKey({ key, setting }: ChosenKey, program: string, args: readonly string[]): KeyName | null {
  const chosen = key === false ? 'none' : (key ?? setting);
  if (chosen === 'none') return null;
  if (chosen !== '') return chosen;
  // `python3.12`, `sqlite3`
  const name = basename(program).replace(/[\d.]+$/, '');
  if (EDITS_LINES_WITHOUT_SCRIPT.has(name) && args.every((arg) => arg.startsWith('-'))) return KEY_IN_LINE_EDITORS;
  return Object.hasOwn(USES_ESC, name) ? (USES_ESC[name]?.[1] ?? DEFAULT_KEY) : DEFAULT_KEY;
}

const KEY_NAME = /^(?:esc|ctrl-[a-hkln-z\]\\^_])$/;

export function isKeyName(text: string): boolean {
  return KEY_NAME.test(text);
}
