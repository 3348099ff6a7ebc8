/**
 * How to run a program in a sandbox. Its standard input is the request, its standard output the response. Both are lines
 * of ASCII.
 */
export interface Exchange {
  /** A command line that every shell reads alike: plain words, and one in single quotes that contains no single quote. */
  readonly line: string;
  /** Standard input. It stays open until the iterable ends. */
  readonly input: AsyncIterable<Buffer>;
  /** Milliseconds after which the exchange is ended; null for no limit. */
  readonly timeoutMs: number | null;
  /** Ends the exchange when it is aborted. */
  readonly signal: AbortSignal;
  /** Maximum bytes of output. If there is more, the exchange is ended. */
  readonly mostBytes: number;
}

export interface ExchangeResult {
  readonly output: Buffer;
  /** Diagnostics of the connection itself, for people; not the program's output. */
  readonly detail: string;
  /** Exit status of the program; null if the channel does not know it. */
  readonly status: number | null;
  /** Why it ended. Only `exit` means that the program ended by itself. */
  readonly ended: 'exit' | 'timeout' | 'aborted' | 'too-much';
}

/** A connection through which a program can be started in a sandbox. `channelSandbox` implements the rest with it. */
export interface Channel {
  readonly name: string;
  /** @throws SavepointError if the exchange cannot start */
  exchange(exchange: Exchange): Promise<ExchangeResult>;
  close(): Promise<void>;
}
