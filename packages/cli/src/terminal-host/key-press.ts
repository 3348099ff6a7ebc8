/** Recognises one key in the bytes that a terminal sends for it, also in the newer protocols for keyboards. */
import type { KeyName } from './gesture-keys.ts';

export type KeyEvent = 'press' | 'release';

const ESC = 27;
const CTRL = 4;
/** Caps lock and num lock. */
const LOCKS = 64 | 128;
const REPEAT = 2;
const RELEASE = 3;

/** `ESC [ code ; modifiers : event u`, and `ESC [ 27 ; modifiers ; code ~` of xterm. */
const KITTY = /^\x1b\[(\d+)(?::\d*)*(?:;(\d*)(?::(\d+))?)?u$/;
const XTERM = /^\x1b\[27;(\d+);(\d+)~$/;

/** @returns null if the bytes are anything but one event of this key */
export function keyEventIn(bytes: Buffer, key: KeyName): KeyEvent | null {
  const { plain, code, modifiers } = encodings(key);
  if (bytes.length === 1) return bytes[0] === plain ? 'press' : null;
  const text = bytes.toString('latin1');
  const kitty = KITTY.exec(text);
  if (kitty !== null) {
    const [, found, held = '', event = '1'] = kitty;
    if (Number(found) !== code || ((Number(held || 1) - 1) & ~LOCKS) !== modifiers) return null;
    return Number(event) === RELEASE ? 'release' : Number(event) === REPEAT ? null : 'press';
  }
  const [, held, found] = XTERM.exec(text) ?? [];
  return Number(found) === code && Number(held) - 1 === modifiers ? 'press' : null;
}

/** @returns the two presses, if the bytes are exactly that */
export function twoPressesIn(bytes: Buffer, key: KeyName): readonly [Buffer, Buffer] | null {
  const half = bytes.length / 2;
  if (!Number.isInteger(half) || half === 0) return null;
  const [first, second] = [bytes.subarray(0, half), bytes.subarray(half)];
  return keyEventIn(first, key) === 'press' && keyEventIn(second, key) === 'press' ? [first, second] : null;
}

function encodings(key: KeyName): { readonly plain: number; readonly code: number; readonly modifiers: number } {
  if (key === 'esc') return { plain: ESC, code: ESC, modifiers: 0 };
  const code = key.charCodeAt('ctrl-'.length);
  return { plain: code & 31, code, modifiers: CTRL };
}
