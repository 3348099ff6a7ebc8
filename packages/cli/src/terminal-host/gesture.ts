/**
 * Finds two presses of a key in what the user types. Everything passes unchanged and at once, except the second press: it
 * is held for a moment, because it may be the start of a sequence (Alt with a cursor key). Then it is swallowed.
 */
import type { KeyName } from './gesture-keys.ts';
import { keyEventIn, twoPressesIn } from './key-press.ts';
import { PasteDetector } from './paste-detector.ts';

export interface GestureHost {
  readonly pass: (bytes: Buffer) => void;
  readonly open: () => void;
}

/** Within this time, a terminal has sent the rest of a sequence. */
const REST_MS = 30;
/** People do not press a key this soon after other input. A part of a paste may come so soon. */
const QUIET_MS = 5;
/** The mouse, the focus: not typed. */
const NOT_TYPED = /^(?:\x1b\[(?:<[\d;]+[Mm]|M[\s\S]{3}|[IO]))+$/;

export class Gesture {
  readonly #key: KeyName;
  readonly #withinMs: number;
  readonly #host: GestureHost;
  readonly #pastes = new PasteDetector();
  #pressedAt: number | null = null;
  #lastInput = Number.NEGATIVE_INFINITY;
  #held: { readonly bytes: Buffer; readonly timer: NodeJS.Timeout } | null = null;

  constructor(key: KeyName, withinMs: number, host: GestureHost) {
    this.#key = key;
    this.#withinMs = withinMs;
    this.#host = host;
  }

  receive(bytes: Buffer): void {
    if (this.#held !== null) {
      const { bytes: held, timer } = this.#held;
      clearTimeout(timer);
      this.#held = null;
      this.#pass(Buffer.concat([held, bytes]));
      return;
    }
    const wasPasting = this.#pastes.isPasting;
    this.#pastes.follow(bytes);
    if (wasPasting || this.#pastes.isPasting) {
      this.#pass(bytes);
      return;
    }
    const two = twoPressesIn(bytes, this.#key);
    if (two !== null) {
      this.#pass(two[0]);
      this.#hold(two[1]);
      return;
    }
    const event = keyEventIn(bytes, this.#key);
    if (event === 'press') this.#press(bytes);
    else if (event === 'release' || NOT_TYPED.test(bytes.toString('latin1'))) this.#host.pass(bytes);
    else this.#pass(bytes);
  }

  #press(bytes: Buffer): void {
    const now = performance.now();
    if (this.#pressedAt !== null && now - this.#pressedAt <= this.#withinMs) {
      this.#hold(bytes);
      return;
    }
    const isAlone = now - this.#lastInput >= QUIET_MS;
    this.#pass(bytes);
    this.#pressedAt = isAlone ? now : null;
  }

  #pass(bytes: Buffer): void {
    this.#lastInput = performance.now();
    this.#pressedAt = null;
    this.#host.pass(bytes);
  }

  #hold(bytes: Buffer): void {
    this.#pressedAt = null;
    const timer = setTimeout(() => {
      this.#held = null;
      this.#host.open();
    }, REST_MS);
    this.#held = { bytes, timer };
  }
}
