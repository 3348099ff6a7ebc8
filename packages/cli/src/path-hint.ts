/** Tells users who gave a path where a checkpoint is expected that paths follow `--`. */
import { SavepointError } from '@savepoint/core';
import { meantCheckpoint, shellWord } from '@savepoint/core/frontend';

/**
 * Runs a call that takes the name of a checkpoint.
 * @param example builds the command line with the given path after `--`
 */
export async function withPathHint<T>(call: () => Promise<T>, example: (path: string) => string): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof SavepointError) || error.code !== 'BAD_ID') throw error;
    const { given } = error.data as { readonly given: string };
    if (meantCheckpoint(given) !== null) throw error;
    const hint = `Paths go after --: \`${example(shellWord(given))}\`.\n${error.hint}`;
    throw new SavepointError('BAD_ID', error.message, { given }, { hint, cause: error });
  }
}
