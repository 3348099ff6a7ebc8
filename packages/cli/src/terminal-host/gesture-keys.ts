/** Which key opens the overlay when it is pressed twice. */
import { basename } from 'node:path';

/** `esc`, `ctrl-]`, … */
export type KeyName = string;

const DEFAULT_KEY: KeyName = 'esc';
/** Reachable with one hand, and hardly any program uses it twice in a row. */
const OTHER_KEY: KeyName = 'ctrl-]';

/** Programs in which people press Esc twice for something else. */
const USES_ESC_ESC: Readonly<Record<string, string>> = {
  claude: 'goes back to an earlier message, and clears the input',
  codex: 'edits the previous message',
  gemini: 'clears the input, and opens its own list of earlier states',
  copilot: 'goes back to an earlier message',
  opencode: 'interrupts the agent',
  vi: 'people press Esc until they are in command mode',
  vim: 'as in vi',
  nvim: 'as in vi',
  view: 'as in vi',
  emacs: 'Esc Esc Esc leaves whatever is open',
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
  return Object.hasOwn(USES_ESC_ESC, basename(program)) ? OTHER_KEY : DEFAULT_KEY;
}

const KEY_NAME = /^(?:esc|ctrl-[a-hkln-z\]\\^_])$/;

export function isKeyName(text: string): boolean {
  return KEY_NAME.test(text);
}
