/**
 * Puts words into the input of a program, to be edited: as a paste, which sends nothing. It waits until the program takes
 * pastes and its screen is still, because a program that has just started may drop its first input.
 */
import type { ScreenKeeper } from './screen-keeper.ts';

const START = '\x1b[200~';
const END = '\x1b[201~';
const STILL_MS = 1_000;
const POLL_MS = 50;
/** Then a program whose screen is never still gets them, and one that takes no pastes does not. */
const GIVE_UP_MS = 60_000;

export class HandBack {
  readonly #keeper: ScreenKeeper;
  readonly #pass: (bytes: Buffer) => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(keeper: ScreenKeeper, pass: (bytes: Buffer) => void) {
    this.#keeper = keeper;
    this.#pass = pass;
  }

  begin(words: string): void {
    const text = safeWords(words);
    this.cancel();
    if (text === '') return;
    let [screen, since] = ['', performance.now()];
    const end = since + GIVE_UP_MS;
    this.#timer = setInterval(() => {
      const now = performance.now();
      // Some programs write all the time, and change nothing.
      const drawn = this.#keeper.drawn();
      if (drawn !== screen) [screen, since] = [drawn, now];
      const isReady = this.#keeper.takesPastes && now - since >= STILL_MS;
      if (!isReady && now < end) return;
      this.cancel();
      if (this.#keeper.takesPastes) this.#pass(Buffer.from(`${START}${text}${END}`));
    }, POLL_MS);
  }

  cancel(): void {
    clearInterval(this.#timer);
  }
}

/** Words come from a transcript. A control character could end the paste, or be a key. */
function safeWords(words: string): string {
  const isText = (character: string): boolean => character === '\n' || character === '\t' || !/\p{Cc}/u.test(character);
  return [...words.replaceAll('\r\n', '\n')].filter(isText).join('');
}
