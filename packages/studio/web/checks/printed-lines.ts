/** What checks print while they run. Only what shows it is drawn again when more comes. */
import { useState } from 'react';
import type { OutputLine } from '../api/call.ts';

export interface Printed {
  /** The check that printed last. */
  readonly check: string;
  /** The end of what all checks have printed. It may contain anything. */
  readonly text: string;
}

const MOST_CHARACTERS = 20_000;
/** A check can print faster than a page can be drawn. */
const TOGETHER_MS = 100;

export class PrintedLines {
  #latest: Printed | null = null;
  #shown: Printed | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #listeners = new Set<() => void>();

  /** Null: nothing yet. */
  readonly shown = (): Printed | null => this.#shown;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly add = ({ check, text }: OutputLine): void => {
    this.#latest = { check, text: `${this.#latest?.text ?? ''}${text}`.slice(-MOST_CHARACTERS) };
    this.#timer ??= setTimeout(() => this.#show(), TOGETHER_MS);
  };

  readonly clear = (): void => {
    this.#latest = null;
    this.#show();
  };

  #show(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#shown = this.#latest;
    for (const listener of this.#listeners) listener();
  }
}

export function usePrintedLines(): PrintedLines {
  return useState(() => new PrintedLines())[0];
}
