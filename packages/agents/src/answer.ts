/** The answer of a hook, independent of the agent's protocol. */
export type HookAnswer =
  | { readonly kind: 'nothing' }
  /** Block the call; the model reads the reason. */
  | { readonly kind: 'deny'; readonly reason: string }
  /** Information for the model. */
  | { readonly kind: 'context'; readonly text: string }
  /** The turn does not end: the model reads the reason and goes on. */
  | { readonly kind: 'continue'; readonly reason: string }
  /** Work must be done that takes longer than this process may: another one must handle the event again. */
  | { readonly kind: 'elsewhere' }
  /** The prompt was a command and is done: the user reads the text, and the model gets nothing. */
  | { readonly kind: 'answered'; readonly text: string };

export const NO_ANSWER: HookAnswer = { kind: 'nothing' };

/** The output and the exit status of a hook's process. */
export interface HookReply {
  readonly stdout: string;
  readonly stderr: string;
  readonly exit: number;
  /** Another process, which may take longer, must handle the event again. */
  readonly isElsewhere?: true;
}

export const EMPTY_REPLY: HookReply = { stdout: '', stderr: '', exit: 0 };

export function jsonReply(answer: unknown): HookReply {
  return { ...EMPTY_REPLY, stdout: `${JSON.stringify(answer)}\n` };
}
