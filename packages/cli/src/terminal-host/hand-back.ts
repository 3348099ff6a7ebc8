/**
 * Puts words into the input of a program, to be edited: as a paste, which sends nothing. It waits until the program takes
 * pastes and its screen is still, because a program that has just started may drop its first input.
 */
import type { ScreenKeeper } from './screen-keeper.ts';

const START = '\x1b[200~';
const END = '\x1b[201~';
const STILL_MS = 300;
const POLL_MS = 50;
/** Then it is not a program that edits text. */
const GIVE_UP_MS = 60_000;

export class HandBack {
  readonly #keeper: ScreenKeeper;
  readonly #pass: (bytes: Buffer) => void;
  #lastOutput = performance.now();
  #timer: NodeJS.Timeout | undefined;

  constructor(keeper: ScreenKeeper, pass: (bytes: Buffer) => void) {
    this.#keeper = keeper;
    this.#pass = pass;
  }

  /** The program has written something. */
  noteOutput(): void {
    this.#lastOutput = performance.now();
  }

  begin(words: string): void {
    const text = safeWords(words);
    this.cancel();
    if (text === '') return;
    this.noteOutput();
    const end = performance.now() + GIVE_UP_MS;
    this.#timer = setInterval(() => {
      const now = performance.now();
      const isReady = this.#keeper.takesPastes && now - this.#lastOutput >= STILL_MS;
      if (!isReady && now < end) return;
      this.cancel();
      if (isReady) this.#pass(Buffer.from(`${START}${text}${END}`));
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
