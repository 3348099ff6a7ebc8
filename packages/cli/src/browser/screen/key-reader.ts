/** Makes keys of what the terminal sends, which may arrive in pieces. */
import { StringDecoder } from 'node:string_decoder';
import { type ControlKeys, type Key, keysIn } from '../../terminal-host/overlay/keys.ts';

/** The rest of a sequence arrives within this time; otherwise the user pressed Esc. */
const REST_MS = 30;

const CONTROLS: ControlKeys = {
  '\r': 'enter',
  '\n': 'enter',
  '\t': 'tab',
  '\x1b': 'escape',
  '\x7f': 'backspace',
  '\b': 'backspace',
  '\x02': 'page-up',
  '\x03': 'ctrl-c',
  '\x04': 'ctrl-d',
  '\x06': 'page-down',
  '\x0c': 'ctrl-l',
  '\x0e': 'down',
  '\x10': 'up',
  '\x12': 'ctrl-r',
  '\x15': 'ctrl-u',
  '\x1a': 'ctrl-z',
};

export class KeyReader {
  readonly #onKey: (key: Key) => void;
  readonly #decoder = new StringDecoder('utf8');
  #pending = '';
  #timer: NodeJS.Timeout | undefined;

  constructor(onKey: (key: Key) => void) {
    this.#onKey = onKey;
  }

  read(bytes: Buffer): void {
    clearTimeout(this.#timer);
    const text = this.#pending + this.#decoder.write(bytes);
    const start = /\x1b(?:[[O][\d;:?<]*)?$/.exec(text)?.index ?? text.length;
    this.#take(text.slice(0, start));
    this.#pending = text.slice(start);
    if (this.#pending === '') return;
    this.#timer = setTimeout(() => {
      const rest = this.#pending;
      this.#pending = '';
      this.#take(rest);
    }, REST_MS);
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  #take(text: string): void {
    for (const key of keysIn(text, CONTROLS).keys) this.#onKey(key);
  }
}
