/** The response times of the last events that the daemon handled. */

const MAX_SAMPLES = 1_000;

export class ResponseTimes {
  readonly #last: number[] = [];
  #count = 0;

  get count(): number {
    return this.#count;
  }

  add(milliseconds: number): void {
    this.#last[this.#count % MAX_SAMPLES] = milliseconds;
    this.#count += 1;
  }

  /** Returns the median in milliseconds, to a tenth; null before the first event. */
  median(): number | null {
    const middle = this.#last.toSorted((a, b) => a - b)[this.#last.length >> 1];
    return middle === undefined ? null : Math.round(middle * 10) / 10;
  }
}
