/** Whether any page is open: its requests, among them the stream of events that it keeps open. */

export class Activity {
  readonly #idleMs: number;
  readonly #becomesIdle: () => void;
  #open = 0;
  #isStopped = false;
  #timer: NodeJS.Timeout | null = null;

  /** @param becomesIdle called once no page has been open for that long */
  constructor(idleMs: number, becomesIdle: () => void) {
    this.#idleMs = idleMs;
    this.#becomesIdle = becomesIdle;
    this.#wait();
  }

  /** @returns ends the request */
  begin(): () => void {
    this.#open += 1;
    this.#clear();
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      this.#open -= 1;
      if (this.#open === 0) this.#wait();
    };
  }

  /** The server ends, so it does not matter any more. Requests may still be open. */
  stop(): void {
    this.#isStopped = true;
    this.#clear();
  }

  #clear(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #wait(): void {
    this.#clear();
    if (this.#isStopped) return;
    this.#timer = setTimeout(this.#becomesIdle, this.#idleMs);
  }
}
