/** Whether an emulator is between two characters and sequences. Its interface does not say so, but its pinned version does. */
import type { Terminal } from '@xterm/headless';

const GROUND = 0;

interface Internals {
  readonly _core?: {
    readonly _inputHandler?: {
      readonly _parser?: { readonly currentState?: unknown };
      readonly _utf8Decoder?: { readonly interim?: ArrayLike<number> };
    };
  };
}

export function isBetweenSequences(terminal: Terminal): boolean {
  const input = (terminal as unknown as Internals)._core?._inputHandler;
  return input?._parser?.currentState === GROUND && input._utf8Decoder?.interim?.[0] === 0;
}
