/** The error for a request that cannot be applied. It lists all problems at once. */

import { SavepointError } from '../model/errors.ts';
import type { FileProblem } from './prepare-edits.ts';
import { statusToJson } from './status-json.ts';

const MAX_MESSAGES = 3;

/** Returns a CONFLICT if all problems are files that changed since the caller read them, else EDITS_REFUSED. */
export function editsRefusedError(problems: readonly FileProblem[], files: number): SavepointError {
  const details = problems.map(({ given, code, message, statuses }) => ({
    file_path: given,
    code,
    message,
    edit_status: statuses.map(statusToJson),
  }));
  const messages = problems
    .slice(0, MAX_MESSAGES)
    .map(({ given, message }) => `${JSON.stringify(given)}: ${message}`)
    .join(' ');
  const more = problems.length > MAX_MESSAGES ? ` And ${problems.length - MAX_MESSAGES} more.` : '';
  const code = problems.every((problem) => problem.code === 'CHANGED') ? 'CONFLICT' : 'EDITS_REFUSED';
  const paths = problems.map(({ given, message }) => ({ path: given, why: message }));
  return new SavepointError(
    code,
    `${problems.length} of ${files} ${files === 1 ? 'file' : 'files'} cannot be edited. ${messages}${more}`,
    code === 'CONFLICT' ? { paths, details } : { details },
  );
}
