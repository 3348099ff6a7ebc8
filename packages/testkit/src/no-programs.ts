import { SavepointError } from '@savepoint/core';
import type { Programs } from '@savepoint/core/ports';

/** A machine without any program: each run fails as it does where a program is missing. */
export const noPrograms: Programs = {
  run({ file }) {
    const data = { path: file, operation: 'run', code: 'ENOENT' };
    return Promise.reject(new SavepointError('IO', `There is no program ${JSON.stringify(file)} here.`, data));
  },
};
