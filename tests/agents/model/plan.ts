/** What a scripted model does, and what it saw. Plain data: it goes to another process as JSON. */

export interface PlannedCall {
  /** As the agent calls the tool. */
  readonly name: string;
  /** Arguments; a string is for tools that take free text (OpenAI's custom tools). */
  readonly input: Readonly<Record<string, unknown>> | string;
}

/** One answer of the model. */
export interface Step {
  /** Made at once, as far as the agent makes calls at once. None: the model is done and says `text`. */
  readonly calls?: readonly PlannedCall[];
  readonly text?: string;
  /**
   * A shell command that runs in the project before the model answers: what a person does between two calls. Everything
   * that came of the calls before has happened by then, the agent's hooks included.
   */
  readonly meanwhile?: string;
}

/** What the model does in one conversation. The last step is said again and again. */
export interface Script {
  /** The conversation whose first message of the user has this in it; '' is any other. */
  readonly marker: string;
  readonly steps: readonly Step[];
}

export type Plan = readonly Script[];

/** What came of a call, as the model was told. */
export interface ToolResult {
  readonly call: string;
  readonly text: string;
  readonly isError: boolean;
}

/** A request, in no protocol. */
export interface Conversation {
  readonly model: string;
  /** Names of the tools that are offered. A request without any is not about the work (titles, summaries, routing). */
  readonly tools: readonly string[];
  /** Of the whole conversation so far. */
  readonly results: readonly ToolResult[];
  readonly firstUserText: string;
  /** Everything that the model can read, for tests of what an agent is told. */
  readonly allText: string;
  readonly streams: boolean;
}

/** A request about the work, and what was answered. */
export interface Seen extends Conversation {
  readonly protocol: string;
  readonly marker: string;
  /** From 0. */
  readonly step: number;
}

/** A line of a stream of server-sent events; `name` may be null. */
export interface SentEvent {
  readonly name: string | null;
  readonly data: unknown;
}

/** One way to talk to a model over HTTP. */
export interface Protocol {
  readonly name: string;
  /** @param path of the URL, without the query */
  readonly matches: (path: string) => boolean;
  readonly read: (body: Record<string, unknown>, path: string) => Conversation;
  /** @param number of the answer, from 1: ids are made of it */
  readonly whole: (step: Step, conversation: Conversation, number: number) => unknown;
  readonly stream: (step: Step, conversation: Conversation, number: number) => readonly SentEvent[];
}
