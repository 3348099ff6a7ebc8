/** The answer of a hook, independent of the agent's protocol. */
export type Answer =
  | { readonly kind: 'nothing' }
  /** Block the call; the model reads the reason. */
  | { readonly kind: 'deny'; readonly reason: string }
  /** Information for the model. */
  | { readonly kind: 'context'; readonly text: string };

export const NOTHING: Answer = { kind: 'nothing' };

/** The output and the exit status of a hook's process. */
export interface Reply {
  readonly stdout: string;
  readonly stderr: string;
  readonly exit: number;
}

export const SILENCE: Reply = { stdout: '', stderr: '', exit: 0 };

export function jsonReply(answer: unknown): Reply {
  return { ...SILENCE, stdout: `${JSON.stringify(answer)}\n` };
}
