import type { PlannedCall } from './model/plan.ts';

/** Where the scripted model listens, in every network of its own. */
export const MODEL_PORT = 8899;
export const MODEL_URL = `http://127.0.0.1:${MODEL_PORT}`;

/** Where a run takes place. */
export interface Surroundings {
  /** Absolute. */
  readonly project: string;
  /** Absolute, and the run's own. */
  readonly home: string;
}

/** An agent program: how it is started, and what its tools are called. */
export interface AgentProgram {
  /** As `savepoint hook` and `savepoint install` call it; also its folder in `programs/`. */
  readonly name: string;
  /** @param folder as `installProgram` gave it */
  readonly command: (folder: string, prompt: string, more: readonly string[]) => readonly string[];
  readonly env: (where: Surroundings) => Readonly<Record<string, string>>;
  /** Files of its user that it wants before it works without a person. @param folder as `installProgram` gave it */
  readonly prepare: (where: Surroundings, folder: string) => void;
  readonly write: (path: string, content: string) => PlannedCall;
  readonly read: (path: string) => PlannedCall;
  /** @param path of a file that has `old` once, on a line of its own, and was read before */
  readonly edit: (path: string, old: string, now: string) => PlannedCall;
  readonly shell: (command: string) => PlannedCall;
  /** What its hooks call these tools. */
  readonly tools: { readonly write: string; readonly edit: string; readonly shell: string };
  /** Whether its hooks tell the id that the model gave a call. */
  readonly tellsCallIds: boolean;
}
