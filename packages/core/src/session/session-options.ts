import type { ProcessIdentity } from '../io/ports.ts';
import type { Actor } from '../model/checkpoint.ts';

/** The agent and id of a session. */
export interface SessionOptions {
  /** The agent of the session; a string is the name of an agent. A known agent gets its canonical name. */
  readonly agent: string | Actor;
  /** The agent's own id of the session. Default: a new id. */
  readonly id?: string;
  /** False: calls run, but nothing is captured. If there is a store, it only knows that they ran. Default true. */
  readonly track?: boolean;
  /**
   * The process that reports the session's events, and its ancestors, nearest first, by which the agent's process is
   * found. When that is gone, its open calls have ended. Default: this process is the agent.
   */
  readonly ancestors?: readonly ProcessIdentity[];
}
