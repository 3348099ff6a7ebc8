import { SavepointError } from '../../model/errors.ts';

/** Returns null if the folder has no checkpoints yet. A folder that does not exist is still an error. */
export async function nullIfNoWorkspace<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof SavepointError && error.code === 'NO_WORKSPACE' && error.data.exists === true) return null;
    throw error;
  }
}
