/** The error for a request that cannot be applied. It lists all problems at once. */

import { SavepointError } from '../model/errors.ts';
import type { JsonName } from '../model/names.ts';
import type { FileProblem } from './prepare-edits.ts';
import { type EditStatusJson, statusToJson } from './status-json.ts';

const MAX_MESSAGES = 3;

/** One file of a refused request, as the error lists it. */
export interface RefusedFile {
  readonly file_path: JsonName;
  readonly code: string;
  readonly message: string;
  readonly edit_status: readonly EditStatusJson[];
}

/** Returns a CONFLICT if all problems are files that changed since the caller read them, else EDITS_REFUSED. */
export function editsRefusedError(problems: readonly FileProblem[], files: number): SavepointError {
  const details = problems.map(refusedFile);
  const code = problems.every((problem) => problem.code === 'CHANGED') ? 'CONFLICT' : 'EDITS_REFUSED';
  const paths = problems.map(({ given, message }) => ({ path: given, why: message }));
  return new SavepointError(code, refusedText(details, files), code === 'CONFLICT' ? { paths, details } : { details });
}

export function refusedFile({ given, code, message, statuses }: FileProblem): RefusedFile {
  return { file_path: given, code, message, edit_status: statuses.map(statusToJson) };
}

/** @param files the number of files in the request */
export function refusedText(details: readonly RefusedFile[], files: number): string {
  const messages = details
    .slice(0, MAX_MESSAGES)
    .map(({ file_path, message }) => `${JSON.stringify(file_path)}: ${message}`)
    .join(' ');
  const more = details.length > MAX_MESSAGES ? ` And ${details.length - MAX_MESSAGES} more.` : '';
  return `${details.length} of ${files} ${files === 1 ? 'file' : 'files'} cannot be edited. ${messages}${more}`;
}
