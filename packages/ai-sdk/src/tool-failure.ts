import type { SavepointError } from '@savepoint/core';
import { failureText } from '@savepoint/core/tools';

/**
 * Thrown by a tool, for the SDK tells a model of a call that threw as a failed one. Its message is what the model reads:
 * the error as JSON, with everything that is wrong.
 */
export class ToolFailure extends Error {
  override readonly name = 'ToolFailure';

  constructor(readonly failure: SavepointError) {
    super(failureText(failure), { cause: failure });
  }

  /** Version 7 gives the model this, version 6 the message: both are to be the same JSON. */
  override toString(): string {
    return this.message;
  }
}
