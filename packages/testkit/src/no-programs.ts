import { SavepointError } from '@savepoint/core';
import type { Programs } from '@savepoint/core/ports';

/** A machine without any programs. Each run fails as if the program were missing. */
export const noPrograms: Programs = {
  run: ({ file }) => Promise.reject(notFound(file)),
  hold: ({ file }) => Promise.reject(notFound(file)),
};

function notFound(file: string): SavepointError {
  const data = { path: file, operation: 'run', code: 'ENOENT' };
  return new SavepointError('IO', `There is no program ${JSON.stringify(file)} here.`, data);
}
