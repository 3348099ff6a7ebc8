/** What a hook says to its agent, in one language. */
export type Answer =
  | { readonly kind: 'nothing' }
  /** The call is not to be carried out; the model reads why. */
  | { readonly kind: 'deny'; readonly reason: string }
  /** For the model to know. */
  | { readonly kind: 'context'; readonly text: string };

export const NOTHING: Answer = { kind: 'nothing' };

/** What the process of a hook ends with. */
export interface Reply {
  readonly stdout: string;
  readonly stderr: string;
  readonly exit: number;
}

export const SILENCE: Reply = { stdout: '', stderr: '', exit: 0 };

export function jsonReply(answer: unknown): Reply {
  return { ...SILENCE, stdout: `${JSON.stringify(answer)}\n` };
}
