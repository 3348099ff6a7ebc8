/**
 * Puts words into the input of a program, to be edited: as a paste, which sends nothing. It waits until the program takes
 * pastes and its screen is still, because a program that has just started may drop its first input.
 */
import type { ScreenKeeper } from './screen-keeper.ts';

const START = '\x1b[200~';
const END = '\x1b[201~';
const STILL_MS = 1_000;
const POLL_MS = 50;
/** After it takes pastes. Then a program whose screen is never still gets them as well. */
const GIVE_UP_MS = 60_000;

export class HandBack {
  readonly #keeper: ScreenKeeper;
  readonly #pass: (bytes: Buffer) => void;
  #timer: NodeJS.Timeout | undefined;
  #waiting: string | null = null;

  constructor(keeper: ScreenKeeper, pass: (bytes: Buffer) => void) {
    this.#keeper = keeper;
    this.#pass = pass;
  }

  /** The words that no program has taken yet. */
  get left(): string | null {
    return this.#waiting;
  }

  begin(words: string): void {
    const text = safeWords(words);
    this.cancel();
    if (text === '') return;
    this.#waiting = text;
    let [screen, since, end] = ['', performance.now(), Number.POSITIVE_INFINITY];
    this.#timer = setInterval(() => {
      if (!this.#keeper.takesPastes) return;
      const now = performance.now();
      // Some programs write all the time, and change nothing.
      const drawn = this.#keeper.drawn();
      if (drawn !== screen) [screen, since] = [drawn, now];
      end = Math.min(end, now + GIVE_UP_MS);
      // Some prepare the terminal seconds before they have an input to draw, and drop what comes until then.
      const isReady = !this.#keeper.isBlank && now - since >= STILL_MS;
      if (!isReady && now < end) return;
      this.cancel();
      this.#waiting = null;
      this.#pass(Buffer.from(`${START}${text}${END}`));
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
