import type { SavepointError } from '@savepoint/core';
import { failureText } from '@savepoint/core/tools';

/**
 * Thrown by a tool, because the SDK reports a call that throws to the model as failed. The model reads the message: the
 * complete error as JSON.
 */
export class ToolFailure extends Error {
  override readonly name = 'ToolFailure';

  constructor(readonly failure: SavepointError) {
    super(failureText(failure), { cause: failure });
  }

  /** Version 7 of the SDK passes this to the model, version 6 the message. Both must be the same JSON. */
  override toString(): string {
    return this.message;
  }
}
