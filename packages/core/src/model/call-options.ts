/** What every call that takes time accepts. */
export interface CallOptions {
  /** Stops the work before its commit point: CANCELLED, nothing changed. */
  readonly signal?: AbortSignal;
  /** The id that an agent gave the call which this is part of; kept with the checkpoint. */
  readonly toolCall?: string;
  /** A person's own act may change what is frozen. An agent's may not, whatever it says. */
  readonly force?: boolean;
}
