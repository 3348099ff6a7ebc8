/** What a scripted model does, and what it saw. Plain data, because it is sent to another process as JSON. */

export interface PlannedCall {
  /** The agent's name of the tool. */
  readonly name: string;
  /** Arguments, or a string for tools that take free text (OpenAI's custom tools). */
  readonly input: Readonly<Record<string, unknown>> | string;
}

/** One answer of the model. */
export interface Step {
  /** Parallel calls, as far as the agent runs calls in parallel. Without any, the model is done and says `text`. */
  readonly calls?: readonly PlannedCall[];
  readonly text?: string;
  /**
   * A shell command that runs in the project before the model answers: what a user does between two calls. The earlier
   * calls and the agent's hooks have finished by then.
   */
  readonly meanwhile?: string;
}

/** What the model does in one conversation. The last step repeats. */
export interface Script {
  /** Selects the conversation whose first user message contains this text; '' matches any other conversation. */
  readonly marker: string;
  /** The newest prompt must begin with the marker instead, and the steps are those of the answer to this prompt. */
  readonly isForPrompt?: boolean;
  readonly steps: readonly Step[];
  /** Somebody else decides each step when the model needs it; `steps` is empty. */
  readonly asks?: Asking;
}

/**
 * For each step, the model creates the file `PREFIX.N.at` and waits for `PREFIX.N.go`, which contains the step. `N` is
 * the number of results in the conversation.
 */
export interface Asking {
  /** Absolute path without the end of the name. */
  readonly prefix: string;
}

export type Plan = readonly Script[];

/** The result of a call, as the model received it. */
export interface ToolResult {
  readonly call: string;
  readonly text: string;
  readonly isError: boolean;
}

export interface UserText {
  readonly text: string;
  /** The number of results before it in the conversation. */
  readonly results: number;
}

/** A request, independent of the protocol. */
export interface Conversation {
  readonly model: string;
  /** Names of the offered tools. A request without tools is not about the work (titles, summaries, routing). */
  readonly tools: readonly string[];
  /** All results of the conversation so far. */
  readonly results: readonly ToolResult[];
  readonly firstUserText: string;
  /** In order, with what the program adds to them. */
  readonly userTexts: readonly UserText[];
  /** Everything that the model can read, for tests of what an agent receives. */
  readonly allText: string;
  readonly streams: boolean;
}

/** A request about the work, and the step with which it was answered. */
export interface Seen extends Conversation {
  readonly protocol: string;
  readonly marker: string;
  /** From 0. */
  readonly step: number;
}

/** One server-sent event; `name` may be null. */
export interface SentEvent {
  readonly name: string | null;
  readonly data: unknown;
}

/** A protocol for talking to a model over HTTP. */
export interface Protocol {
  readonly name: string;
  /** @param path of the URL, without the query */
  readonly matches: (path: string) => boolean;
  readonly read: (body: Record<string, unknown>, path: string) => Conversation;
  /** @param number of the answer, from 1; ids are derived from it */
  readonly whole: (step: Step, conversation: Conversation, number: number) => unknown;
  readonly stream: (step: Step, conversation: Conversation, number: number) => readonly SentEvent[];
}
