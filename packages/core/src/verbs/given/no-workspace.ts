import { SavepointError } from '../../model/errors.ts';

/** Null where the folder has no checkpoints yet, for verbs that have an answer to that. A folder that is not there is an error. */
export async function orNone<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof SavepointError && error.code === 'NO_WORKSPACE' && error.data.exists === true) return null;
    throw error;
  }
}
