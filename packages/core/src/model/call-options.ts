/** The options that every long-running call accepts. */
export interface CallOptions {
  /** Cancels the work before its commit point. The call then fails with CANCELLED and nothing has changed. */
  readonly signal?: AbortSignal;
  /**
   * The agent's id of the tool call that this call is part of. It is stored with the checkpoint. If the agent did not
   * send an id, its tool and its arguments identify the call.
   */
  readonly toolCall?: string | { readonly tool: string; readonly args: unknown };
  /** Allows a user's own operation to change frozen paths. An agent's operation may not, even with this option. */
  readonly force?: boolean;
}
