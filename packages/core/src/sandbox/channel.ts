/** One conversation with a program in a sandbox; both sides speak lines of ASCII. */
export interface Exchange {
  /** A line for a shell of the sandbox, whichever that is: words, and one in single quotes without quotes in it. */
  readonly line: string;
  /** Held open until its end. */
  readonly input: AsyncIterable<Buffer>;
  /** After so many milliseconds the conversation is cut off. */
  readonly timeoutMs: number | null;
  /** Cuts it off. */
  readonly signal: AbortSignal;
  /** Of the output; more is cut off. */
  readonly mostBytes: number;
}

export interface ExchangeResult {
  readonly output: Buffer;
  /** What the way to the sandbox says about itself, for people; not what the program says. */
  readonly detail: string;
  /** Of the program, where the channel knows it. */
  readonly status: number | null;
  readonly ended: 'exit' | 'timeout' | 'aborted' | 'too-much';
}

/** A way to a sandbox. With one of these, `channelSandbox` makes a sandbox of anything that can run a program. */
export interface Channel {
  readonly name: string;
  /** @throws SavepointError when the conversation cannot begin */
  exchange(conversation: Exchange): Promise<ExchangeResult>;
  close(): Promise<void>;
}
