/** Which key opens the overlay when it is pressed twice. */
import { basename } from 'node:path';

/** `esc`, `ctrl-]`, … */
export type KeyName = string;

const DEFAULT_KEY: KeyName = 'esc';
/** Reachable with one hand, and hardly any program does anything with it. */
const OTHER_KEY: KeyName = 'ctrl-]';
/** In vi, Ctrl-] jumps to a tag. */
const KEY_IN_VI: KeyName = 'ctrl-_';

/** Programs in which people press Esc twice for something else: what for, and the key instead. */
const USES_ESC_ESC: Readonly<Record<string, readonly [reason: string, key: KeyName]>> = {
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
};

/** What the user chose. */
export interface ChosenKey {
  /** From the command line. False: none. */
  readonly key: string | false | undefined;
  /** From the settings; empty: not chosen. */
  readonly setting: string;
}

/** @returns null if no key opens it */
export function gestureKey({ key, setting }: ChosenKey, program: string): KeyName | null {
  const chosen = key === false ? 'none' : (key ?? setting);
  if (chosen === 'none') return null;
  if (chosen !== '') return chosen;
  const name = basename(program);
  return Object.hasOwn(USES_ESC_ESC, name) ? (USES_ESC_ESC[name]?.[1] ?? DEFAULT_KEY) : DEFAULT_KEY;
}

const KEY_NAME = /^(?:esc|ctrl-[a-hkln-z\]\\^_])$/;

export function isKeyName(text: string): boolean {
  return KEY_NAME.test(text);
}
