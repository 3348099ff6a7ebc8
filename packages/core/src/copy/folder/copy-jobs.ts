/** Work in the background, a few at a time. */

export class BackgroundJobs {
  readonly #running = new Set<Promise<void>>();
  #failure: { readonly error: unknown } | null = null;

  constructor(private readonly most: number) {}

  /** Starts it once few enough are running. @throws the first failure of an earlier one */
  async start(job: () => Promise<void>): Promise<void> {
    while (this.#running.size >= this.most) await Promise.race(this.#running);
    this.#throwFailure();
    const running = job()
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Waits for all of them, also if one fails. @throws the first failure */
  async finish(): Promise<void> {
    await Promise.all(this.#running);
    this.#throwFailure();
  }

  #throwFailure(): void {
    if (this.#failure !== null) throw this.#failure.error;
  }
}
