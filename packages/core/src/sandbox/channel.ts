/** One exchange with a program in a sandbox. Both sides send lines of ASCII. */
export interface Exchange {
  /** A command line for any shell: plain words, and one word in single quotes that contains no single quote. */
  readonly line: string;
  /** Standard input. It stays open until the iterable ends. */
  readonly input: AsyncIterable<Buffer>;
  /** Milliseconds after which the exchange is cut off; null for no limit. */
  readonly timeoutMs: number | null;
  /** Cuts off the exchange. */
  readonly signal: AbortSignal;
  /** Limit for the output in bytes; the exchange is cut off beyond it. */
  readonly mostBytes: number;
}

export interface ExchangeResult {
  readonly output: Buffer;
  /** Diagnostics of the connection itself, for people; not the program's output. */
  readonly detail: string;
  /** Exit status of the program; null if the channel does not know it. */
  readonly status: number | null;
  readonly ended: 'exit' | 'timeout' | 'aborted' | 'too-much';
}

/** A connection to a sandbox. `channelSandbox` turns it into a sandbox; the channel only has to run a program. */
export interface Channel {
  readonly name: string;
  /** @throws SavepointError if the exchange cannot start */
  exchange(conversation: Exchange): Promise<ExchangeResult>;
  close(): Promise<void>;
}
