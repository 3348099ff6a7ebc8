import type { PlannedCall } from './model/plan.ts';

/** Port of the scripted model. Each run has its own network, so all can use the same one. */
export const MODEL_PORT = 8899;
export const MODEL_URL = `http://127.0.0.1:${MODEL_PORT}`;

/** The folders of a run. */
export interface Surroundings {
  /** Absolute path. */
  readonly project: string;
  /** Absolute path, used by this run only. */
  readonly home: string;
}

/** An agent program: how to start it, and the names of its tools. */
export interface AgentProgram {
  /** Its name in `savepoint hook` and `savepoint install`, and its folder in `programs/`. */
  readonly name: string;
  /** @param folder as returned by `installProgram` */
  readonly command: (folder: string, prompt: string, more: readonly string[]) => readonly string[];
  readonly env: (where: Surroundings) => Readonly<Record<string, string>>;
  /** Writes the user files that it needs to run unattended. @param folder as returned by `installProgram` */
  readonly prepare: (where: Surroundings, folder: string) => void;
  readonly write: (path: string, content: string) => PlannedCall;
  readonly read: (path: string) => PlannedCall;
  /** @param path of a file that contains `old` once, on its own line, and that was read before */
  readonly edit: (path: string, old: string, now: string) => PlannedCall;
  readonly shell: (command: string) => PlannedCall;
  /** The names of these tools in its hooks. */
  readonly tools: { readonly write: string; readonly edit: string; readonly shell: string };
  /** Whether its hooks report the id that the model gave a call. */
  readonly tellsCallIds: boolean;
  /** The model that its checkpoints name, together with the number of messages; null if neither is known. */
  readonly transcriptModel: string | null;
  /** How many messages a call and its result are. */
  readonly messagesPerCall: 1 | 2;
}
