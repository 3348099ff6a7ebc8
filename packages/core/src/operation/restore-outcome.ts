/** What a restore did, for callers that go back in a conversation, too. */

import type { SavepointError } from '../model/errors.ts';

/** What a restore brought back. */
export interface RestoreOutcome {
  /** Whether files were restored: those of `plan`, and all others were already so, except what `plan` keeps. */
  readonly restored: boolean;
  /** Whether the session's position in its conversation went back, too. */
  readonly conversationRewound: boolean;
  /** Why the conversation did not go back although the files did. A restore that fails as a whole throws instead. */
  readonly error: SavepointError | null;
}
